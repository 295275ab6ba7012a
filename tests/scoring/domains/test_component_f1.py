"""Component F1, its published relatives, and the two ratios."""

import random
from functools import partial

import pytest

from orrery.pddl.tolerant import read_adl
from orrery.scoring.domains.component_f1 import components, score_sets
from orrery.scoring.domains.spelling import compact, indel_ratio, levenshtein_ratio, spelled_f1
from tests.effort import grows_linearly
from tests.scoring.domains.lamps import LAMPS

GOLD = read_adl(LAMPS)
FIGURES = ("predicates", "actions", "parameters", "preconditions", "effects")


def scores(text):
    return components(read_adl(text), GOLD)


def without(name):
    """LAMPS without one action."""
    start = LAMPS.index(f"  (:action {name}")
    end = LAMPS.find("  (:action", start + 5)
    return LAMPS[:start] + (LAMPS[end:] if end > 0 else ")")


def test_nothing_scores_zero_throughout():
    figures = scores("")
    assert [getattr(figures, figure).f1 for figure in FIGURES] == [0.0] * 5
    empty = read_adl("(define (domain x))")
    assert components(empty, empty).effects.f1 == 1.0


def test_a_dropped_action_costs_recall_and_a_junk_action_precision():
    dropped = scores(without("move"))
    junk = scores(LAMPS.rstrip()[:-1] + "(:action junk :effect (dark)))")
    for figure in FIGURES[1:]:
        low, high = getattr(dropped, figure), getattr(junk, figure)
        assert (low.precision, low.recall) == (1.0, pytest.approx(2 / 3))
        assert (high.precision, high.recall) == (pytest.approx(3 / 4), 1.0)
    assert not dropped.equal
    assert not junk.equal


def test_one_bad_action_does_not_zero_the_rest():
    figures = scores(LAMPS.replace(":effect (and (dark) (forall (?k - lamp) (not (lit ?k))))", ":effect ((("))
    assert figures.effects.f1 == pytest.approx(2 / 3)
    assert figures.preconditions.f1 == 1.0


def test_conditional_and_quantified_effects_count_one_by_one():
    figures = scores(LAMPS.replace("(when (lit ?l) (not (dark)))", ""))
    assert figures.alignments["move"].effects.matched == 2
    assert figures.alignments["move"].effects.gold == 3
    figures = scores(LAMPS.replace("(not (lit ?k))", "(lit ?k)"))
    assert figures.alignments["darken"].effects.matched == 1


def test_sets():
    assert score_sets([], []).f1 == 1.0
    assert score_sets(["a"], []).f1 == 0.0
    figures = score_sets(["a", "b"], ["a", "c", "d"])
    assert (figures.precision, figures.recall, figures.f1) == (0.5, pytest.approx(1 / 3), 0.4)


RENAMED = LAMPS.replace("?l", "?lamp").replace("?r", "?room")
JUNK = LAMPS.rstrip()[:-1] + "(:action junk :precondition {} :effect (dark)))"
# Published code asks for the first character of a precondition, so the gold against itself has no figures.
BARE = JUNK.format("()")


@pytest.mark.parametrize(
    ("predicted", "gold", "figures"),
    [
        (LAMPS, LAMPS, (1, 1, 1, 1)),
        (RENAMED, LAMPS, (1, 2 / 9, 1 / 6, 5 / 9)),
        (without("move"), LAMPS, (1, 0, 0, 0)),
        (LAMPS.replace("(dark))\n", "(dark)\n", 1), LAMPS, (0, 0, 0, 0)),
        (JUNK.format("(dark)"), LAMPS, (1, 1, 1, 1)),
        (BARE, LAMPS, (1, 0, 0, 0)),
        (BARE, BARE, (1, 0, 0, 0)),
    ],
)
def test_the_spelled_figures_depend_on_names_and_on_each_gold_action(predicted, gold, figures):
    spelled = spelled_f1(read_adl(predicted), read_adl(gold))
    parts = (spelled.predicates, spelled.parameters, spelled.preconditions, spelled.effects)
    assert parts == pytest.approx(figures)


def test_other_names_of_variables_change_the_spelled_figures_only():
    assert scores(RENAMED).equal


@pytest.mark.parametrize(
    ("predicted", "f1"),
    [
        ("(and (hand-free) (lit ?x))", 1.0),
        ("(and (lit ?x) (and (hand-free)))", 1.0),
        ("(and (hand-full) (lit ?x))", 2 / 3),  # "(h" and "(lit ?x)" of three pieces
        ("(lit ?x)", 0.0),  # "lit ?x" is none of them
        ("(and (lit ?x) (lit ?x))", 0.5),
    ],
)
def test_the_spelled_figures_cut_preconditions_at_every_and(predicted, f1):
    def domain(precondition):
        predicates = "(:predicates (hand-free) (hand-full) (lit ?x))"
        action = f"(:action a :parameters (?x) :precondition {precondition} :effect (lit ?x))"
        return read_adl(f"(define (domain d) (:requirements :strips) {predicates} {action})")

    figures = spelled_f1(domain(predicted), domain("(and (hand-free) (lit ?x))"))
    assert figures.preconditions == pytest.approx(f1)


def distance(first, second, substitution):
    """The edit distance, by the textbook's table."""
    row = list(range(len(second) + 1))
    for i, a in enumerate(first, 1):
        above, row = row, [i]
        for j, b in enumerate(second, 1):
            row.append(min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (0 if a == b else substitution)))
    return row[-1]


@pytest.mark.parametrize("seed", range(5))
def test_ratios_are_those_of_the_textbook(seed):
    rng = random.Random(seed)
    for _ in range(40):
        first, second = ("".join(rng.choices("ab( ", k=rng.randint(0, 12))) for _ in range(2))
        longest, total = max(len(first), len(second)), len(first) + len(second)
        levenshtein = 1 - distance(first, second, 1) / longest if longest else 1.0
        indel = 1 - distance(first, second, 2) / total if total else 1.0
        assert levenshtein_ratio(first, second) == pytest.approx(levenshtein)
        assert indel_ratio(first, second) == pytest.approx(indel)


def test_what_does_not_count_for_the_published_ratio():
    assert compact("(a ; comment\n  b)") == "(ab)"


@pytest.mark.exhaustive
def test_long_texts_have_a_bound():
    rng = random.Random(0)
    gold, piece = ("".join(rng.choices("abcdef ()", k=size)) for size in (5_000, 100_000))
    long = piece * 100
    for ratio, most in ((levenshtein_ratio, 0.001), (indel_ratio, 0.01)):
        assert 0 < ratio(gold, long) < most
        assert grows_linearly(partial(ratio, gold), long[: len(long) // 4], long)
    assert levenshtein_ratio(long, long + "x") is None
    assert indel_ratio(long, long + "x") is None
