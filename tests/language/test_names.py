"""Names of objects from lists: what lists hold, what is drawn, and what is told of names."""

import re
from collections import Counter

import pytest

from orrery.config import NameList, read_model
from orrery.language.names import GIVEN, NEW, NUMBERED, NamePools, renamed
from orrery.model import OrreryError, TypedName
from orrery.pddl.read import read_domain
from orrery.seeds import stream
from tests.every_domain import CATALOG, ROOT, drawn, entry

FOLDER = ROOT / "templates" / "names"
STYLES = {"animals", "cities", "colours", "letters", "people", "rooms", "spelling", "words"}
SPOKEN = ("domains", "texts", "questions", "plans", "prompts", "descriptions")
WORD = re.compile(r"(?<![\w?-])[a-z][\w-]*")
TAG = re.compile(r"\{#.*?#\}|\{[{%](?P<code>.*?)[%}]\}", re.DOTALL)
QUOTED = re.compile(r"\"([^\"]*)\"|'([^']*)'")
PLAIN = re.compile(r"\"([a-z][a-z -]+)\"")
# fmt: off
KEYWORDS = (
    "define", "domain", "problem", "requirements", "types", "constants", "objects", "predicates", "functions",
    "action", "parameters", "precondition", "effect", "init", "goal", "metric", "and", "or", "not", "imply",
    "forall", "exists", "when", "either", "assign", "increase", "decrease", "minimize", "maximize",
    "total-cost", "object", "number", "undefined",
)
# fmt: on
DOMAIN = read_domain("""
    (define (domain yard) (:requirements :typing) (:types crate place)
      (:predicates (at ?c - crate ?p - place))
      (:action move :parameters (?c - crate ?p - place) :precondition () :effect (at ?c ?p)))""")


def words_in(text):
    words_found = set(WORD.findall(text.lower()))
    return words_found | {part for word in words_found for part in re.split(r"[-_]", word)}


def spoken(template):
    """What a template may say: all outside of its tags, and the texts within them."""
    quoted = " ".join("".join(pair) for tag in TAG.finditer(template) for pair in QUOTED.findall(tag[0]))
    return f"{TAG.sub(' ', template)} {quoted}"


def symbols(domain):
    listed = (*domain.types, *domain.constants, *domain.predicates, *domain.actions, *domain.functions)
    return {typed.name for typed in listed}


def everything_said():
    """All words that stand in texts besides names from lists, with one place of each."""
    origin_of = dict.fromkeys(KEYWORDS, "PDDL")
    for folder in SPOKEN:
        for path in sorted((ROOT / "templates" / folder).rglob("*.j2")):
            origin_of |= dict.fromkeys(words_in(spoken(path.read_text(encoding="utf-8"))), path.name)
    for path in sorted((ROOT / "pipeline" / "orrery" / "grading").rglob("*.py")):  # words of replies
        code = " ".join(PLAIN.findall(path.read_text(encoding="utf-8")))
        origin_of |= dict.fromkeys(words_in(code), path.name)
    for name in CATALOG.names:
        origin_of |= dict.fromkeys({*symbols(entry(name).domain), name}, f"{name}: domain")
        for task in entry(name).tasks:
            for level in entry(name).description.difficulties or [""]:
                generated = drawn(name, task, level, 1)
                objects_known = generated.problem.objects if generated else ()
                origin_of |= {typed.name: f"{name}: {task.name}" for typed in objects_known}
    return origin_of


def objects(**counts):
    return tuple(
        TypedName(f"{kind[0]}{number}", (kind,))
        for kind, count in sorted(counts.items())
        for number in range(1, count + 1)
    )


@pytest.fixture(scope="module")
def pools():
    return NamePools.of(FOLDER, DOMAIN)


def many(pools, split, objects_named=None, count=600):
    """What is drawn for the same objects from many streams."""
    objects_given = objects_named or objects(crate=4, place=3)
    return [pools.drawn(objects_given, stream(1, "names", split, number), split) for number in range(count)]


def told(pools, names, objects_named=None):
    return pools.source_of(
        [names.get(typed.name, typed.name) for typed in objects_named or objects(crate=4, place=3)]
    )


# ---- lists


def test_every_style_has_a_list(pools):
    assert {pool.style for pool in pools.pools} == STYLES
    lists = {path.stem: read_model(path, NameList) for path in FOLDER.glob("*.yaml")}
    assert [style for style, pool in lists.items() if pool.test_only] == ["animals"]
    assert all(len(pool.names) >= 38 for style, pool in lists.items() if style != "letters")
    # Pools are read as they stand, less what the domain calls something.
    for pool in pools.pools:
        assert (*pool.familiar, *pool.new) == lists[pool.style].names
        assert len(pool.new) == len(lists[pool.style].names) // (1 if lists[pool.style].test_only else 8)


def test_names_are_names_of_pddl_and_stand_in_one_list():
    names = [name for path in FOLDER.glob("*.yaml") for name in read_model(path, NameList).names]
    assert all(re.fullmatch(r"[a-z][a-z0-9-]*", name) for name in names)
    assert [name for name, count in Counter(names).items() if count > 1] == []


@pytest.mark.slow
def test_no_name_is_a_word_of_a_text():
    text_told = everything_said()
    names = [(path.stem, name) for path in FOLDER.glob("*.yaml") for name in read_model(path, NameList).names]
    assert len(text_told) > 2_500
    assert {name: text_told[name] for _, name in names if name in text_told} == {}
    # Nor the singular of one.
    longer = [name for style, name in names if style != "letters"]
    assert {name: text_told[f"{name}s"] for name in longer if f"{name}s" in text_told} == {}


@pytest.mark.parametrize(
    ("first", "second", "problem"),
    [
        ("names: [oak, elm]", "names: [elm]", "'elm' is listed twice"),
        ("names: [oak, Elm]", "names: [ash]", "'Elm' is not a valid name"),
        ("names: [oak, oak]", "names: [ash]", "'oak' is listed twice"),
        ("names: [oak]\ntests: true", "names: [ash]", "does not know 'tests'"),
    ],
)
def test_faulty_lists_are_refused(tmp_path, first, second, problem):
    (tmp_path / "trees.yaml").write_text(first, encoding="utf-8")
    (tmp_path / "wood.yaml").write_text(second, encoding="utf-8")
    with pytest.raises(OrreryError, match=problem):
        NamePools.of(tmp_path, DOMAIN)


def test_words_of_the_domain_are_no_names(tmp_path):
    (tmp_path / "things.yaml").write_text("names: [oak, crate, move, at, yard, elm]", encoding="utf-8")
    (pool,) = NamePools.of(tmp_path, DOMAIN).pools
    assert pool.familiar == ("oak", "elm")


def test_without_lists_names_stay(tmp_path):
    pools = NamePools.of(tmp_path, DOMAIN)
    assert set(map(len, many(pools, "test", count=50))) == {0}


# ---- what is drawn


def test_the_same_stream_gives_the_same_names(pools):
    assert many(pools, "train") == many(NamePools.of(FOLDER, DOMAIN), "train")
    assert many(pools, "train") != many(pools, "validation")


def test_names_differ_and_keep_the_order_of_their_kind(pools):
    objects_named = objects(crate=12, place=11)
    for names in many(pools, "test", objects_named):
        after = [names.get(typed.name, typed.name) for typed in objects_named]
        assert len(set(after)) == len(objects_named)
        crates = [typed for typed in after[:12] if names]
        assert crates == sorted(crates) or not names or crates == [f"c{n}" for n in range(1, 13)]


def test_some_problems_stay_numbered_and_all_styles_occur(pools):
    sources_drawn = Counter(told(pools, names) for names in many(pools, "train", count=2_000))
    assert 0.36 < sources_drawn[NUMBERED] / 2_000 < 0.44
    single = {style for style in sources_drawn if "+" not in style}
    assert single == STYLES - {"animals"} | {NUMBERED}
    assert not [style for style in sources_drawn if style.endswith(NEW)]
    # What fits the types comes most often: crates bear colours, places those of cities.
    assert max(sources_drawn.keys() - {NUMBERED}, key=sources_drawn.__getitem__) == "cities+colours"


def test_new_names_are_drawn_for_test_splits_alone(pools):
    new = {name for pool in pools.pools for name in pool.new}
    for split in ("train", "validation"):
        assert new.isdisjoint(name for names in many(pools, split) for name in names.values())
    names_drawn = many(pools, "test", count=2_000)
    named = [names for names in names_drawn if names]
    share = sum(not new.isdisjoint(names.values()) for names in named) / len(named)
    assert 0.6 < share < 0.73
    animals = sum(told(pools, names) == "animals-new" for names in named) / len(named)
    assert 0.28 < animals < 0.39
    # Among the others all new names come up: none stands in a list for nothing.
    assert {name for names in names_drawn for name in names.values()} >= new


def test_too_many_objects_stay_numbered(pools):
    assert set(map(len, many(pools, "test", objects(box=100), 50))) == {0}
    for names in many(pools, "test", objects(star=70, crate=30), 50):  # colours fit crates
        assert set(names) in (set(), {f"c{number}" for number in range(1, 31)})


def test_names_that_say_something_stay(pools):
    objects_named = (*objects(crate=2), TypedName("red", ("paint",)), TypedName("paris", ("place",)))
    for names in many(pools, "train", objects_named):
        assert names.keys() <= {"c1", "c2"}
        assert "paris" not in names.values()


def test_parameters_are_renamed_in_values_and_keys(pools):
    generated = next(
        typed for n in range(99) if (typed := drawn("ferry", entry("ferry").tasks[0], "easy", n))
    )
    names = {typed.name: f"{typed.name}x" for typed in generated.problem.objects}
    back = {new: old for old, new in names.items()}
    assert renamed(renamed(generated, names), back) == generated
    assert renamed(generated, names) != generated


# ---- what is told of names


@pytest.mark.parametrize(
    ("names", "column"),
    [
        (["b1", "b2"], NUMBERED),
        (["b1", "red-handed"], NUMBERED),
        (["tile-0-1"], NUMBERED),
        ([], NUMBERED),
        (["alice", "cook"], GIVEN),
        (["paris", "b1"], "cities"),
        (["paris", "crimson"], "cities+colours"),
        (["paris", "zurich"], "cities-new"),
        (["paris", "amber"], "cities+colours-new"),
        (["heron"], "animals-new"),
    ],
)
def test_what_the_column_says(pools, names, column):
    assert pools.source_of(names) == column
