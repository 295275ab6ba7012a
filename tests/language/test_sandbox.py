"""The sandbox: templates that reach for Python, lazy choices, and errors with file and line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from orrery.language.choices import Turn
from orrery.language.words import Words, environment
from orrery.model import OrreryError

ROOT = Path(__file__).resolve().parents[2]


def words(folder: Path, body: str) -> Words:
    (folder / "domains").mkdir()
    macro = "{% macro fact_on(x, variant) %}\nOne line.\n" + body + "\n{% endmacro %}\n"
    (folder / "domains" / "discs.j2").write_text(macro)
    return Words("discs", folder)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("{{ cycler.__init__.__globals__.os.popen('id').read() }}", "'__init__' .* is unsafe"),
        ("{{ range.__globals__ }}", "'__globals__' .* is unsafe"),
        ("{{ namespace.__init__.__globals__ }}", "'__init__' .* is unsafe"),
        ("{{ ''.__class__.__mro__[1].__subclasses__() }}", "'__class__' .* is unsafe"),
        ("{{ ''['__class__'] }}", "'__class__' .* is unsafe"),
        ("{{ '{0.__class__}'.format(x) }}", "'__class__' .* is unsafe"),
        ("{{ x | attr('__class__') }}", "'__class__' .* is unsafe"),
        ("{{ self._TemplateReference__context }}", "is unsafe"),
        ("{{ x | random }}", "No filter named 'random'"),
        ("{% include '../../../../etc/passwd' %}", "template '../../../../etc/passwd' does not exist"),
        ("{% include '/etc/passwd' %}", "template '/etc/passwd' does not exist"),
    ],
)
def test_a_template_sees_nothing_of_python(tmp_path: Path, body: str, message: str) -> None:
    with pytest.raises(OrreryError, match=message) as caught:
        words(tmp_path, body).fact(("on", "b1"))
    assert caught.value.where == f"{tmp_path}/domains/discs.j2:3"
    assert caught.value.mend == "correct the template"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("{{ x.title }}", "'title' is not called"),
        ("{{ x.title ~ ' car' }}", "'title' is not called"),
        ("{{ ['a', x.title] | join(' ') }}", "'title' is not called"),
        ("{{ [x.title] | listing }}", "'title' is not called"),
        ("{{ '%s' | format(x.title) }}", "'title' is not called"),
        ("{{ '{}'.format(x.title) }}", "'title' is not called"),
        ("{{ fact_on }}", "'fact_on' is not called"),
        ("{{ range }}", "is not called"),
        ("{{ 'a ' ~ fact_on }}", "'fact_on' is not called"),
        ("{{ 'a ' ~ {'n': x} }}", "a value of type dict is no text"),
        ("{{ 'a ' ~ ['b', 'c'] }}", "a value of type list is no text"),
        ("{{ ('a ' ~ ('b', 'c')) | upper }}", "a value of type tuple is no text"),
        ("{{ 'a ' ~ ['b'] if x else x }}", "a value of type list is no text"),
        ("{{ ['a', fact_on] | join(' ') }}", "'fact_on' is not called"),
        ("{{ ['a', ['b']] | join(' ') }}", "a value of type list is no text"),
        ("{{ {'n': 3}.items() }}", "a value of type dict_items is no text"),
        ("{{ ['a', 'b'] | map('upper') }}", "a value of type generator is no text"),
        ("{{ ('a', 'b') }}", "a value of type tuple is no text"),
    ],
)
def test_what_is_not_called_stands_in_no_text(tmp_path: Path, body: str, message: str) -> None:
    with pytest.raises(OrreryError, match=message) as caught:
        words(tmp_path, body).fact(("on", "b1"))
    assert caught.value.where == f"{tmp_path}/domains/discs.j2:3"


@pytest.mark.parametrize(
    "body", ["{{ x.upper() }}", "{{ {'a': x}.items() | length }}", "{{ '{}!'.format(x) }}"]
)
def test_methods_can_be_called(tmp_path: Path, body: str) -> None:
    assert words(tmp_path, body).fact(("on", "b1")).split()[-1] in ("B1", "1", "b1!")


@pytest.mark.parametrize("change", ["append(1)", "clear()", "pop()", "extend([1])", "sort()"])
def test_a_template_changes_nothing_that_it_is_given(tmp_path: Path, change: str) -> None:
    names = {"disc": ["b2", "b1"]}
    (tmp_path / "domains").mkdir()
    macro = "{% macro objects(names, variant) %}{{ names.disc." + change + " }}{% endmacro %}"
    (tmp_path / "domains" / "discs.j2").write_text(macro)
    with pytest.raises(OrreryError, match="is unsafe"):
        Words("discs", tmp_path).objects(names)
    assert names == {"disc": ["b2", "b1"]}


def test_a_variant_renders_the_chosen_wording_only(tmp_path: Path) -> None:
    (tmp_path / "page.j2").write_text("{{ [first(), second() ~ third()] | choose(variant) }}")
    template = environment(tmp_path).get_template("page.j2")
    assert template.render(variant=1, second=lambda: "second", third=lambda: "third") == "secondthird"
    with pytest.raises(OrreryError, match="'first' is undefined"):
        template.render(variant=2)


def test_nested_choices_of_other_wordings_spend_no_digits(tmp_path: Path) -> None:
    (tmp_path / "page.j2").write_text("{{ [['a', 'b'] | choose(turn), 'c'] | choose(turn) }}")
    template = environment(tmp_path).get_template("page.j2")
    nested, plain = Turn(0), Turn(1)
    assert [template.render(turn=turn) for turn in (nested, plain)] == ["a", "c"]
    assert (nested.spent, plain.spent) == ([(0, 2), (0, 2)], [(1, 2)])


def test_macros_that_call_each_other_without_end_are_one_error(tmp_path: Path) -> None:
    body = "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}"
    with pytest.raises(OrreryError, match=r"discs\.j2:3: .*endlessly"):
        words(tmp_path, body).fact(("on", "b1"))


def test_a_mistake_names_the_template_that_holds_it(tmp_path: Path) -> None:
    (tmp_path / "other.j2").write_text("\n\n{% macro m(x) %}\n{{ x.y }}{% endmacro %}")
    (tmp_path / "page.j2").write_text("{% import 'other.j2' as page %}\n{{ page.m(1) }}")
    (tmp_path / "broken.j2").write_text("\n{% for %}")
    templates = environment(tmp_path)
    with pytest.raises(OrreryError, match=r"other\.j2:4: .*no attribute 'y'"):
        templates.get_template("page.j2").render()
    with pytest.raises(OrreryError, match=r"broken\.j2:2: "):
        templates.get_template("broken.j2")


@pytest.mark.parametrize("around", ["()", "[]", "{}"])
def test_a_template_nested_too_deeply_is_named(tmp_path: Path, around: str) -> None:
    first, last = around
    (tmp_path / "deep.j2").write_text("{{ " + f"{first} " * 3000 + "1" + f" {last}" * 3000 + " }}")
    with pytest.raises(OrreryError, match=r"deep\.j2: expressions are nested too deeply"):
        environment(tmp_path).get_template("deep.j2")


def test_no_other_environment_is_made() -> None:
    source = ROOT / "pipeline"
    modules = [
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if re.search(r"jinja2.*import[^)]*(Environment|Template\b)", path.read_text(encoding="utf-8"))
    ]
    assert modules == ["orrery/language/sandbox.py"]
    assert environment(ROOT / "templates").sandboxed
