"""Choose matched distractors: candidates such that no surface feature reveals the answer.

Only features that both true and false candidates have are used. A yes/no question takes either kind with
equal probability. The four options of a multiple choice first get their features; then each of them is
equally often the correct one. Lengths are balanced, too: the true and the false claim of a yes/no question
have nearly equal length. The rank of the correct option, by length and by similarity to the other options, is
given in advance, so that neither the longest nor the most different option is a good guess. For each measure
that heuristic rules take by state, goal or plan, the rank of the correct option is drawn at random. The
incorrect options fail different conditions, so that no single condition distinguishes them from the correct
one.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, starmap
from typing import NamedTuple, TypeAlias, TypeVar

from orrery.families.questions.balance import LATEST
from orrery.families.questions.claims import ClaimCandidate, Features, Measure, Measures, Offer, whole
from orrery.families.questions.evidence import sample
from orrery.model import Atom
from orrery.seeds import stream

OPTIONS = 4
TURNS = OPTIONS * OPTIONS
DRAWS = 24  # limit of sets of features that are tried
SETS = 24  # limit of sets of options that are tried
LETTERS = 3  # number of letters with the weight of one measure
WATCHED = 2  # weight of the condition that readers check first
CONDITION = "the condition looked at first"  # a measure that is part of the truth: correct options have it
OPPOSITE = "not "  # prefix of the rule that picks the smallest measure
NEAREST = 6  # number of true, and of false, candidates among which those of nearest length are taken

Length: TypeAlias = Callable[[ClaimCandidate], int]
Grouped: TypeAlias = Mapping[Features, tuple[list[ClaimCandidate], list[ClaimCandidate]]]
Option = TypeVar("Option")


def by_features(
    candidates: Sequence[ClaimCandidate], seen: Callable[[ClaimCandidate], Features] = whole
) -> Grouped:
    """Return true and false candidates by their features, or by the part of them that ``seen`` selects."""
    grouped: dict[Features, tuple[list[ClaimCandidate], list[ClaimCandidate]]]
    grouped = defaultdict(lambda: ([], []))
    for candidate in candidates:
        grouped[seen(candidate)][not candidate.holds].append(candidate)
    return {features: grouped[features] for features in sorted(grouped, key=repr)}


def lengths(words: Callable[[ClaimCandidate], str]) -> Length:
    """Return the lengths of candidates in words, cached by features: equal features differ only in names."""
    fixed_lengths: dict[Features, int] = {}

    def length(candidate: ClaimCandidate) -> int:
        """Return the number of letters in the words of a candidate."""
        names = _letters(candidate.atoms)
        if candidate.features not in fixed_lengths:
            fixed_lengths[candidate.features] = len(words(candidate)) - names
        return fixed_lengths[candidate.features] + names

    return length


@lru_cache(maxsize=4096)
def _letters(atoms: tuple[Atom, ...]) -> int:
    return sum(len(name) for atom in atoms for name in atom[1:])


def matched_pair(grouped: Grouped, offer: Offer, length: Length, rng: random.Random) -> list[ClaimCandidate]:
    """Return a true and a false candidate of equal features, similar length and similar measures.

    The condition that the false one fails is drawn first; the watched one is drawn more rarely than others.
    If none match, return one true and one false candidate, as far as they exist: other states may have their
    matches.
    """
    matched = [features for features, (yes, no) in grouped.items() if yes and no]
    if not matched:
        claim_pairs = []
        for place in (0, 1):
            if one_sided := [(features, lists[place]) for features, lists in grouped.items() if lists[place]]:
                features, candidates = rng.choice(one_sided)
                claim_pairs.append(rng.choice(candidates).seen_as(features))
        return claim_pairs
    features = rng.choice(matched)
    true, false = grouped[features]

    def sized(candidates: Sequence[ClaimCandidate]) -> list[tuple[ClaimCandidate, int, Measures]]:
        seen = [candidate.seen_as(features) for candidate in sample(rng, candidates, NEAREST)]
        return [(candidate, length(candidate), offer.measure(candidate)) for candidate in seen]

    yes = sized(true)
    no = sized(_of_one_condition(false, offer.watched, rng))
    pairs = [
        (abs(true_length - false_length) + _differing(true_measures, false_measures), true_claim, false_claim)
        for true_claim, true_length, true_measures in yes
        for false_claim, false_length, false_measures in no
    ]
    return drawn_of_nearest(pairs, rng)


def drawn_of_nearest(pairs: Sequence[tuple[int, Option, Option]], rng: random.Random) -> list[Option]:
    """Return a random pair among those with the smallest gap, which is the first element."""
    least = min(gap for gap, _, _ in pairs)
    _, *pair = rng.choice([pair for pair in pairs if pair[0] == least])
    return pair


def _differing(first: Measures, second: Measures) -> int:
    """Return the number of measures in which two candidates differ; each counts as several letters."""
    return LETTERS * sum(mine != theirs for mine, theirs in zip(first, second, strict=True))


def _of_one_condition(
    false: Sequence[ClaimCandidate], watched: str, rng: random.Random
) -> list[ClaimCandidate]:
    """Return the false candidates that fail the same conditions, which are drawn first."""
    by_unmet: dict[frozenset[str], list[ClaimCandidate]] = defaultdict(list)
    for candidate in false:
        by_unmet[candidate.unmet].append(candidate)
    unmet = sorted(by_unmet, key=sorted)
    weights = [1 if watched in names else WATCHED for names in unmet]
    return by_unmet[rng.choices(unmet, weights)[0]]


class Ranks(NamedTuple):
    """The wanted ranks of the correct option, from 0, by length and by similarity to the others."""

    length: int
    similarity: int


class OptionTurn(NamedTuple):
    """The position of a state in its domain and split, which determines the arrangement of options.

    ``place`` is the position of the correct option.
    """

    number: int
    place: int
    ranks: Ranks

    def placed(self, options: list[Option]) -> list[Option]:
        """Return the options with the correct one, which comes first, at its place."""
        right, *distractors = options
        return [*distractors[: self.place], right, *distractors[self.place :]]


def turn_of(seed: int, path: tuple[str, ...], number: int) -> OptionTurn:
    """Return the turn of state ``number``.

    In each block of 16, all combinations of place and ranks are equally frequent.
    """
    block, place = divmod(number, TURNS)
    order = list(range(TURNS))
    stream(seed, "turns", *path, block).shuffle(order)
    place, length = divmod(order[place], OPTIONS)
    return OptionTurn(number, place, Ranks(length, (place + length + block) % OPTIONS))


def options(
    grouped: Grouped, ranks: Ranks, offer: Offer, length: Length, rng: random.Random
) -> list[ClaimCandidate]:
    """Return four different candidates, the correct one first, or none.

    If a few draws do not find the wanted ``ranks``, the nearest ones are taken. Conditions of the watched
    predicate fail least often.
    """
    features = _features(grouped, rng)
    if not features:
        return []
    right, *distractors = rng.sample(features, OPTIONS)
    pools = [(right, grouped[right][0], 1)]
    pools += [
        (candidate, grouped[candidate][1], count)
        for candidate, count in sorted(Counter(distractors).items(), key=repr)
    ]
    measured = _measured(grouped[right][0][:1], offer.measure)
    aims = [ranks.length, *(rng.randrange(OPTIONS) for _ in measured)]
    combinations_tried: set[frozenset[int]] = set()
    best: tuple[int, list[ClaimCandidate]] | None = None
    for _ in range(SETS):
        drawn = [
            (candidate, seen_features)
            for seen_features, pool, count in pools
            for candidate in rng.sample(pool, count)
        ]
        if (combination := frozenset([id(candidate) for candidate, _ in drawn])) in combinations_tried:
            continue
        combinations_tried.add(combination)
        chosen = [_Looked.at(candidate.seen_as(seen), length, offer.measure) for candidate, seen in drawn]
        missed = _missed(chosen, aims, ranks.similarity, offer.watched)
        if best is None or missed < best[0]:
            best = missed, [candidate.candidate for candidate in chosen]
        if not missed:
            break
    return best[1] if best else []


class _Looked(NamedTuple):
    """A candidate with its names, its length, its measures and its end."""

    candidate: ClaimCandidate
    names: frozenset[str]
    sizes: tuple[int, ...]

    @classmethod
    def at(cls, candidate: ClaimCandidate, length: Length, measure: Measure) -> _Looked:
        values = [value for _, value in measure(candidate)]
        return cls(candidate, _names(candidate.atoms), (length(candidate), *values, _end(candidate)))


def _missed(chosen: Sequence[_Looked], aims: Sequence[int], similarity: int, watched: str) -> int:
    """Return the distance of options from the wanted properties.

    It is the distance between the ranks of the correct option and the wanted ranks, plus how well conditions
    reveal it.
    """
    sizes = [*zip(*(option.sizes for option in chosen), strict=True)]
    similarities = _similarity([option.names for option in chosen])
    ranked = zip([*sizes, similarities], [*aims, similarity], strict=True)
    return sum(starmap(missed_rank, ranked)) + _exposed([option.candidate for option in chosen], watched)


def _exposed(chosen: Sequence[ClaimCandidate], watched: str) -> int:
    """Return how well single conditions reveal the correct option: least if each fails once."""
    failed = Counter(name for candidate in chosen for name in candidate.unmet)
    return sum(count * count * (WATCHED if name == watched else 1) for name, count in failed.items())


def _measured(chosen: Sequence[ClaimCandidate], measure: Measure) -> dict[str, list[int]]:
    """Return the measures of the options by rule."""
    by_measure: dict[str, list[int]] = {}
    for candidate in chosen:
        for name, value in (*measure(candidate), (LATEST, _end(candidate))):
            by_measure.setdefault(name, []).append(value)
    return by_measure


def _end(candidate: ClaimCandidate) -> int:
    """Return the position after the last occurrence of a part of a plan; 0 for other candidates."""
    return candidate.at[-1] + len(candidate.atoms) if candidate.at else 0


def rules_of_thumb(chosen: list[ClaimCandidate], offer: Offer, length: Length) -> dict[str, list[int]]:
    """Return the measures by which heuristic rules choose an option: each rule picks the largest."""
    named_atoms, goal, watched = offer.steps, offer.goal, offer.watched
    objects = [len({name for atom in candidate.atoms for name in atom[1:]}) for candidate in chosen]
    rules = {
        "longest": [length(candidate) for candidate in chosen],
        "most like the others": _similarity([_names(candidate.atoms) for candidate in chosen]),
        "most objects": objects,
        "most parts": [len(candidate.atoms) for candidate in chosen],
    }
    rules["same object twice"] = [
        sum(len({*atom[1:]}) < len(atom) - 1 for atom in option.atoms) for option in chosen
    ]
    rules["same first argument"] = [
        len({atom[1:2] for atom in option.atoms}) < len(option.atoms) for option in chosen
    ]
    if any(candidate.at for candidate in chosen):
        rules["in the middle"] = [_nearness(candidate, len(named_atoms)) for candidate in chosen]
        rules["at the end"] = [_end(option) == len(named_atoms) for option in chosen]
    if goal:
        rules["most of the goal"] = [len(goal & _names(candidate.atoms)) for candidate in chosen]
    if len(named_atoms) == 1:
        named = frozenset(named_atoms[0][1:])
        rules["most like the question"] = [len(named & _names(candidate.atoms)) for candidate in chosen]
    if watched:
        rules[CONDITION] = [watched not in option.unmet for option in chosen]
    return rules | _measured(chosen, offer.measure)


def _nearness(candidate: ClaimCandidate, steps: int) -> int:
    """Return how near the middle of a plan its last occurrence is: at most 0, in half steps."""
    return -abs(2 * candidate.at[-1] + len(candidate.atoms) - steps) if candidate.at else -steps


def opposites(rules: Mapping[str, Sequence[int]]) -> dict[str, list[int]]:
    """Return the rules that pick the smallest measure instead."""
    return {f"{OPPOSITE}{rule}": [-value for value in values] for rule, values in rules.items()}


def _similarity(names: Sequence[frozenset[str]]) -> list[int]:
    """Return, for each option, the number of names that it shares with each other option, in total."""
    similarity = [0] * len(names)
    for first, second in combinations(range(len(names)), 2):
        shared = len(names[first] & names[second])
        similarity[first] += shared
        similarity[second] += shared
    return similarity


@lru_cache(maxsize=4096)
def _names(atoms: tuple[Atom, ...]) -> frozenset[str]:
    return frozenset(name for atom in atoms for name in atom)


def _features(grouped: Grouped, rng: random.Random) -> list[Features]:
    """Return the surface features of four options, each of which could be the correct one; or none."""
    matched = [features for features, (yes, no) in grouped.items() if yes and no]
    for _ in range(DRAWS if matched else 0):
        chosen = rng.choices(matched, k=OPTIONS)
        if _feasible(grouped, chosen):
            return chosen
    alone = [features for features in matched if _feasible(grouped, [features] * OPTIONS)]
    return [rng.choice(alone)] * OPTIONS if alone else []


def _feasible(grouped: Grouped, chosen: list[Features]) -> bool:
    """Return whether each feature has as many false candidates as may be needed."""
    most = OPTIONS - 1
    for features in chosen:
        false = len(grouped[features][1])
        if false < most and false < chosen.count(features):
            return False
    return True


def missed_rank(sizes: Sequence[int], wanted: int) -> int:
    """Return the distance of the rank of the first of some sizes, from 0, from the wanted rank.

    Ties allow several ranks; the one nearest to ``wanted`` counts.
    """
    first = sizes[0]
    shorter, ties = 0, -1  # without the first itself
    for size in sizes:
        if size < first:
            shorter += 1
        elif size == first:
            ties += 1
    if wanted < shorter:
        return shorter - wanted
    return max(0, wanted - shorter - ties)
