"""How many rows a build will have: as many as the last one, or at most as many as the parameters allow."""

from __future__ import annotations

from orrery.catalog import SPLITS, entry_of
from orrery.config import Settings, written
from orrery.dataset.contents import MANIFEST, read_manifest
from orrery.families.plans.tasks import PLANS
from orrery.families.questions.schemas import QUESTIONS
from orrery.families.text_to_pddl.texts import MIXTURES
from orrery.installation import PARAMETERS
from orrery.problems.quotas import is_held_out, quotas


def expected_rows(settings: Settings) -> str:
    """Return sentences on the rows of the next build that state how they are known.

    If the dataset in the outputs has other parameters or there is none, they are limits of the parameters.

    Raises:
        OrreryError: the parameters do not fit the domains.
    """
    dataset = settings.outputs / "dataset"
    if (dataset / MANIFEST).exists():
        rows = sum(sum(by_split.values()) for by_split in read_manifest(dataset)["rows"].values())
        parameters = dataset / PARAMETERS
        if parameters.exists() and parameters.read_text(encoding="utf-8") == written(settings):
            return f"Rows: about {rows:,}, as in the last build, which had the same parameters."
        return f"{_limits(settings)} The last build has {rows:,} rows."
    return _limits(settings)


def _limits(settings: Settings) -> str:
    counts = row_limits(settings)
    listed = ", ".join(f"{count:,} {kind}" for kind, count in counts.items() if count)
    on_top = "states, and rows on composed domains and on domains by others, come on top"
    return f"Rows: at most {sum(counts.values()):,} by params.yaml ({listed}); {on_top}."


def row_limits(settings: Settings) -> dict[str, int]:
    """Return the most rows that the parameters allow on the domains of params.yaml, by kind of table.

    Raises:
        OrreryError: the parameters do not fit the domains.
    """
    size, counts = settings.size, dict.fromkeys(("problems", "texts", "questions", "plan tasks", "worlds"), 0)
    bands = sum(size.pose.bands.values())
    texts = len(MIXTURES) * size.render.paraphrases + sum(size.render.vocabularies.values())
    shares = 1 + sum(size.pose.vocabularies.values())
    for name in settings.domains:
        entry = entry_of(settings.root, name)
        problems = sum(quota.count for part in quotas(entry, size, settings.held_out) for quota in part)
        problems += len(entry.problem_files) + bands
        held_out = [is_held_out(entry, task, settings.size, settings.held_out) for task in entry.tasks]
        splits = 1 if held_out and all(held_out) else len(SPLITS)
        counts["problems"] += problems
        counts["texts"] += round(texts * problems) * entry.description.texts
        counts["questions"] += len(QUESTIONS) * size.ask.questions * splits * entry.description.questions
        counts["plan tasks"] += round(len(PLANS) * (size.pose.rows * splits * shares + bands))
        counts["worlds"] += size.worlds.rows * splits
    return counts
