"""The sandbox: attacks on Python, on time and on memory, each tried on a template of our words."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import pytest

from orrery.language import sandbox
from orrery.language.words import Words, environment
from orrery.model import OrreryError

ROOT = Path(__file__).resolve().parents[2]
FORTY_FIVE = 45  # doublings: 35 million million


def again(start: str, step: str) -> str:
    return start + FORTY_FIVE * step


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
        ("{{ x | attr('__class__') }}", "No filter named 'attr'"),
        ("{{ self._TemplateReference__context }}", "is unsafe"),
        ("{{ x | random }}", "No filter named 'random'"),
        ("{% include '../../../../etc/passwd' %}", "there is no template '../../../../etc/passwd'"),
        ("{% include '/etc/passwd' %}", "there is no template '/etc/passwd'"),
    ],
)
def test_a_template_sees_nothing_of_python(tmp_path: Path, body: str, message: str) -> None:
    with pytest.raises(OrreryError, match=message) as caught:
        words(tmp_path, body).fact(("on", "b1"))
    assert caught.value.where == f"{tmp_path}/domains/discs.j2:3"
    assert caught.value.mend == "mend the template"


@pytest.mark.parametrize("change", ["append(1)", "clear()", "pop()", "extend([1])", "sort()"])
def test_a_template_changes_nothing_that_it_is_given(tmp_path: Path, change: str) -> None:
    given = {"disc": ["b2", "b1"]}
    (tmp_path / "domains").mkdir()
    macro = "{% macro objects(names, variant) %}{{ names.disc." + change + " }}{% endmacro %}"
    (tmp_path / "domains" / "discs.j2").write_text(macro)
    with pytest.raises(OrreryError, match="is unsafe"):
        Words("discs", tmp_path).objects(given)
    assert given == {"disc": ["b2", "b1"]}


@pytest.mark.parametrize(
    "body",
    [
        "{% for a in range(10 ** 9) %}{% endfor %}",
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(50) }}",
        "{% for a in [1] recursive %}{{ loop([1]) }}{% endfor %}",
        "{{ 10 ** (10 ** 10) }}",
        again("{% set n = 3 %}", "{% set n = n * n %}"),
    ],
)
def test_nothing_goes_on_without_end(tmp_path: Path, body: str) -> None:
    with pytest.raises(OrreryError, match=r"discs\.j2:3: .*(steps|large|big|end|recursive|exponent|bits)"):
        words(tmp_path, body).fact(("on", "b1"))


@pytest.mark.parametrize(
    "body",
    [
        "{{ 'x' * 10 ** 9 }}",
        "{{ 10 ** 9 * [1] }}",
        "{{ '%999999999d' % 1 }}",
        "{{ '%*d' % (999999999, 1) }}",
        "{{ '%999999999d' | format(1) }}",
        "{{ '{:999999999}'.format(1) }}",
        "{{ '{:{w}}'.format(1, w=999999999) }}",
        "{{ 'x'.ljust(10 ** 9) }}",
        "{{ 'x' | center(10 ** 9) }}",
        "{{ 'x' | indent(10 ** 9) }}",
        "{{ [1] | batch(10 ** 9) | list }}",
        "{{ (1).to_bytes(10 ** 9) }}",
        again("{% set x = 'ab' %}", "{% set x = x ~ x %}"),
        again("{% set x = 'ab' %}", "{% set x = x + x %}"),
        again("{% set x = 'ab' %}", "{% set x = x | replace('a', x) %}"),
        again("{% set x = 'ab' %}", "{% set x = x | join(x) %}"),
        again("{% set x = 'ab' %}", "{% set x = [x, x] | listing %}"),
        again("{% set x = 'ab' %}", "{% set x = 1 | plural ~ x | plural(x) %}"),
        again("{% set x = 'ab' %}", "{% set x %}{{ x }}{{ x }}{% endset %}"),
        again("{% set x = 'ab' %}", "{% set x = '%s%s' | format(x, x) %}"),
        again("{% set x = 'ab' %}", "{% set x = '{0}{0}'.format(x) %}"),
        again("{% set x = 'ab' %}", "{% set x = (x, x) | string %}"),
        again("{% set x = '\"' %}", "{% set x = x | tojson %}"),
        again("{% set x = [1] %}", "{% set x = [x, x] %}") + "{{ x }}",
        again("{% set x = [1] %}", "{% set x = (x, x) %}") + "{{ x }}",
        again("{% set x = {} %}", "{% set x = {1: x, 2: x} %}") + "{{ x }}",
        again("{% set x = [1] %}", "{% set x = x + x %}") + "{{ x }}",
        again("{% set x = [1] %}", "{% set x = [x, x] | sum(start=[]) %}") + "{{ x }}",
    ],
)
def test_nothing_grows_without_end(tmp_path: Path, body: str) -> None:
    with pytest.raises(OrreryError, match=r"discs\.j2:3: ") as caught:
        words(tmp_path, body).fact(("on", "b1"))
    assert caught.value.mend == "mend the template"


def test_a_page_ends_where_it_is_too_long(tmp_path: Path) -> None:
    line = "x" * 9_999
    page = environment(tmp_path).from_string(f"{{% for n in range(2000) %}}{line}\n{{% endfor %}}")
    with pytest.raises(OrreryError, match=r"<template>.*: a text is longer than 10000000 characters"):
        page.render()


def test_each_rendering_counts_anew_in_every_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "MAX_STEPS", 30)
    said = words(tmp_path, "{% for n in range(20) %}{{ n }}{% endfor %}")
    failed: list[Exception] = []

    def work() -> None:
        try:
            for n in range(50):
                assert said._call("fact_on", "b1", n).endswith("19")
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not failed
    with pytest.raises(OrreryError, match="steps"):
        environment(tmp_path).from_string("{% for n in range(31) %}{% endfor %}").render()


def test_calls_of_macros_share_the_steps_of_their_rendering(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "MAX_STEPS", 110)
    (tmp_path / "other.j2").write_text("{% macro m() %}{% for n in range(9) %}{% endfor %}{% endmacro %}")
    page = "{% import 'other.j2' as other %}{% for n in range(9) %}{{ other.m() }}{% endfor %}"
    made = environment(tmp_path)
    assert made.from_string(page).render() == ""
    with pytest.raises(OrreryError, match="steps"):
        made.from_string(page.replace("range(9)", "range(11)")).render()


def test_a_mistake_names_the_template_that_holds_it(tmp_path: Path) -> None:
    (tmp_path / "other.j2").write_text("\n\n{% macro m(x) %}\n{{ x.y }}{% endmacro %}")
    (tmp_path / "page.j2").write_text("{% import 'other.j2' as other %}\n{{ other.m(1) }}")
    (tmp_path / "broken.j2").write_text("\n{% for %}")
    made = environment(tmp_path)
    with pytest.raises(OrreryError, match=r"other\.j2:4: .*no attribute 'y'"):
        made.get_template("page.j2").render()
    with pytest.raises(OrreryError, match=r"broken\.j2:2: "):
        made.get_template("broken.j2")


def test_no_other_environment_is_made() -> None:
    source = ROOT / "pipeline"
    made = [
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if re.search(r"jinja2.*import[^)]*(Environment|Template\b)", path.read_text(encoding="utf-8"))
    ]
    assert made == ["orrery/language/sandbox.py"]
    assert environment(ROOT / "templates").sandboxed


def test_macros_of_a_template_are_what_their_names_stand_for_where_they_are_called(tmp_path: Path) -> None:
    """Those of the template are called without a detour; an argument may bear their names, too."""
    (tmp_path / "page.j2").write_text(
        "{% macro one(x) %}<{{ x }}>{% endmacro %}"
        "{% macro two(one, x) %}{{ one(x) }}{% endmacro %}"
        "{% macro three(x, y=2) %}{{ x }}{{ y }}{% endmacro %}"
        "{% macro four(x) %}{{ caller() }}{{ x }}{% endmacro %}"
        "{% macro five(x) %}{{ one(x) }}{{ three(x) }}{{ three(x, y=3) }}{% endmacro %}"
        "{% macro six() %}six{% endmacro %}{% set six = one %}"
        "{{ two(two_of, 1) }} {{ five(1) }} {% call four(1) %}0{% endcall %} {{ six(6) }}"
    )
    said = environment(tmp_path).get_template("page.j2").render(two_of=lambda x: f"[{x}]")
    assert said == "[1] <1>1213 01 <6>"
    with pytest.raises(OrreryError, match="'later' is undefined"):
        environment(tmp_path).from_string("{{ later(1) }}{% macro later(x) %}{% endmacro %}").render()
