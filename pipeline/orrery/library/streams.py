"""Endless streams of fresh items. The same seed gives the same items in any process."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import Any, TypeAlias

from orrery.catalog import SPLITS, Catalog, Entry, entry_of
from orrery.composition.compose import COMPOSED, number_of
from orrery.composition.composed_domain import DIFFICULTIES, ComposedGenerator
from orrery.config import Settings
from orrery.config import load as load_settings
from orrery.families.drafts import Rejected
from orrery.families.task_rows import trace_columns
from orrery.installation import find_root
from orrery.library.fresh_problems import Spot, Wanted, tasks_of
from orrery.library.fresh_rows import WORLD, makers, serves
from orrery.library.items import USUAL, Item, shows_examples, style_of, template
from orrery.library.windows import ITEMS, has_windows, window
from orrery.model import OrreryError, Row, UsageError, suggest
from orrery.problems.quotas import is_held_out
from orrery.seeds import stream

MAX_STATES = 20_000
ATTEMPTS = 300  # tries for one item; most tables need only a few
PASSED = 3  # numbers without an item that are passed over, or windows of all domains
WINDOWS = 12  # minimum number of windows that are tried for one item
BLOCKS = 8  # blocks of windows in which a domain is passed over if it has no items in the first one
KEPT = 16  # windows that are kept, for each domain
EXAMPLES = 2  # worked examples per table
ATTEMPTS_OF_EXAMPLES = 100
SEED_OF_EXAMPLES = -1  # no stream of a user should have the same items
FRESH_COMPOSITIONS = (10**6, 10**9)  # numbers that no build reaches


class NoItem(OrreryError):
    """No draw of a stream gave an item."""

    @classmethod
    def of(cls, place: str, wanted: str, reasons: Counter[str], mend: str) -> NoItem:
        """Return the error with the most frequent reasons of all draws."""
        listed = "; ".join(f"{reason} ({count})" for reason, count in reasons.most_common(3))
        return cls(place, f"none of {reasons.total()} draws gave {wanted}: {listed}", mend)


@dataclass(frozen=True)
class DomainsInTurn:
    """The same domains in turn.

    Each attempt uses another domain, so that a domain with rare items does not delay the others. Unless
    ``alone``, items of a domain are chosen together, in tables where single ones would show their answers.
    """

    wanted: tuple[Wanted, ...]
    alone: bool = False

    @property
    def domains(self) -> tuple[str, ...]:
        """The names of the domains."""
        return tuple(source.domain for source in self.wanted)

    def at(self, number: int, attempt: int) -> Wanted:
        """Return the problems of one of the domains."""
        return self.wanted[(number + attempt) % len(self.wanted)]


@dataclass(frozen=True)
class FreshDomains:
    """A newly composed domain for each attempt; the arguments are those of ``tasks``."""

    settings: Settings
    table: str
    difficulty: str | None
    seed: int
    split: str
    domains: tuple[str, ...] = (COMPOSED,)

    def at(self, number: int, attempt: int) -> Wanted:
        """Return the problems of a composition that is drawn for the attempt.

        Raises:
            Rejected: it is no domain, or one of another split.
        """
        rng = stream(self.seed, COMPOSED, self.table, number, attempt)
        entry = entry_of(self.settings.root, f"{COMPOSED}-{rng.randrange(*FRESH_COMPOSITIONS)}")
        try:
            composed = entry.composed
        except UsageError as fault:
            raise Rejected("the composition that was drawn is no domain") from fault
        if composed and self.split not in ("", composed.composition.split):
            raise Rejected("a domain of another split")
        return _of_domain(self.settings, entry, _level(entry, self.difficulty) or "", None, self.split)


Sources: TypeAlias = DomainsInTurn | FreshDomains


class TaskStream(Iterator[Item]):
    """An endless stream of fresh items; create it with ``tasks``.

    ``skipped`` counts unused draws by reason. Items are numbered from 0, and an item depends only on its
    number and the seed: ``item(n)`` is the n-th item, regardless of earlier calls. So several workers may
    share a stream if they use different numbers. Streams can be pickled.

    Domains take turns. Each has the same number of items, except that another domain has the turn of one
    that cannot give an item within its budget. In tables whose answers single items would show, the items of
    a domain are made sixteen at a time, and chosen from more candidates so that simple rules find few
    answers; the stream keeps them until their turn. So the first item of a domain takes longer than the next
    ones.
    """

    def __init__(
        self, table: str, sources: Sources, seed: int, style: str, root: Path, max_states: int
    ) -> None:
        """Start before the first item."""
        self.table, self.seed, self.style = table, seed, style
        self.position, self.skipped = 0, Counter[str]()
        self._sources, self._root, self._max_states = sources, root, max_states
        self._make = makers()[table]
        self._windows = OrderedDict[tuple[str, int, int], list[Row]]()

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the items that wait for their turn; they are made again."""
        return self.__dict__ | {"_windows": OrderedDict()}

    @property
    def domains(self) -> tuple[str, ...]:
        """The domains, which are used in turn; ``composed`` stands for a new domain every item."""
        return self._sources.domains

    def __next__(self) -> Item:
        """Return the next item. A number without an item is passed over.

        Raises:
            NoItem: many numbers in a row have no item.
        """
        for _ in range(PASSED * (ITEMS * len(self.domains) if self._in_windows else 1)):
            self.position += 1
            with suppress(NoItem):
                return self.item(self.position - 1)
        self.position += 1
        return self.item(self.position - 1)

    def item(self, number: int, attempts: int = ATTEMPTS) -> Item:
        """Return the item with this number.

        Raises:
            NoItem: within the budget of states, the domain, difficulty or kind has no problem that fits the
                table.
        """
        reasons = Counter[str]()
        if wanted := self._in_windows:
            row = self._chosen_row(wanted, number, reasons)
        else:
            row = self._single_row(number, attempts, reasons)
        self.skipped += reasons
        if row is not None:
            return Item(self.table, row, self.style, self._root, self._examples)
        place = f"table '{self.table}' of {', '.join(self.domains)}"
        raise NoItem.of(place, "an item", reasons, "name another domain or difficulty")

    def _single_row(self, number: int, attempts: int, reasons: Counter[str]) -> Row | None:
        """Return the row of the first attempt that gives one, if any; ``reasons`` counts the others."""
        for attempt in range(attempts):
            try:
                source = self._sources.at(number, attempt)
                spot = Spot(self.seed, self.table, source.entry.name, number, attempt)
                row = self._make(source, spot, self._max_states)
                if empty := self._empty_value(row):
                    raise Rejected(f"{empty} is empty")
            except Rejected as rejected:
                reasons[rejected.reason] += 1
            else:
                return row
        return None

    @property
    def _in_windows(self) -> Sequence[Wanted]:
        """The problems to draw, by domain, if the items of a domain are chosen together; otherwise empty."""
        match self._sources:
            case DomainsInTurn(wanted, alone=False) if has_windows(self.table):
                return wanted
        return ()

    def _chosen_row(self, wanted: Sequence[Wanted], number: int, reasons: Counter[str]) -> Row | None:
        """Return a row of the windows of a turn: one of its domain, then one of each next domain, and so on.

        A turn takes the rows of one window after another, so that short windows cost little. A domain whose
        first window is empty is passed over in ``BLOCKS`` blocks, unless it is the only one or this is so in
        all domains.
        """
        block, rest = divmod(number, ITEMS * len(wanted))
        place, turn = divmod(rest, len(wanted))
        number_of_tries = max(WINDOWS, len(wanted))
        tries = [(wanted[(turn + attempt) % len(wanted)], attempt) for attempt in range(number_of_tries)]
        giving = (
            (source, attempt)
            for source, attempt in tries
            if len(wanted) == 1 or self._window(source, block - block % BLOCKS, 0, reasons)
        )
        first = next(giving, None)
        for source, attempt in chain([first], giving) if first else tries:
            rows = self._window(source, block, attempt, reasons)
            if place < len(rows):
                return rows[place]
            place -= len(rows)
        return None

    def _window(self, source: Wanted, block: int, attempt: int, reasons: Counter[str]) -> list[Row]:
        """Return the rows of a window, which are kept for a while."""
        key = (source.domain, block, attempt)
        if key not in self._windows:
            spot = Spot(self.seed, self.table, source.domain, block, attempt)
            rows = window(source, spot, self._max_states, lambda row: not self._empty_value(row), reasons)
            self._windows[key] = rows
            if len(self._windows) > KEPT * len(self.domains):
                self._windows.popitem(last=False)
        self._windows.move_to_end(key)
        return self._windows[key]

    def _empty_value(self, row: Row) -> str:
        """Return the name of an empty value that the prompt would show, if any."""
        return template(self._root, self.table, self.style).empty_value(row)

    @property
    def _examples(self) -> tuple[Row, ...]:
        shown = shows_examples(self._root, self.table, self.style)
        return _examples(self._root, self.table) if shown else ()


def tasks(
    table: str,
    domain: str | None = None,
    difficulty: str | None = None,
    seed: int = 0,
    kind: str | None = None,
    style: str = USUAL,
    root: Path | str | None = None,
    *,
    split: str | None = None,
    max_states: int = MAX_STATES,
) -> TaskStream:
    """Return an endless stream of fresh items of a table.

    Problems are generated, verbalised and solved when an item is requested. The same arguments give the same
    items, in any process. (The solved examples of ``plan_generalization`` use the splits of a build in
    ``root``, if there is one.) Draws that are undecided within the budget are skipped, and counted in
    ``skipped`` of the stream.

    Args:
        table: ``text_to_pddl``, ``acp_<kind>_<format>`` or ``plan_<task>``.
        domain: the name of a domain (default: all domains of the table in turn). ``composed`` gives a new
            composed domain every item, ``composed/17`` the domain of this number under the root seed.
        difficulty: a difficulty of ``domain.yaml`` (default: the first one, which is the easiest).
        seed: the seed of the items.
        kind: the kind of problem, a generator task of the domains, for example ``tower-to-stack`` (default:
            any).
        style: the style of the prompts.
        root: the folder with domains, generators and templates (default: that of the installation).
        split: draw only problems of this split of the dataset, according to their keys. ``train`` excludes
            all problems of the test split, and all kinds that are held out for it. In tables that do not tell
            the goal, the states are also of this split according to their keys without it.
        max_states: the maximum size of a searched state space.

    Raises:
        UsageError: the table, domain, difficulty, kind, style or split does not exist; the message lists
            the available ones.
    """
    home = find_root(root).absolute()
    if table not in makers():
        raise UsageError(f"table '{table}'", "has no fresh items", suggest(table, "tables", makers()))
    _check_split(split or "")
    if max_states < 1:
        raise UsageError(f"max_states {max_states}", "is not a valid budget", "give 1 or more")
    sources: Sources
    if domain == COMPOSED:
        _check_names("difficulty", difficulty, DIFFICULTIES)
        _check_names("kind", kind, [task.name for task in ComposedGenerator.TASKS])
        sources = FreshDomains(load_settings(home), table, difficulty, seed, split or "")
    else:
        sources = DomainsInTurn(sources_of(home, table, domain, difficulty, kind, split or ""))
    return TaskStream(table, sources, seed, style_of(home, table, style), home, max_states)


def _check_names(what: str, name: str | None, names: Iterable[str]) -> None:
    """Raise a UsageError if ``name`` is not one of ``names``."""
    if name not in (None, *names):
        mend = suggest(str(name), "known", names)
        raise UsageError(f"{what} '{name}'", "is unknown for composed domains", mend)


def _check_split(split: str) -> None:
    if split not in ("", *SPLITS):
        raise UsageError(f"split '{split}'", "is unknown", suggest(split, "splits", SPLITS))


def sources_of(
    root: Path, table: str, domain: str | None, difficulty: str | None, kind: str | None, split: str
) -> tuple[Wanted, ...]:
    """Return the problems to draw, by domain.

    Raises:
        UsageError: no problems match, or the split does not exist.
    """
    _check_split(split)
    domain = domain and domain.replace(f"{COMPOSED}/", f"{COMPOSED}-")
    names = [*Catalog(root).names, *([domain] if domain and number_of(domain) is not None else [])]
    entries = [entry for name in names if serves(table, entry := entry_of(root, name))]
    chosen = [entry for entry in entries if domain in (None, entry.name)]
    if not chosen:
        mend = suggest(str(domain), "domains", [entry.name for entry in entries])
        lacking = "worlds" if table == WORLD else f"fresh items of table '{table}'"
        raise UsageError(f"domain '{domain}'", f"has no {lacking}", mend)
    at_level = [(entry, level) for entry in chosen if (level := _level(entry, difficulty)) is not None]
    if not at_level:
        levels = dict.fromkeys(level for entry in chosen for level in entry.description.difficulties or ())
        mend = suggest(str(difficulty), "difficulties", levels)
        raise UsageError(f"difficulty '{difficulty}'", "is unknown", mend)
    of_kind = [(entry, level) for entry, level in at_level if tasks_of(entry, kind)]
    if not of_kind:
        mend = suggest(str(kind), "kinds", sorted({task.name for entry in chosen for task in entry.tasks}))
        raise UsageError(f"kind '{kind}'", "is not a kind of problem of these domains", mend)
    settings = load_settings(root)
    sources = [_of_domain(settings, entry, level, kind, split) for entry, level in of_kind]
    sources = [source for source in sources if source.tasks]
    if not sources:
        raise UsageError(
            f"split '{split}'",
            "is empty for this selection: all matching problems are held out for the test split",
        )
    return tuple(sources)


def _of_domain(settings: Settings, entry: Entry, level: str, kind: str | None, split: str) -> Wanted:
    """Return the problems to draw in a domain. For train and validation, held-out tasks are excluded."""
    size, names = settings.size, tasks_of(entry, kind)
    held_out = frozenset(task for task in entry.tasks if is_held_out(entry, task, size, settings.held_out))
    chosen = tuple(task for task in names if split in ("", "test") or task not in held_out)
    return Wanted(entry.root, entry.name, chosen, level, size, held_out, split)


def _level(entry: Entry, difficulty: str | None) -> str | None:
    """Return the difficulty to draw in a domain; None if the domain does not have it."""
    levels = list(entry.description.difficulties or {})
    if difficulty is None:
        return levels[0] if levels else ""
    return difficulty if difficulty in levels else None


@lru_cache(maxsize=64)
def _examples(root: Path, table: str) -> tuple[Row, ...]:
    """Return the worked examples of a table, from domains without rows in the table if they give enough."""
    entries = [entry for name in Catalog(root).names if (entry := entry_of(root, name)).tasks]
    apart = [entry for entry in entries if not entry.description.questions]
    # Domains of the table follow, because the others have hardly any rows of acp_areach_mcq and acp_just_mcq.
    asked = [entry for entry in entries if entry.description.questions and serves(table, entry)]
    asked.sort(key=lambda entry: entry.description.test_only)
    items = chain(_examples_in_turn(root, table, apart), _examples_in_turn(root, table, asked))
    return tuple(
        {**item.row, "table": table, "reply": item.gold} | trace_columns(item.row)
        for item in islice(items, EXAMPLES)
    )


def _examples_in_turn(root: Path, table: str, entries: Sequence[Entry]) -> Iterator[Item]:
    """Yield the first item of each domain, then the second ones; domains without any are left out."""
    settings, streams = load_settings(root), list[TaskStream]()
    for entry in entries:
        source = _of_domain(settings, entry, _level(entry, None) or "", None, "")
        single = DomainsInTurn((source,), alone=True)
        stream = TaskStream(table, single, SEED_OF_EXAMPLES, USUAL, root, MAX_STATES)
        with suppress(NoItem):
            yield stream.item(0, ATTEMPTS_OF_EXAMPLES)
            streams.append(stream)
    for number in range(1, EXAMPLES):
        for stream in streams:
            with suppress(NoItem):
                yield stream.item(number, ATTEMPTS_OF_EXAMPLES)
