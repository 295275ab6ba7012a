"""Planted tricks are found, each by its rule; clean tables pass, and no problem tells of itself."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from math import comb

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from orrery.dataset.adversary import TableFigures, asking, attack, attack_table
from orrery.dataset.adversary.nearest import classified, nearest
from orrery.dataset.adversary.rules import constants, extremes, learned
from orrery.dataset.adversary.targets import (
    FOLDS,
    TrickScores,
    fold_rows,
    fold_targets,
    masked,
    read_targets,
    target_maker,
)
from orrery.dataset.adversary.verdict import (
    ENOUGH,
    FAILED,
    FEW,
    NOISE,
    SHOWN,
    WITHIN,
    TrickFigure,
    at_least,
    figures,
)
from orrery.families import tables
from orrery.families.attack import JUDGE, PICK, WRITE, ReplyOption, Target
from tests.effort import by_day, slow, some

ROWS, OPTIONS = 240, 4  # half of them, which the nearest neighbour is tried on, are enough, too
NAMES = ("at", "on", "in", "by")


def option(rng, right):
    measures = {"length": rng.randint(5, 40), "objects of the goal": rng.randint(0, 2)}
    name, met = rng.choice(NAMES), rng.choice(("met", "unmet"))
    words = f"{name} {rng.choice('uvw')} {rng.choice('xyz')} b{rng.randint(1, 9)}"
    return ReplyOption(words, right, measures, (f"name {name}",), (f"{met} p",))


def clean(rng, number, form, domains=2, each=3):
    """A row in which nothing is planted; ``each`` of them share a problem."""
    domain, problem = f"d{number % domains}", f"p{number // (domains * each)}"
    right = rng.randrange(OPTIONS if form == PICK else 2)
    if form == JUDGE:
        candidates, reply = [option(rng, bool(right))], ("no", "yes")[right]
    elif form == PICK:
        candidates, reply = [option(rng, place == right) for place in range(OPTIONS)], "ABCD"[right]
    else:
        candidates, reply = [], f"reply {rng.randint(1, 60)}"
    text = " ".join(rng.choices("abcdefgh", k=12))
    chance = {JUDGE: 0.5, PICK: 1 / OPTIONS, WRITE: None}[form]
    return Target(
        f"{domain}/{number:05}", domain, problem, form, text, frozenset([reply]), chance, tuple(candidates),
        frozenset({f"b{n}" for n in range(10)}), offered=True,
    )  # fmt: skip


def trials(make, rows=ROWS, seed=1):
    rng = random.Random(seed)
    return fold_targets((make(rng, number), number % 2 == 0) for number in range(rows))


def planted(form, plant):
    """Rows of which every candidate was changed by ``plant(candidate, target, rng)``."""

    def make(rng, number):
        target = clean(rng, number, form)
        return replace(target, options=tuple(plant(each, target, rng) for each in target.options))

    return trials(make)


def scores(rows):
    found = attack("t", rows)
    assert all(each.tried == len({f.rule for f in found.figures}) for each in found.figures)
    return {each.rule: each for each in found.figures if not each.domain}


def longer(each, target, rng):
    return replace(each, measures={**each.measures, "length": 50 if each.right else rng.randint(5, 40)})


def shorter(each, target, rng):
    return replace(each, measures={**each.measures, "length": 1 if each.right else rng.randint(5, 40)})


def opposite(each, target, rng):
    """Longest in one domain, shortest in the other."""
    return (longer if target.domain == "d0" else shorter)(each, target, rng)


def telling_name(each, target, rng):
    name = "at" if each.right else rng.choice(NAMES[1:])
    return replace(each, marks=(f"name {name}",))


def half_met(each, target, rng):
    """A condition that holds of nothing wrong."""
    return replace(each, conditions=("met p" if each.right else "unmet p",))


def told_by_words(each, target, rng):
    return replace(each, text=f"{'sometimes' if each.right else 'often'} b{rng.randint(1, 9)}")


def both_measures(each, target, rng):
    """Each of two measures tells little, their sum everything."""
    one = rng.uniform(0, 40)
    return replace(each, measures={"length": one, "objects of the goal": (60 if each.right else 40) - one})


@slow
@pytest.mark.parametrize(
    ("form", "plant", "rule", "least"),
    [
        (PICK, longer, "most length", 1),
        (PICK, shorter, "least length", 1),
        (JUDGE, longer, "most length", 0.9),
        (JUDGE, shorter, "least length", 0.9),
        (PICK, opposite, "best rule of the domain", 1),
        (PICK, telling_name, "names that are right elsewhere", 1),
        (JUDGE, telling_name, "names that are right elsewhere", 1),
        (PICK, telling_name, "best name of the domain", 1),
        (PICK, half_met, "best single condition of the domain", 1),
        (JUDGE, half_met, "best single condition of the domain", 1),
        (PICK, told_by_words, "nearest option in train", 1),
        (JUDGE, told_by_words, "nearest option in train", 1),
        (PICK, told_by_words, "trained classifier", 1),
        (PICK, both_measures, "trained classifier", 0.95),
    ],
)
def test_a_planted_trick_is_found_by_its_rule(form, plant, rule, least):
    found = scores(planted(form, plant))
    assert found[rule].score >= least
    assert found[rule].verdict == FAILED
    assert found["one reply"].verdict != FAILED


@slow
def test_what_an_open_question_does_not_offer_is_shown_and_not_judged():
    """To weigh what a row does not list is to read it; a place, a form and one reply are written without."""
    rows = [replace(trial, offered=False) for trial in planted(PICK, shorter)]
    found = scores(rows)
    assert found["least length"].verdict == FAILED
    rows = [replace(trial, offered=False) for trial in planted(PICK, telling_name)]
    found = scores(rows)
    told = found["names that are right elsewhere"]
    assert (told.score, told.verdict) == (1, SHOWN)
    table = attack("t", rows)
    assert table.best.judged
    assert table.shown.score == 1


@by_day(1)
@pytest.mark.parametrize(("rule", "place"), [("first", 0), ("middle", 2), ("last", 3), ("candidate 2", 1)])
def test_a_telling_place_is_found(rule, place):
    def make(rng, number):
        target = clean(rng, number, PICK)
        candidates = tuple(option(rng, at == place) for at in range(OPTIONS))
        reply = frozenset("ABCD"[place])
        return replace(target, text="", replies=reply, options=candidates)

    found = scores(trials(make))
    assert found[rule if rule.startswith("candidate") else f"{rule} candidate"].score == 1
    assert found["one reply"].verdict == FAILED  # the letter


def written(domain_reply):
    def make(rng, number):
        target = clean(rng, number, WRITE)
        reply = domain_reply(target, rng, number)
        return replace(target, replies=frozenset([reply]), chance=0.0)

    return trials(make)


def test_a_constant_of_a_domain_is_found_though_none_of_the_table_is():
    found = scores(written(lambda target, rng, number: f"always in {target.domain}"))
    assert found["one reply a domain"].score == 1
    assert found["one reply"].score == pytest.approx(0.5, abs=0.01)


def test_none_is_a_constant_and_may_be_right_as_often_as_it_is_meant_to_be():
    rows = written(lambda target, rng, number: "None" if number % 4 == 0 else f"r{number}")
    assert scores(rows)["None"].verdict == FAILED
    meant = [replace(row, fixed=0.25) for row in rows]
    assert scores(meant)["None"].verdict == WITHIN


def test_the_nearest_text_is_found():
    def make(rng, number):
        pair = number // 2  # of which one is in train; it differs in the name of an object alone
        text = f"{' '.join(random.Random(pair).choices('abcdefgh', k=30))} b{number % 9}"
        objects = frozenset({f"b{n}" for n in range(10)})
        return Target(
            f"{number:05}", "d", f"p{number}", WRITE, text, frozenset([f"r{pair}"]), 0.0, (), objects
        )

    found = scores(trials(make))
    assert found["nearest text in train"].score > 0.95
    assert found["nearest text in train"].rows == ROWS / 2
    assert found["one reply"].verdict == WITHIN


@slow
@pytest.mark.parametrize("form", [JUDGE, PICK, WRITE])
def test_clean_tables_do_not_fail(form):
    for seed in range(some(20)):
        for rows in (ENOUGH, ROWS):
            made = trials(lambda rng, number: clean(rng, number, form), rows, seed)
            found = attack("t", made)
            assert [each for each in found.figures if each.verdict == FAILED] == []
            assert [faults for _, faults in found.verdicts() if faults] == []


def test_no_problem_is_in_two_folds():
    rows = trials(lambda rng, number: clean(rng, number, PICK))
    folds: dict[tuple[str, str], set[int]] = {}
    for row in rows:
        folds.setdefault((row.domain, row.problem), set()).add(row.fold)
    assert all(len(some) == 1 for some in folds.values())
    assert {fold for some in folds.values() for fold in some} == {*range(FOLDS)}


@pytest.mark.parametrize("name", ["action_modeling", "domain_modeling"])
def test_no_row_is_learned_from_another_on_the_same_domain(name):
    """The levels of a composed domain have one gold domain, and stand in one split."""
    maker = target_maker(tables()[name])
    rows = [
        dict.fromkeys(maker.columns, "")
        | {"id": f"{domain}/{level}", "domain": domain, "gold_domain": domain}
        for domain in ("composed-1", "composed-2", "composed-3")
        for level in ("explicit", "everyday", "sparse")
    ]
    folds = {}
    for target in fold_rows(maker, [(row, False) for row in rows]):
        folds.setdefault(target.domain, set()).add(target.fold)
    assert all(len(numbers) == 1 for numbers in folds.values())
    assert len(set().union(*folds.values())) == 3


def test_what_only_rows_of_one_problem_share_is_not_learned():
    """Every problem has its own name for what is right, and its own reply: known only to its other rows."""

    def make(rng, number):
        target = clean(rng, number, PICK)
        own = f"{target.domain}{target.problem}"
        candidates = tuple(
            replace(each, text=f"{each.right}{own}", marks=(f"{each.right} {own}",), measures={})
            for each in target.options
        )
        return replace(target, text="", replies=frozenset([own]), options=candidates)

    rows = trials(make)
    tried = {each.rule: each.scores for each in (*constants(rows), *learned(rows, []))}
    tried |= {each.rule: each.scores for each in classified(rows)}
    assert set(tried["one reply a domain"]) == {0.0}
    for rule in ("names that are right elsewhere", "best name of the domain", "trained classifier"):
        assert sum(map(float, tried[rule])) / len(rows) == pytest.approx(0.25, abs=0.1), rule


def test_ties_are_shared_out():
    rows = planted(PICK, lambda each, target, rng: replace(each, measures={"length": 3}))
    for each in extremes(rows):
        if each.rule.endswith("length"):
            assert set(each.scores) == {0.25}
    rows = planted(JUDGE, lambda each, target, rng: replace(each, measures={"length": 3}))
    assert {score for each in extremes(rows) for score in each.scores} == {0.5}


def test_validation_is_learned_from_where_there_is_no_train(tmp_path):
    schema = tables()["domain_modeling"].schema
    row = {field.name: "" for field in schema if pa.types.is_string(field.type)}
    maker = target_maker(tables()["domain_modeling"])
    files = {}
    for split in ("test", "validation", "train"):
        files[split] = [tmp_path / f"{split}.parquet"]
        pq.write_table(pa.Table.from_pylist([row | {"id": split}]), files[split][0])
        trained = {each.id for each in read_targets(maker, files) if each.train}
        assert trained == {split} - {"test"}


def test_names_of_objects_are_masked_by_their_order():
    objects = frozenset({"b1", "b2"})
    assert masked("Stack b2 on b1, not b2.", objects) == ["stack", "_0", "on", "_1", "not", "_0"]
    assert masked("Stack b1 on b2, not b1.", objects) == masked("Stack b2 on b1, not b2.", objects)


@pytest.mark.parametrize("rows", [1, 7, 40])
@pytest.mark.parametrize("rate", [0.05, 0.3, 0.55])
def test_the_tail_is_exact(rows, rate):
    for hits in range(rows + 1):
        tail = sum(comb(rows, k) * rate**k * (1 - rate) ** (rows - k) for k in range(hits, rows + 1))
        assert at_least(hits, rows, rate) == pytest.approx(tail)


def test_many_rows_make_the_plain_limit_and_few_rows_noise():
    def said(rows, score, domain="", tried=70):
        return TrickFigure("t", domain, "r", rows, score, 0.25, rows, tried).verdict

    assert said(ENOUGH - 1, 1.0) == FEW
    assert said(ENOUGH, 0.35) == NOISE
    assert said(400, 0.45) == FAILED
    assert said(100_000, 0.31) == FAILED
    assert said(100_000, 0.30) == WITHIN
    assert said(ENOUGH - 1, 1.0, "d") == FEW
    assert said(ENOUGH, 0.95, "d") == FAILED
    assert said(100_000, 0.34, "d") == WITHIN
    assert said(100_000, 0.36, "d") == FAILED
    assert said(ENOUGH, 0.48, tried=1) == FAILED
    assert said(ENOUGH, 0.48) == NOISE  # the best of many rules


def test_rows_of_one_problem_that_agree_count_once():
    rows = trials(lambda rng, number: clean(rng, number, PICK))
    problems = {(row.domain, row.problem): place for place, row in enumerate(rows)}
    one_each = [float(problems[row.domain, row.problem] % 3 == 0) for row in rows]
    alternating = [float(place % 3 == 0) for place in range(len(rows))]
    for values, least, most in ((one_each, len(problems), len(problems) * 1.1), (alternating, ROWS, ROWS)):
        (figure,) = [t for t in figures("t", rows, [TrickScores("r", list(values))]) if not t.domain]
        assert least <= figure.independent <= most
    (same,) = [t for t in figures("t", rows, [TrickScores("r", [1.0] * ROWS)]) if not t.domain]
    assert same.independent == len(problems)


def test_a_rule_that_reads_a_condition_is_compared_with_ruling_out_half():
    for form, wanted in ((PICK, 0.4), (JUDGE, 0.75)):
        rows = trials(lambda rng, number, form=form: clean(rng, number, form))
        assert scores(rows)["best single condition of the domain"].chance == wanted


def test_a_table_without_chance_is_compared_with_replies_to_other_rows():
    rows = written(lambda target, rng, number: "a" if number % 4 else "b")
    even = fold_targets((replace(row, chance=None), row.train) for row in rows)
    counts = {"a": ROWS * 3 // 4, "b": ROWS // 4}
    for row in even:
        (reply,) = row.replies
        assert row.chance == (counts[reply] - 1) / (ROWS - 1)


def test_verdicts_name_the_table_and_the_domains_with_rows_enough():
    found = attack("t", planted(PICK, longer))
    said = dict(found.verdicts())
    assert [*said] == ["", "d0", "d1"]  # 120 rows each
    assert any("'most length' scores 1.000 on 240 rows; chance is 0.250" in fault for fault in said[""])
    assert all(said.values())
    assert found.verdict == FAILED
    assert found.best.score == 1
    few = attack("t", trials(lambda rng, number: clean(rng, number, PICK), rows=ENOUGH))
    assert [domain for domain, _ in few.verdicts()] == [""]
    fewer = attack("t", trials(lambda rng, number: clean(rng, number, PICK), rows=ENOUGH - 1))
    assert (fewer.verdicts(), fewer.verdict) == ([], FEW)
    shown = found.as_json()
    assert {each["domain"] for each in shown["best_by_domain"]} == {"d0", "d1"}
    assert {each["rule"] for each in shown["rules"]} == {each.rule for each in found.figures}
    json.dumps(shown)


@pytest.fixture
def broken(tmp_path):
    """A dataset of two tables, of which one lacks what it needs."""
    names = ("domain_modeling", "action_modeling")
    for name in names:
        schema = tables()[name].schema
        row = {
            "id": "one",
            "domain": "d",
            "gold_domain": "(define (:action a))",
            "header": "h",
            "texts": None,
        }
        kept = [field for field in schema if field.name in row or name == "domain_modeling"]
        values = {field.name: row.get(field.name, "") for field in kept if pa.types.is_string(field.type)}
        path = tmp_path / "data" / name / "test-00000-of-00001.parquet"
        path.parent.mkdir(parents=True)
        pq.write_table(pa.Table.from_pylist([values]), path)
    return tmp_path


def test_a_table_that_cannot_be_read_is_named_and_ends_nothing(broken):
    found = {name: attack_table(broken, name) for name in asking(broken)}
    assert found["action_modeling"].unread
    assert found["action_modeling"].verdicts() == [("", [found["action_modeling"].unread])]
    assert not found["domain_modeling"].unread
    assert found["domain_modeling"].rows == 1


@pytest.mark.parametrize("error", [KeyError("problems"), ZeroDivisionError("division by zero")])
def test_rows_that_a_trick_cannot_read_are_a_fault_of_the_table(broken, monkeypatch, error):
    def refuse(*_):
        raise error

    monkeypatch.setattr("orrery.dataset.adversary.domain_tricks", refuse)
    assert attack_table(broken, "domain_modeling").unread.startswith("cannot be attacked: ")


def test_values_that_a_library_refuses_are_a_fault_of_the_table(broken, monkeypatch):
    """No option has a word, so the vocabulary of the classifier is empty."""
    rows = planted(PICK, lambda candidate, _target, _rng: replace(candidate, text="...", marks=()))
    monkeypatch.setattr("orrery.dataset.adversary.read_targets", lambda *_: rows)
    (broken / "data" / "domain_modeling").rename(broken / "data" / "acp_app_mcq")
    figures_of_table = attack_table(broken, "acp_app_mcq")
    assert figures_of_table.unread.startswith("cannot be attacked: empty vocabulary")


def test_every_table_that_asks_is_attacked():
    asked = {name for name, table in tables().items() if table.gold}
    assert asked == {name for name, table in tables().items() if target_maker(table)}
    assert {"text_to_pddl", "action_modeling", "domain_modeling"} <= asked
    assert TableFigures("t", 0, ()).verdicts() == []
    assert nearest(trials(lambda rng, number: clean(rng, number, PICK))[:1]) == []
