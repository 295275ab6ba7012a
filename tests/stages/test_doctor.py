"""The doctor: what is a fault of the folders, and what is not."""

import re

import pytest
from typer.testing import CliRunner

from orrery import progress
from orrery.catalog import entry_of
from orrery.cli.main import app
from orrery.model import UsageError
from orrery.stages import doctor
from orrery.stages.doctor import Report, _check_folders
from tests.checkout import checkout, spoil
from tests.effort import slow
from tests.stages.new_domain_cases import NUTS


@slow
def test_a_domain_that_is_not_built_is_told_and_is_no_fault(tmp_path):
    root = checkout(tmp_path, ["ferry", "gripper"])
    params = root / "params.yaml"
    listed = re.sub(r"(?m)^( *)- gripper\n", "", params.read_text())
    params.write_text(re.sub(r"(?m)^ +gripper: .*\n", "", listed))
    faults, unlisted = _check_folders(root)
    assert (faults, unlisted) == ([], ["gripper"])
    report = Report((("python", "3", ""),), {}, tuple(faults), tuple(unlisted))
    assert report.code == 0
    assert "domain gripper" in {name for _, name, *_ in report.rows()}


@slow
def test_progress_is_shown_on_stderr_but_not_beside_json(tmp_path, monkeypatch):
    monkeypatch.setattr(progress, "LINE_SECONDS", 0)
    command = ["doctor", "--root", str(checkout(tmp_path, ["ferry", "gripper"]))]
    lines = CliRunner().invoke(app, command).stderr.splitlines()
    assert [line.partition(" [")[0] for line in lines] == [
        "doctor: files: 50%, 1 of 2",
        "doctor: texts: 50%, 1 of 2",
    ]
    assert CliRunner().invoke(app, [*command, "--json"]).stderr == ""


@slow
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
        # A word of a wording stands where another predicate names an object.
        (
            "templates/domains/ferry.j2",
            '"car " ~ c ~ " is on the ferry",',
            '"car nothing is at location " ~ c,',
            r"more than one fact of ferry is worded like this: \(at nothing qx0zq\), \(on qx0zq\)",
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
        ("domains/ferry/domain.yaml", "[acp_app_mcq,", "[acp_ap_mcq,", "no_tasks: names 'acp_ap_mcq'"),
        ("domains/ferry/domain.yaml", "at-ferry: 1}", "at-fery: 1}", "sight.agent: names 'at-fery'"),
        ("domains/ferry/domain.yaml", "at: [1, 2]}}", "at: [-2, 3]}}", "sight.located.at"),
        ("params.yaml", "problems: {easy: ", "problems: {esay: ", "unknown difficulty 'esay'"),
    ],
)
def test_what_a_later_stage_would_refuse_is_a_fault(tmp_path, path, old, new, said):
    root = checkout(tmp_path, ["ferry"])
    params = root / "params.yaml"
    params.write_text(re.sub(r"(?m)^ *- blocksworld\n", "", params.read_text()))
    assert _check_folders(root) == ([], [])
    text = (root / path).read_text()
    assert old in text
    (root / path).write_text(text.replace(old, new))
    entry_of.cache_clear()
    (fault,) = _check_folders(root)[0]
    assert re.search(said, fault)


def test_a_word_of_a_wording_that_is_the_name_of_a_constant_is_a_fault(tmp_path):
    root = with_nuts(tmp_path, "(:types nut - object)", "(:types nut - object) (:constants firmly - nut)")
    (fault,) = _check_folders(root, ["nuts"])[0]
    assert re.search("a wording of tight has the word 'firmly', the name of an object", fault)


def test_a_slip_in_an_abstract_text_is_a_fault(tmp_path):
    root = with_nuts(tmp_path, '"Tighten some of the " ~ p.nuts ~ " nuts.",', '"Tighten 1 nuts: " ~ p.tight,')
    (fault,) = _check_folders(root, ["nuts"])[0]
    assert re.search(r"a text of all_loose-to-some_tight has '1' with a plural: [^:]*Tighten 1 nuts", fault)


@slow
@pytest.mark.parametrize("count", [1, 40])
def test_problem_files_that_leave_a_split_empty_are_told(tmp_path, count):
    root = with_nuts(tmp_path)
    (root / "generators/nuts.py").write_text("TASKS = ()")
    folder = root / "domains/nuts/problems"
    folder.mkdir()
    for number in range(1, count + 1):
        names = " ".join(f"n{n}" for n in range(number))
        facts = " ".join(f"(loose n{n})" for n in range(number))
        body = f"(:objects {names} - nut) (:init {facts}) (:goal (tight n0))"
        (folder / f"p{number}.pddl").write_text(f"(define (problem p) (:domain nuts) {body})")
    entry_of.cache_clear()
    report = doctor.run(root, "nuts")
    assert not report.faults
    empty = [line for line in report.missing if "no problem of" in line]
    assert len(empty) == (count == 1)
    assert all(re.search(r"no problem of 1 is in \w+ or \w+; split: ", line) for line in empty)


@slow
def test_one_domain_is_looked_at_by_name(tmp_path):
    root = checkout(tmp_path, ["ferry", "gripper"])
    (root / "templates/domains/ferry.j2").write_text("")
    assert doctor.run(root, "gripper").faults == ()
    assert doctor.run(root, "ferry").faults
    with pytest.raises(UsageError):
        doctor.run(root, "no-such-domain")


def with_nuts(folder, old="", new=""):
    """A checkout with the domain of nuts, after a change of its files."""
    root = checkout(folder, ["ferry"])
    files = {path: content.replace(old, new) if old else content for path, content in NUTS.items()}
    assert not old or files != NUTS
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(content)
    params = root / "params.yaml"
    spoil(params, "  - ferry\n", "  - ferry\n  - nuts\n")
    entry_of.cache_clear()
    return root


@slow
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
        # The generator draws it while it builds: no passage can tell it.
        ('{"nuts": len(names)}, parameters)', '{"nuts": 3}, {"nuts": 3, "tight": 2})', "share the text"),
    ],
    ids=[
        "a wording that does not tell how many",
        "all wordings tell it",
        "one that does so of few",
        "drawn by build",
    ],
)
def test_an_abstract_text_that_fits_problems_that_differ_is_a_fault(tmp_path, old, new, said):
    root = with_nuts(tmp_path, old, new)
    faults, _ = _check_folders(root)
    assert len(faults) == bool(said)
    assert all(re.search(said, fault) for fault in faults)
