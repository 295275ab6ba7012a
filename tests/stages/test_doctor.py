"""The doctor: what is a fault of the folders, and what is not."""

import re

import pytest

from orrery.catalog import entry_of
from orrery.stages.doctor import Report, _looked_at
from tests.checkout import checkout
from tests.stages.new_domain_cases import NUTS


def test_a_domain_that_is_not_built_is_told_and_is_no_fault(tmp_path):
    root = checkout(tmp_path, ["ferry", "gripper"])
    params = root / "params.yaml"
    listed = re.sub(r"(?m)^( *)- gripper\n", "", params.read_text())
    params.write_text(re.sub(r"(?m)^ +gripper: .*\n", "", listed))
    faults, unlisted = _looked_at(root)
    assert (faults, unlisted) == ([], ["gripper"])
    report = Report((("python", "3", ""),), {}, tuple(faults), tuple(unlisted))
    assert report.code == 0
    assert "domain gripper" in {name for _, name, *_ in report.rows()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "old", "new", "said"),
    [
        ("domains/ferry/domain.yaml", "kind: places", "kind: plaices", "no kind of picture 'plaices'"),
        ("generators/ferry.py", 'else ("empty-ferry",)', 'else ("empty",)', "generators/ferry.py: .*empty"),
        (
            "templates/domains/ferry.j2",
            '"there is a passage from location " ~ x ~ " to location " ~ y,',
            '"car " ~ x ~ " is at location " ~ y,',
            "templates/domains/ferry.j2: at and passage share a wording",
        ),
        (
            "templates/domains/ferry.j2",
            '"there is a passage from location " ~ x ~ " to location " ~ y,',
            '"car " ~ y ~ " is at location " ~ x,',
            "templates/domains/ferry.j2: at and passage share a wording",
        ),
        # Two names side by side, of which the first may be a list.
        (
            "templates/domains/ferry.j2",
            '"car " ~ c ~ " is at location " ~ l,',
            '"car " ~ c ~ " " ~ l,',
            "ferry.j2: sentence .* is not how any fact",
        ),
        ("templates/domains/ferry.j2", "macro intro(", "macro intr(", "ferry.j2: macro intro is missing"),
        (
            "templates/domains/ferry.j2",
            "macro init_one_location(",
            "macro init_one_lcation(",
            "macro init_one_lcation stands for nothing in the domain .did you mean 'init_one_location'",
        ),
        ("domains/ferry/domain.yaml", "at: [1, 2], at-ferry", "att: [1, 2], at-ferry", "inside: names 'att'"),
        (
            "domains/ferry/domain.yaml",
            "place: location",
            "place: town",
            "place: names 'town', which is no type",
        ),
        ("domains/ferry/domain.yaml", "kind: places", "kind: places\n  plaice: location", "know 'plaice'"),
        (
            "domains/ferry/domain.yaml",
            "cars: [2, 4]",
            "cars: [-2, 4]",
            r"cars: is \[-2, 4\] \(give \[least, most\], from 0 on",
        ),
        ("domains/ferry/domain.yaml", "cars: [2, 4]", "carts: [2, 4]", "unknown limit 'carts'"),
        ("domains/ferry/domain.yaml", "test_tasks: []", "test_tasks: [x-to-y]", "unknown task 'x-to-y'"),
        (
            "domains/ferry/domain.yaml",
            "at: [1, 2]}}",
            "at: [1, 3]}}",
            "sight.located: gives 'at' an argument 3",
        ),
        ("domains/ferry/domain.yaml", "[passage]", "[pasage]", "barriers: names 'pasage'"),
        ("domains/ferry/domain.yaml", "at-ferry: 1}", "at-fery: 1}", "sight.agent: names 'at-fery'"),
        ("domains/ferry/domain.yaml", "at: [1, 2]}}", "at: [-2, 3]}}", "sight.located.at"),
        ("params.yaml", "problems: {easy: ", "problems: {esay: ", "unknown difficulty 'esay'"),
    ],
)
def test_what_a_later_stage_would_refuse_is_a_fault(tmp_path, path, old, new, said):
    root = checkout(tmp_path, ["ferry"])
    params = root / "params.yaml"
    params.write_text(re.sub(r"(?m)^ *- blocksworld\n", "", params.read_text()))
    assert _looked_at(root) == ([], [])
    text = (root / path).read_text()
    assert old in text
    (root / path).write_text(text.replace(old, new))
    entry_of.cache_clear()
    (fault,) = _looked_at(root)[0]
    assert re.search(said, fault)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "",
            "",
            r"nuts\.j2: problems of all_loose-to-some_tight that differ share the text .*some of the \d nuts",
        ),
        ('"Tighten some of the " ~ p.nuts ~ " nuts.",\n', "", ""),
        # Only where there are many nuts.
        (
            '"Tighten some of the " ~ p.nuts ~ " nuts.",\n',
            '"Tighten " ~ (p.tight if p.nuts < 5 else "some") ~ " of the " ~ p.nuts ~ " nuts.",\n',
            r"some of the \d nuts",
        ),
    ],
    ids=["a wording that does not tell how many", "all wordings tell it", "one that does so of few"],
)
def test_an_abstract_text_that_fits_problems_that_differ_is_a_fault(tmp_path, old, new, said):
    root = checkout(tmp_path, ["ferry"])
    for path, content in NUTS.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(content.replace(old, new) if old else content)
    params = root / "params.yaml"
    params.write_text(params.read_text().replace("  - ferry\n", "  - ferry\n  - nuts\n"))
    entry_of.cache_clear()
    faults, _ = _looked_at(root)
    assert len(faults) == bool(said)
    assert all(re.search(said, fault) for fault in faults)
