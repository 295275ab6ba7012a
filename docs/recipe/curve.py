"""The learning curve as a picture, and what it says in numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from html import escape
from typing import Any

from orrery.scoring.tally import wilson

LEFT, TOP, WIDTH, HEIGHT, RIGHT, BELOW = 56, 46, 600, 300, 270, 58
APART = 15  # pixels between labels at the right
STYLE = (
    "text{font:12px ui-sans-serif,system-ui,sans-serif;fill:#1f2933}.head{font-size:14px;font-weight:700}"
    ".small{fill:#52606d}.grid{stroke:#d9dee4}.axis,.phase{stroke:#9aa5b1}.phase{stroke-dasharray:2 3}"
    ".seed{fill:none;stroke:#2a6fbb;stroke-width:1.6;opacity:.75}.whole{stroke:#2a6fbb;stroke-width:2}"
    ".dot{fill:#2a6fbb}.baseline{stroke:#b4552d;stroke-dasharray:6 4}.low{fill:#b4552d}"
    ".control{fill:none;stroke:#2a6fbb;stroke-width:1.6;stroke-dasharray:4 3}"
    "@media(prefers-color-scheme:dark){text{fill:#e4e7eb}.small{fill:#9aa5b1}.grid{stroke:#323f4b}"
    ".seed,.whole,.control{stroke:#7cb5f2}.dot{fill:#7cb5f2}.baseline{stroke:#f0a07c}.low{fill:#f0a07c}}"
)
Record = Mapping[str, Any]


def wholes(
    found: Mapping[str, Any], domains: Collection[str] | None = None
) -> list[tuple[str, int, int, int]]:
    """Return what all runs together got right of all held-out problems: phase, step, right, asked.

    These are the measurements before, between and after the phases; of some ``domains`` only, if given.
    """
    sums: dict[tuple[str, int], tuple[int, int]] = {}
    ends = _ends(found)
    for run in found["runs"]:
        for record in run["records"]:
            if record["step"] in ends:
                place = (record["phase"], record["step"])
                right, asked = sums.get(place, (0, 0))
                right_here, asked_here = _counts(record, domains)
                sums[place] = (right + right_here, asked + asked_here)
    return [(*place, *sums[place]) for place in sorted(sums, key=lambda place: place[1])]


def _counts(record: Record, domains: Collection[str] | None) -> tuple[int, int]:
    if domains is None:
        return record["right"], record["asked"]
    counts = [record["by_domain"].get(domain, (0, 0)) for domain in domains]
    return sum(right for right, _ in counts), sum(asked for _, asked in counts)


def percent(right: int, asked: int) -> str:
    """Return a share with its 95 % interval, as in ``57.3 % (51.7-62.8)``."""
    low, high = wilson(right, asked)
    return f"{100 * right / asked:.1f} % ({100 * low:.1f}-{100 * high:.1f})"


def draw(found: Mapping[str, Any]) -> str:
    """Return the curve of the runs as SVG: a line each, measurements with intervals, baselines."""
    steps = max(_ends(found))
    wanted = found["settings"]["problems"]
    domains = wanted["domain"] or ", ".join([*wanted.get("seen", []), *wanted.get("unseen", [])])
    name = ", ".join(filter(None, [wanted["table"], domains, wanted["difficulty"]]))
    seeds = ", ".join(str(run["seed"]) for run in found["runs"])
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + RIGHT} {TOP + HEIGHT + BELOW}"'
        f' role="img">\n<title>Right replies to held-out problems, {escape(name)}, by training step</title>',
        f"<style>{STYLE}</style>",
        _text(LEFT, 22, f"{name}: right on {found['held_out']} held-out problems", "head"),
        *_axes(found, steps),
        *_baselines(found),
    ]
    for run in found["runs"]:
        places = " ".join(
            f"{_across(each['step'], steps):.1f},{_up(each['right'] / each['asked']):.1f}"
            for each in run["records"]
        )
        parts.append(f'<polyline class="seed" points="{places}"/>')
    parts += _controls(found, steps)
    for _, step, right, asked in wholes(found):
        parts += _whole(_across(step, steps), right, asked, last=step == steps)
    words = f"lines: seed {seeds}; bars: all of them together, 95 % interval; most likely replies"
    parts.append(_text(LEFT, TOP + HEIGHT + BELOW - 6, words, "small"))
    return "\n".join([*parts, "</svg>", ""])


def _ends(found: Mapping[str, Any]) -> set[int]:
    first = int(found["settings"]["imitation"]["steps"])
    return {0, first, first + int(found["settings"]["reinforcement"]["steps"])}


def _axes(found: Mapping[str, Any], steps: int) -> Iterable[str]:
    for each in range(0, 101, 25):
        y = _up(each / 100)
        yield f'<path class="grid" d="M{LEFT} {y:.1f}h{WIDTH}"/>'
        yield _text(LEFT - 8, y + 4, f"{each} %", "small", "end")
    yield f'<path class="axis" d="M{LEFT} {_up(0)}h{WIDTH}"/>'
    between = int(found["settings"]["imitation"]["steps"])
    for step in sorted(_ends(found)):
        yield _text(_across(step, steps), TOP + HEIGHT + 18, str(step), "small", "middle")
    for start, end, name in ((0, between, "gold replies"), (between, steps, "reward alone (REINFORCE)")):
        if start < end:
            middle = (_across(start, steps) + _across(end, steps)) / 2
            yield _text(middle, TOP + HEIGHT + 34, name, "small", "middle")
    if 0 < between < steps:
        yield f'<path class="phase" d="M{_across(between, steps):.1f} {TOP}v{HEIGHT}"/>'


def _baselines(found: Mapping[str, Any]) -> Iterable[str]:
    shares = {name: right / found["held_out"] for name, right in found["baselines"].items()}
    ranked = sorted(shares.items(), key=lambda each: -each[1])
    places = _spread([_up(share) for _, share in ranked])
    for (name, share), place in zip(ranked, places, strict=True):
        yield f'<path class="baseline" d="M{LEFT} {_up(share):.1f}h{WIDTH}"/>'
        yield _text(LEFT + WIDTH + 10, place + 4, f"{100 * share:.1f} % {name}", "low")


def _controls(found: Mapping[str, Any], steps: int) -> Iterable[str]:
    """Draw the runs with more imitation in the place of the reward, from where imitation ended."""
    begun = {run["seed"]: run["records"] for run in found["runs"]}
    controls = found.get("controls", [])
    for each in controls:
        between = found["settings"]["imitation"]["steps"]
        first = next(one for one in begun[each["seed"]] if one["step"] == between)
        places = " ".join(
            f"{_across(one['step'], steps):.1f},{_up(one['right'] / one['asked']):.1f}"
            for one in [first, *each["records"]]
        )
        name = f"<title>{escape(each['control'])}</title>"
        yield f'<polyline class="control" points="{places}">{name}</polyline>'
    if controls:
        seeds = ", ".join(map(str, sorted({each["seed"] for each in controls})))
        words = f"dashed blue: more imitation instead, seed {seeds}"
        yield _text(LEFT + WIDTH + RIGHT - 10, TOP + HEIGHT + BELOW - 6, words, "small", "end")


def _spread(places: Sequence[float]) -> list[float]:
    """Move labels up, the lowest first to stay, until none covers another."""
    found: list[float] = []
    for place in reversed(places):
        found.append(min(place, found[-1] - APART) if found else place)
    return found[::-1]


def _whole(x: float, right: int, asked: int, *, last: bool) -> Iterable[str]:
    low, high = wilson(right, asked)
    share = right / asked
    yield f'<path class="whole" d="M{x:.1f} {_up(low):.1f}V{_up(high):.1f}"/>'
    yield f'<circle class="dot" cx="{x:.1f}" cy="{_up(share):.1f}" r="4"/>'
    side, anchor = (10, "start") if last else (-8, "end") if x > LEFT else (8, "start")
    yield _text(x + side, _up(share) - (0 if last else 8), f"{100 * share:.1f} %", "", anchor)


def _across(step: int, steps: int) -> float:
    return LEFT + WIDTH * step / steps


def _up(share: float) -> float:
    return TOP + HEIGHT * (1 - share)


def _text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'
