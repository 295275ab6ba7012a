"""The Jinja environment of all templates: Jinja's sandbox, lazy choices, errors with file and line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from types import ModuleType
from typing import Any

from jinja2 import (
    StrictUndefined,
    Template,
    TemplateError,
    TemplateNotFound,
    TemplateSyntaxError,
    Undefined,
    nodes,
    pass_eval_context,
)
from jinja2.compiler import CodeGenerator, Frame
from jinja2.filters import do_join
from jinja2.runtime import Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment

from orrery.language.choices import Every, Turn
from orrery.model import OrreryError

GLOBALS = ("range", "namespace")
UNSEEDED_FILTER = "random"
TEMPLATE_ERRORS = (
    TemplateError,
    TypeError,
    ValueError,
    LookupError,
    ArithmeticError,
    AttributeError,
    RecursionError,
)


def wording_number(variant: int | Turn, count: int) -> int:
    """Return the number of the wording that a variant chooses; a turn gives a digit if there are several."""
    if isinstance(variant, Turn):
        return variant.digit(count) if count > 1 else 0
    return variant % count


def choose(wordings: Sequence[str], variant: int | Turn | Every) -> str:
    """Return the wording that a variant chooses.

    Raises:
        ValueError: there are no wordings.
    """
    if not wordings:
        raise ValueError("choose() needs at least one wording")
    if isinstance(variant, Every):
        return Every.of(wordings)
    return wordings[wording_number(variant, len(wordings))]


class _TextGenerator(CodeGenerator):
    """Compiles ``[first, second] | choose(variant)`` so that only the chosen wording is rendered.

    Otherwise, nested choices in the other wordings would take digits of the turn. Parts that ``~`` joins are
    checked as whole outputs are, so ``~`` is no constant that Jinja computes beforehand.
    """

    def _output_child_to_const(self, node: nodes.Expr, frame: Frame, finalize: Any) -> str:
        """Return an output without variables as text, unless ``~`` joins parts of it."""
        if isinstance(node, nodes.Concat) or node.find(nodes.Concat):
            raise nodes.Impossible
        return super()._output_child_to_const(node, frame, finalize)

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:
        """Compile ``~``; a part that is no text is an error."""
        self.write("markup_join((" if frame.eval_ctx.autoescape else "str_join((")
        for part in node.nodes:
            self.write("environment.finalize(")
            self.visit(part, frame)
            self.write("), ")
        self.write("))")

    def visit_Filter(self, node: nodes.Filter, frame: Frame) -> None:
        """Compile a filter; a choice among listed wordings becomes a conditional expression."""
        wordings = node.node.items if node.name == "choose" and isinstance(node.node, nodes.List) else []
        if not wordings or self.environment.all_wordings:  # type: ignore[attr-defined]
            super().visit_Filter(node, frame)
            return
        self.write("(lambda chosen: ")
        for number, wording in enumerate(wordings[:-1]):
            self.visit(wording, frame)
            self.write(f" if chosen == {number} else ")
        self.visit(wordings[-1], frame)
        self.write(")(environment.wording_number(")
        self.visit(node.args[0], frame)
        self.write(f", {len(wordings)}))")


class SandboxTemplate(Template):
    """A template whose errors are OrreryErrors, including errors of its macros when Python calls them."""

    def render(self, *args: Any, **kwargs: Any) -> str:
        """Return the rendered text; raise OrreryError if the template fails."""
        text: str = _with_place(self, "", super().render)(*args, **kwargs)
        return text

    @property
    def module(self) -> ModuleType:  # type: ignore[override]
        """The macros and variables of the template, for callers in Python."""
        module: ModuleType | None = vars(self).get("python_module")
        if module is None:
            exports = _with_place(self, "", lambda: super(SandboxTemplate, self).module)()
            module = self.python_module = ModuleType(str(self.name))
            # The macros are copies: templates that import the originals report their own line.
            vars(module).update({name: _exported(self, name, value) for name, value in vars(exports).items()})
        return module


def _exported(template: Template, name: str, value: Any) -> Any:
    """Return a variable of a template; a macro is copied so that it raises OrreryErrors."""
    if not isinstance(value, Macro):
        return value
    macro = copy(value)
    macro._func = _with_place(template, f"macro {name}: ", macro._func)
    return macro


class Uncalled:
    """A method that a template names: it can be called, and is an error in a text.

    Otherwise, a forgotten call would write the address of the method, which differs in each process.
    """

    __slots__ = ("method", "name")

    def __init__(self, name: str, method: Callable[..., Any]) -> None:
        """Hold the method of this name."""
        self.name, self.method = name, method

    def __str__(self) -> str:
        """Raise a TypeError."""
        raise TypeError(f"'{self.name}' is not called: write {self.name}()")

    def __format__(self, form: str) -> str:
        """Raise a TypeError."""
        return str(self)


def _text_of(value: Any) -> Any:
    """Return a value that is written into a text.

    Raises:
        TypeError: it is a macro, a function, or a collection.
    """
    if isinstance(value, str):  # most values
        return value
    if isinstance(value, Iterable) and not isinstance(value, Undefined):
        raise TypeError(f"a value of type {type(value).__name__} is no text: join its elements")
    if callable(value) and not isinstance(value, Uncalled | Undefined):
        raise TypeError(
            f"{getattr(value, 'name', 'a function')!r} is not called: add its arguments in parentheses"
        )
    return value


@pass_eval_context
def _joined(context: nodes.EvalContext, values: Iterable[Any], *separator: str, **options: Any) -> Any:
    """Return the result of Jinja's ``join``; an element that is no text is an error."""
    checked = values if options or separator[1:] else map(_text_of, values)
    return do_join(context, checked, *separator, **options)


class Sandbox(ImmutableSandboxedEnvironment):
    """Jinja's sandbox in which undefined variables are errors, without random filters and globals.

    What is called stands in no text: a method or macro without its parentheses is an error, as is a
    collection.

    With ``all_wordings``, ``choose`` returns all wordings at once; macros are then called with ``EVERY``.
    """

    code_generator_class = _TextGenerator
    template_class = SandboxTemplate
    wording_number = staticmethod(wording_number)

    def __init__(self, *, all_wordings: bool = False, **options: Any) -> None:
        """Create an environment with Jinja's ``options``."""
        self.all_wordings = all_wordings
        super().__init__(
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            finalize=_text_of,
            optimized=False,  # constants that it computes are not checked
            **options,
        )
        self.globals = {name: self.globals[name] for name in GLOBALS}
        self.filters = {name: value for name, value in self.filters.items() if name != UNSEEDED_FILTER}
        self.filters |= {"choose": choose, "join": _joined}

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Return an attribute; a method can only be called."""
        value = super().getattr(obj, attribute)
        is_method = callable(value) and not isinstance(value, Macro | Undefined)
        return Uncalled(attribute, value) if is_method else value

    def call(__self, __context: Any, __obj: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the result of a call in a template."""
        function = __obj.method if isinstance(__obj, Uncalled) else __obj
        return super().call(__context, function, *args, **kwargs)

    def parse(self, source: str, name: str | None = None, filename: str | None = None) -> nodes.Template:
        """Return the syntax tree of a template."""
        with _not_too_deep(filename or name):
            return super().parse(source, name, filename)

    def compile(
        self, source: Any, name: str | None = None, filename: str | None = None, *args: Any, **kwargs: Any
    ) -> Any:
        """Return the code of a template."""
        with _not_too_deep(filename or name):
            return super().compile(source, name, filename, *args, **kwargs)

    def handle_exception(self, source: str | None = None) -> Any:
        """Raise the current exception; a syntax error becomes an OrreryError with its line."""
        try:
            super().handle_exception(source)
        except TemplateSyntaxError as error:
            place = f"{error.filename or error.name or 'template'}:{error.lineno}"
            raise OrreryError(place, str(error.message), "correct the template") from error


@contextmanager
def _not_too_deep(place: str | None) -> Iterator[None]:
    """Convert a failure to read nested expressions.

    Raises:
        OrreryError: they are nested too deeply for the parser.
    """
    try:
        yield
    except RecursionError as error:
        problem, mend = "expressions are nested too deeply", "remove parentheses, or divide the expression"
        raise OrreryError(place or "template", problem, mend) from error


def _with_place(template: Template, macro: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of a template that raises its errors as OrreryErrors."""

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TEMPLATE_ERRORS as error:
            raise _template_error(error, template, macro) from error

    return call


def _template_error(error: BaseException, template: Template, macro: str) -> OrreryError:
    """Return the error for a failure in a template, with the line of the innermost template."""
    place, line, trace = str(template.filename or template.name), 0, error.__traceback__
    while trace is not None:
        names = trace.tb_frame.f_globals
        if (inner := names.get("__jinja_template__")) is not None:
            place, line = inner.filename or place, inner.get_corresponding_lineno(trace.tb_lineno)
        elif "__jinja_exception__" in names:  # a frame that Jinja has rewritten to show the template's line
            place, line = trace.tb_frame.f_code.co_filename, trace.tb_lineno
        trace = trace.tb_next
    match error:
        case RecursionError():
            problem = "macros call each other endlessly"
        case TemplateNotFound():
            problem = f"template '{error.name}' does not exist"
        case _:
            problem = str(error)
    return OrreryError(f"{place}:{line}" if line else place, f"{macro}{problem}", "correct the template")
