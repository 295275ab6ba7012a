"""Tests of language.warm_up: all templates of a folder are compiled, and a mistake among them is told."""

from pathlib import Path

import pytest

from orrery.language.sandbox import Sandbox
from orrery.language.warm_up import compile_templates
from orrery.language.words import environment
from orrery.model import OrreryError


def test_afterwards_nothing_is_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("domains/sheep.j2", "texts/frame.j2", "questions/app.j2"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(f"{{% macro say(n) %}}{name}{{% endmacro %}}")
    compile_templates(tmp_path)
    environment.cache_clear()
    monkeypatch.setattr(Sandbox, "compile", None)
    for all_wordings in (False, True):
        assert environment(tmp_path, all_wordings).get_template("domains/sheep.j2").module
    assert environment(tmp_path).get_template("questions/app.j2").module


def test_a_mistake_names_the_template(tmp_path: Path) -> None:
    (tmp_path / "wrong.j2").write_text("one\n{% macro %}")
    with pytest.raises(OrreryError, match=r"wrong.j2:2"):
        compile_templates(tmp_path)
