"""Compare the columns of a row on a domain with the statements of the domain: gold, texts and counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from hashlib import sha256

from orrery.catalog import Entry
from orrery.checks.reading.cursor import UnreadableText
from orrery.checks.reading.domain_texts import DomainTextReader
from orrery.checks.reading.generated_descriptions import read_description
from orrery.checks.statements import Statement, compared, statements, symbols_of
from orrery.checks.verdicts import differing
from orrery.model import Row
from orrery.pddl.read import text_of

OURS = "orrery"  # the source of rows on our domains
TOKENIZER = "pddl-symbols"
DECLARED = frozenset({"type", "constant", "predicate", "action"})
BODIES = frozenset({"needs", "makes"})
GENERATED = DECLARED | {"function"}


def own_faults(entry: Entry, reader: DomainTextReader, row: Row) -> Iterator[str]:
    """Yield the faults of a row on one of our domains, other than those of its problems.

    The columns other than texts come first, as nothing is read behind a sentence that cannot be read.
    """
    own = statements(text_of(entry.folder / "domain.pddl"))
    yield from compared("gold_domain", statements(row["gold_domain"]), own)
    yield from differing({"source": OURS, "license": entry.description.licence}, row)
    if not row["license"]:
        yield "has no licence"
    try:
        if "texts" in row:
            yield from _action_faults(own, reader, row)
        else:
            yield from differing({"style": "words"}, row)
            yield from measure_faults(own, row)
            yield from _description_faults(own, reader, entry.description.title or entry.name, row)
    except UnreadableText as error:
        yield f"a text {error}"


def _chosen(truth: Counter[Statement], kinds: Collection[str]) -> Counter[Statement]:
    """Return the statements of some kinds, as texts make them.

    A fact that an action deletes and adds is added; variables of a derived predicate have no types.
    """
    return Counter(
        {
            one[:4] if one[0] == "rule" else one: number
            for one, number in truth.items()
            if one[0] in kinds and not _is_overridden(one, truth)
        }
    )


def _is_overridden(one: Statement, truth: Counter[Statement]) -> bool:
    return one[0] == "makes" and one[2][0] == "not" and ("makes", one[1], one[2][1]) in truth


def _action_faults(own: Counter[Statement], reader: DomainTextReader, row: Row) -> Iterator[str]:
    header = Counter({one: number for one, number in own.items() if one[0] not in {"action", *BODIES}})
    yield from compared("header", statements(row["header"]), header)
    actions = [one[2:] for one in own if one[0] == "action"]  # names and parameters
    yield from differing({"action_names": [name for name, _ in actions]}, row)
    texts = row["texts"]
    if texts["none"]:
        yield "the text condition none says something"
    summaries = [reader.summary(line) for line in texts["sum"].split("\n")]
    if summaries != [(name, *(variable for variable, _ in parameters)) for name, parameters in actions]:
        yield "the summaries are not those of the actions, in their order"
    introduction, told = reader.procedure(texts)
    if not reader.is_introduction(introduction):
        yield "the procedure does not begin with an introduction to the domain"
    expected = _chosen(own, {"type", "constant", "action", *BODIES})
    for one in [one for one in expected if one[0] == "makes" and one[2][0] == "increase"]:
        del expected[one]  # procedures do not tell costs
    yield from compared("the procedure", told, expected)


def _description_faults(
    own: Counter[Statement], reader: DomainTextReader, title: str, row: Row
) -> Iterator[str]:
    general, told = reader.description(row["description_abstract"], title, details=False)
    yield from compared("description_abstract", told, _chosen(own, DECLARED))
    introduction, told = reader.description(row["description_concrete"], title, details=True)
    yield from compared("description_concrete", told, _chosen(own, DECLARED | BODIES))
    if not reader.is_introduction(introduction):
        yield "description_concrete does not begin with an introduction to the domain"
    if general != introduction.partition(". ")[0].rstrip(".") + ".":
        yield "description_abstract does not begin with the first sentence of the introduction"


def measure_faults(truth: Counter[Statement], row: Row) -> list[str]:
    """Return where the columns derived from a domain differ from its statements."""
    kinds = Counter(one[0] for one in truth)
    text = row["gold_domain"]
    expected = {
        "num_actions": kinds["action"],
        "num_predicates": kinds["predicate"],
        "num_types": kinds["type"],
        "requirements": [name for kind, name, *_ in truth if kind == "requirement"],
        "tokens": len(symbols_of(text)),
        "tokenizer": TOKENIZER,
        "sha256": sha256(text.encode()).hexdigest(),
    }
    return differing(expected, row)


def generated_faults(gold: Counter[Statement], row: Row) -> list[str]:
    """Return where the descriptions that a generic grammar made differ from the gold domain."""
    stated = {one[0]: one[1] for one in gold if one[0] == "domain"}
    requirements = [one[1] for one in gold if one[0] == "requirement"]
    faults = differing(stated, row)
    counts = {name: sum(one[0] == name for one in gold) for name in ("type", "predicate", "action")}
    for style, kinds in (("abstract", GENERATED), ("concrete", GENERATED | BODIES | {"rule"})):
        name = f"description_{style}"
        try:
            read = read_description(row[name])
        except UnreadableText as error:
            faults.append(f"{name} {error}")
            continue
        faults += compared(name, read.statements, _chosen(gold, kinds))
        if (read.name, read.counts) != (stated["domain"], counts):
            faults.append(f"{name} tells another name of the domain, or other numbers")
        # A domain may state no requirements; then the description tells those that it uses.
        are_names = all(requirement.startswith(":") for requirement in read.requirements)
        if read.requirements != requirements if requirements else not are_names:
            faults.append(f"{name} tells other requirements")
    return faults
