"""YAML: each faulty file is one clear message with its line."""

import pytest

from orrery.model import OrreryError
from orrery.yaml_text import parse_yaml, read_yaml


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("a: 1\nb: 2\na: 3\n", 3, "the key 'a' is given twice"),
        ("a:\n  1: x\n  +1: y\n", 3, r"the key '\+1' is given twice"),
        ("yes: 1\ntrue: 2\n", 2, "the key 'true' is given twice"),
        ("a: 1\nb: " + "9" * 5000, 2, "'9999.*' is not a valid"),
        ("a: 2020-13-45\n", 1, "'2020-13-45' is not a valid"),
        ("a: !!int abc\n", 1, "'abc' is not a valid"),
        ("a: !!float abc\n", 1, "'abc' is not a valid"),
        ("a: !!python/object/apply:os.system [id]\n", 1, "could not determine a constructor"),
        ("a: 1\nb: x\0y\n", 2, "is not a character"),
        ("a: éééé\nb: x\0y\nc: 1\nd: 1\n", 2, "is not a character"),
        ("a: 1\n---\na: 2\n", 2, "single document"),
        ("a: 1\n\tb: 2\n", 2, "a tab character that violates indentation"),
        ("? [1]\n: 2\n", 1, "unhashable key"),
        ("a: 1\nb: [\n\n", 2, "flow"),
        ("a: *b\n", 1, "undefined alias"),
        ("<<: 5\n", 1, "for merging"),
    ],
)
def test_what_nobody_means_is_refused_with_its_line(text, line, problem):
    with pytest.raises(OrreryError, match=problem) as caught:
        parse_yaml(text.encode(), "params.yaml")
    assert caught.value.where == f"params.yaml:{line}"
    assert caught.value.mend == "give valid YAML"
    assert len(str(caught.value)) < 500


def test_keys_of_other_authors_that_are_given_twice_are_reported():
    text = "a: &x {b: 1}\nc: [1, {d: 2, 'd': 2}]\na: {b: 1}\n<<: *x\nb: 1\nc: 3\na: *x\n"
    keys = []
    assert parse_yaml(text.encode(), "x", repeated=keys.append) == {"a": {"b": 1}, "b": 1, "c": 3}
    assert {tuple(key) for key in keys} == {("a", 3, True), ("d", 2, True), ("c", 6, False), ("a", 7, True)}


def test_aliases_and_merges_that_people_use_are_read():
    text = "base: &base {a: 1, b: 2}\nother:\n  <<: *base\n  b: 3\nlist: [*base, *base]\n"
    found = parse_yaml(text.encode(), "x")
    assert found["other"] == {"a": 1, "b": 3}
    assert found["list"] == [{"a": 1, "b": 2}] * 2


def test_files_that_cannot_be_read_are_named(tmp_path):
    path = tmp_path / "x.yaml"
    with pytest.raises(OrreryError, match=r"x.yaml: cannot be read: No such file"):
        read_yaml(path)
    path.write_bytes(b"a: 1\nb: \xe9\n")
    with pytest.raises(OrreryError, match=r"x.yaml:2: cannot be read: byte 9 is not a character"):
        read_yaml(path)
    path.write_bytes("\ufeffa: 1\r\nb: 2\r".encode())
    assert read_yaml(path) == {"a": 1, "b": 2}
    with pytest.raises(OrreryError, match=r"Is a directory|Permission denied"):
        read_yaml(tmp_path)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1:30", "1:30"), ("010", "010"), ("0x10", "0x10"), ("1:30.5", "1:30.5"), ("17", 17), ("-3", -3),
        ("+4", 4), ("0", 0), ("1_000", 1000), ("0.5", 0.5), ("1.", 1.0), (".5", 0.5), ("-1.5e-3", -0.0015),
        (".inf", float("inf")),
    ],
)  # fmt: skip
def test_numbers_are_decimal(text, value):
    assert parse_yaml(f"seed: {text}\n".encode(), "params.yaml") == {"seed": value}
