"""Tests of language.compiled_templates: compiled once, used for the same alone, and never in the way."""

from pathlib import Path

import pytest
from jinja2 import FileSystemLoader

from orrery.language.compiled_templates import CompiledTemplates
from orrery.language.sandbox import Sandbox
from orrery.model import OrreryError

TEXT = "{% macro say(n) %}{{ [1, 2] | sum + n }} of them{% endmacro %}{{ say(number) }}"


def sandbox(templates: Path, kept: Path, **options: bool) -> Sandbox:
    return Sandbox(
        loader=FileSystemLoader(templates), bytecode_cache=CompiledTemplates(options, kept), **options
    )


def never(*_: object, **__: object) -> None:
    raise AssertionError("compiled again")


@pytest.fixture
def templates(tmp_path: Path) -> Path:
    folder = tmp_path / "templates" / "words"
    folder.mkdir(parents=True)
    (folder / "some.j2").write_text(TEXT)
    return folder.parent


def test_another_environment_takes_what_was_compiled(
    templates: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "kept"
    assert sandbox(templates, kept).get_template("words/some.j2").render(number=4) == "7 of them"
    monkeypatch.setattr(Sandbox, "compile", never)
    assert sandbox(templates, kept).get_template("words/some.j2").render(number=5) == "8 of them"
    with pytest.raises(AssertionError, match="compiled again"):
        sandbox(templates, kept, trim_blocks=True).get_template("words/some.j2")


def test_a_changed_template_is_compiled_anew(templates: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    sandbox(templates, kept).get_template("words/some.j2")
    (templates / "words" / "some.j2").write_text(TEXT.replace("of them", "in all"))
    assert sandbox(templates, kept).get_template("words/some.j2").render(number=4) == "7 in all"
    assert len([path for path in kept.rglob("*") if path.is_file()]) == 1


@pytest.mark.parametrize("damage", [b"", b"\0" * 100])
def test_damaged_files_are_not_used(templates: Path, tmp_path: Path, damage: bytes) -> None:
    kept = tmp_path / "kept"
    sandbox(templates, kept).get_template("words/some.j2")
    (path,) = [path for path in kept.rglob("*") if path.is_file()]
    for content in (damage, path.read_bytes()[:-1] + b"\xff", path.read_bytes()[:40]):
        path.write_bytes(content)
        assert sandbox(templates, kept).get_template("words/some.j2").render(number=4) == "7 of them"


def test_a_folder_that_is_none_is_no_obstacle(templates: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_text("a file")
    assert sandbox(templates, kept).get_template("words/some.j2").render(number=4) == "7 of them"
    assert kept.read_text() == "a file"


def test_mistakes_name_the_template_of_the_folder_that_is_read(templates: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    text = "{% macro say(n) %}\n{{ n + missing }}{% endmacro %}\n\n{{ say(1) }}"
    (templates / "words" / "some.j2").write_text(text)
    for name in ("templates", "others"):
        folder = tmp_path / name
        if not folder.exists():
            (folder / "words").mkdir(parents=True)
            (folder / "words" / "some.j2").write_text(text)
        with pytest.raises(OrreryError) as caught:
            sandbox(folder, kept).get_template("words/some.j2").render()
        assert str(folder / "words" / "some.j2") + ":2" in str(caught.value)
