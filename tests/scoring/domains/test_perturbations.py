"""The perturbation table of the specification, on all our domains."""

import pytest

from orrery.scoring.domains.component_f1 import components
from orrery.scoring.domains.findings import findings
from tests.effort import some
from tests.every_domain import CATALOG
from tests.scoring.domains.perturbations import BY_SEARCH, TABLE, gold, perturbed, written

FIGURES = ("predicates", "actions", "parameters", "preconditions", "effects")
# The figures that each change must lower; all others must stay at 1.
LOWERED = {
    "rename a predicate": {"predicates"},
    "drop a precondition": {"preconditions"},
    "drop an effect": {"effects"},
    "negate a precondition": {"preconditions"},
    "negate an effect": {"effects"},
    "drop an action": {"actions", "parameters", "preconditions", "effects"},
    "rename an action": {"actions", "parameters", "preconditions", "effects"},
    "add a junk action": {"actions", "parameters", "preconditions", "effects"},
    "change a type": {"parameters"},
    "drop a cost": {"effects"},
}


@pytest.mark.parametrize("kind", TABLE)
@pytest.mark.parametrize("name", CATALOG.names)
def test_verdicts_are_those_that_semantics_dictates(name, kind):
    for seed in range(some(3)):
        case = perturbed(name, kind, seed)
        if case is None:
            assert kind == "swap arguments of an effect"
            continue
        domain, prediction, equal = case
        figures = components(prediction, domain)
        assert (not findings(prediction, domain, figures)) is equal
        assert figures.equal is equal
        low = {figure for figure in FIGURES if getattr(figures, figure).f1 < 1}
        if kind == "rename a predicate":
            low -= {"preconditions", "effects"}
        if TABLE[kind][1] is not BY_SEARCH:
            assert low == LOWERED.get(kind, set())


def test_the_domains_are_sound_as_written():
    from orrery.pddl.tolerant import read_adl

    for name in CATALOG.names:
        assert read_adl(written(gold(name))).faults == ()
