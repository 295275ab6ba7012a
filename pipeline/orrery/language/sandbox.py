"""The sandbox that templates run in: what they may reach, how long they may loop, how much they may write.

A template is no code of ours: it sees what it is given and nothing of Python. Jinja's own sandbox refuses
private attributes and changes to lists; it bounds neither nested loops nor texts that double, so that is
done here. Work is counted, in steps of loops and calls and in characters; no clock decides.

Each mistake becomes one OrreryError that names the template and the line.
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from functools import lru_cache
from itertools import islice
from string import Formatter
from types import ModuleType
from typing import Any

from jinja2 import Template, TemplateError, TemplateNotFound, TemplateSyntaxError, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.exceptions import SecurityError
from jinja2.filters import FILTERS
from jinja2.runtime import Context, LoopContext, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace
from jinja2.visitor import NodeTransformer

from orrery.language.choices import Turn
from orrery.language.compiled_templates import CompiledTemplates
from orrery.model import OrreryError

MAX_STEPS = 1_000_000  # of loops, and calls, in one rendering
MAX_CHARACTERS = 10_000_000  # of any text
MAX_ELEMENTS = 100_000  # of a list written in a template, with all that is in it
MAX_WIDTH = 999  # of a column in a format
MAX_EXPONENT, MAX_BITS = 64, 4096
FEW = 50  # texts are joined before the length of the whole is looked at

# Not random, which the seed does not know; nor what pads, indents or draws up anything by a number.
KNOWN = (
    "abs", "capitalize", "count", "d", "default", "dictsort", "e", "escape", "first", "float", "format",
    "groupby", "int", "items", "join", "last", "length", "list", "lower", "map", "max", "min", "reject",
    "rejectattr", "replace", "reverse", "round", "select", "selectattr", "sort", "string", "sum", "title",
    "tojson", "trim", "truncate", "unique", "upper", "urlencode", "wordcount",
)  # fmt: skip
# Methods of texts and numbers that write as much as a number says; there are filters for join and replace.
TOO_LONG = frozenset(
    {"center", "ljust", "rjust", "zfill", "expandtabs", "join", "replace", "translate", "encode", "to_bytes"}
)
MISTAKES = (
    TemplateError,
    TypeError,
    ValueError,
    LookupError,
    ArithmeticError,
    AttributeError,
    RecursionError,
)
_PERCENT = re.compile(r"%[^a-zA-Z%]*(?:\*|[0-9]{4})")
_DIGITS = re.compile(r"[0-9]{4}|\{")


class TooMuch(SecurityError):
    """A template that takes more than its limits."""


class _Work(threading.local):
    """The work that a thread has done in the present rendering, if it is inside one: the steps so far."""

    def __init__(self) -> None:
        self.done = [0, 0]


_INSIDE, _STEPS = 0, 1


class _Counting(NodeTransformer):
    """Has the steps of loops counted."""

    def visit_For(self, node: nodes.For) -> nodes.For:
        """Return the loop, over something that was counted."""
        self.generic_visit(node)
        if node.recursive:
            raise TemplateSyntaxError("a loop cannot be recursive", node.lineno)
        node.iter = nodes.Filter(node.iter, _COUNTED, [], [], None, None, lineno=node.iter.lineno)
        return node


_COUNTED = "steps of a loop"  # no name that a template could write
_OF_MAPPINGS = frozenset(dir(dict))


class _Checking(CodeGenerator):
    """Writes code that measures the texts, lists and mappings that a template puts together.

    Of ``[one, other] | choose(n)`` only the wording that is said is put together, unless all are. Macros of
    the template itself are called without a detour; each counts as a step where it ends (``Sandbox.concat``).
    """

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:
        """Write a template."""
        self.own_macros = _plain_macros(node)
        super().visit_Template(node, frame)

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:
        """Write a call; one of a macro of the template as a call of its function."""
        name = node.node.name if isinstance(node.node, nodes.Name) else ""
        listed = not (node.kwargs or node.dyn_args or node.dyn_kwargs or forward_caller or frame.block)
        own = self.own_macros.get(name) == len(node.args) and frame.symbols.find_ref(name) == f"l_0_{name}"
        if not (listed and own):
            super().visit_Call(node, frame, forward_caller=forward_caller)
            return
        self.visit(node.node, frame)
        self.write("._func(")
        for number, argument in enumerate(node.args):
            self.write(", " if number else "")
            self.visit(argument, frame)
        self.write(")")

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:
        """Write what gives an attribute; an element of a plain mapping is looked up at once."""
        if not isinstance(node.node, nodes.Name) or node.attr in _OF_MAPPINGS:
            super().visit_Getattr(node, frame)
            return
        for before in ("(", f"[{node.attr!r}] if type(", f") is dict and {node.attr!r} in "):
            self.write(before)
            self.visit(node.node, frame)
        self.write(" else ")
        super().visit_Getattr(node, frame)
        self.write(")")

    def visit_Filter(self, node: nodes.Filter, frame: Frame) -> None:
        """Write a filter; a choice among listed wordings as conditions on the number that is chosen."""
        listed = node.node.items if node.name == "choose" and isinstance(node.node, nodes.List) else []
        if not listed or self.environment.all_wordings:  # type: ignore[attr-defined]
            super().visit_Filter(node, frame)
            return
        self.write("(lambda chosen: ")
        for number, wording in enumerate(listed[:-1]):
            self.visit(wording, frame)
            self.write(f" if chosen == {number} else ")
        self.visit(listed[-1], frame)
        self.write(")(environment.choose(")
        self.visit(node.args[0], frame)
        self.write(f", {len(listed)}))")

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:
        """Join texts by way of the environment."""
        self._measured("joined", super().visit_Tuple, nodes.Tuple(node.nodes, "load"), frame)

    def visit_List(self, node: nodes.List, frame: Frame) -> None:
        """Make a list by way of the environment."""
        self._measured("gathered", super().visit_List, node, frame)

    def visit_Tuple(self, node: nodes.Tuple, frame: Frame) -> None:
        """Make a tuple by way of the environment, unless it is one that names are set by."""
        if node.ctx == "load":
            self._measured("gathered", super().visit_Tuple, node, frame)
        else:
            super().visit_Tuple(node, frame)

    def visit_Dict(self, node: nodes.Dict, frame: Frame) -> None:
        """Make a mapping by way of the environment."""
        self._measured("gathered", super().visit_Dict, node, frame)

    def _measured(
        self, name: str, write: Callable[[Any, Frame], None], node: nodes.Expr, frame: Frame
    ) -> None:
        self.write(f"environment.{name}(")
        write(node, frame)
        self.write(")")


def _plain_macros(template: nodes.Template) -> dict[str, int]:
    """Return how many arguments the macros of a template take, of those that take no others.

    Macros are left out whose names stand for something else, too.
    """
    names = Counter(each.name for each in template.find_all(nodes.Macro))
    names.update(each.name for each in template.find_all(nodes.Name) if each.ctx == "store")
    names.update(each.target for each in template.find_all(nodes.Import))
    for each in template.find_all(nodes.FromImport):
        names.update(name if isinstance(name, str) else name[1] for name in each.names)
    return {
        macro.name: len(macro.args)
        for macro in template.body
        if isinstance(macro, nodes.Macro)
        and names[macro.name] == 1
        and not macro.defaults
        and not any(each.name in _SPECIAL for each in macro.find_all(nodes.Name))
    }


_SPECIAL = ("caller", "kwargs", "varargs")  # a macro that names one of these takes other arguments, too


class SandboxTemplate(Template):
    """A template whose mistakes are OrreryErrors; what it defines can be called from Python."""

    def render(self, *args: Any, **kwargs: Any) -> str:
        """Return the text; OrreryError on a mistake in the template."""
        text: str = _from_outside(self, "", super().render)(*args, **kwargs)
        return text

    @property
    def module(self) -> ModuleType:  # type: ignore[override]
        """What the template defines; its macros raise OrreryError on a mistake in them."""
        known: ModuleType | None = vars(self).get("outside")
        if known is None:
            made = _from_outside(self, "", lambda: super(SandboxTemplate, self).module)()
            known = self.outside = ModuleType(str(self.name))
            # Copies: templates that import these macros go without what follows.
            vars(known).update({name: _macro(self, name, value) for name, value in vars(made).items()})
        return known


def call_macro(macro: Callable[..., str], *arguments: Any) -> str:
    """Return what a macro, or another function in its place, says of arguments, called from Python."""
    plain = type(macro) is Macro and _takes(macro, arguments)
    return str(macro._func(*arguments) if plain else macro(*arguments))  # type: ignore[attr-defined]


def _macro(template: Template, name: str, value: Any) -> Any:
    """Return what a template defines, a macro as Python calls it."""
    if not isinstance(value, Macro):
        return value
    made = copy(value)
    made._func = _from_outside(template, f"macro {name}: ", made._func)
    return made


class Sandbox(ImmutableSandboxedEnvironment):
    """A Jinja environment without doors to Python, and with bounds to what a template does."""

    code_generator_class = _Checking
    template_class = SandboxTemplate
    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def __init__(self, *, all_wordings: bool = False, **options: Any) -> None:
        """Make an environment with Jinja's options, and only those filters that are bounded.

        With ``all_wordings``, its macros are called for all wordings at once, and for nothing else.
        """
        self.all_wordings = all_wordings
        kept = CompiledTemplates({**options, "all_wordings": all_wordings})
        super().__init__(**{"bytecode_cache": kept, **options})
        self.work = _Work()
        ranges = self.globals["range"]
        self.globals.clear()
        self.globals.update(range=ranges, namespace=Namespace)
        self.filters = {name: FILTERS[name] for name in KNOWN}
        self.filters |= {
            "join": _join, "replace": _replace, "format": _format,
            _COUNTED: self._counted,
        }  # fmt: skip
        self.measured({name: FILTERS[name] for name in ("tojson", "sum", "string")})

    def measured(self, filters: Mapping[str, Callable[..., Any]]) -> None:
        """Add filters whose results may be too long."""
        self.filters |= {name: _bounded(each) for name, each in filters.items()}

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        try:
            parsed: nodes.Template = _Counting().visit(super()._parse(source, name, filename))
        except TemplateSyntaxError as error:
            error.filename = error.filename or filename
            raise
        return parsed

    def handle_exception(self, source: str | None = None) -> Any:
        """Raise the present exception: a mistake of syntax as an OrreryError."""
        try:
            super().handle_exception(source)
        except TemplateSyntaxError as error:
            where = f"{error.filename or error.name or 'template'}:{error.lineno}"
            raise OrreryError(where, str(error.message), "mend the template") from error

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Return whether a template may see an attribute."""
        if attr in TOO_LONG and isinstance(obj, str | int | bytes):
            return False
        return super().is_safe_attribute(obj, attr, value)

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        """Return a substitute for ``format`` of a text: its own would pad to any width."""
        safe = super().wrap_str_format(value)
        if safe is None:
            return None
        _check_format(value.__self__)
        return _bounded(safe)

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Return an attribute or element for a template.

        Most are elements of plain mappings, what the template itself has put into a namespace, or say how far
        a loop is; asking about these whether they are safe would take longer than all else.
        """
        if type(obj) is dict and attribute in obj and attribute not in _OF_MAPPINGS:
            return obj[attribute]
        if type(obj) is Namespace and attribute[0] != "_" and hasattr(obj, attribute):
            return getattr(obj, attribute)
        if type(obj) is LoopContext and attribute in _OF_LOOPS:
            return getattr(obj, attribute)
        return super().getattr(obj, attribute)

    def call(self, context: Context, called: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call something for a template, which counts as a step; a macro counts itself."""
        if type(called) is Macro:  # as Context.call does in the end
            kwargs.pop("_loop_vars", None)
            kwargs.pop("_block_vars", None)
            if not kwargs and _takes(called, args) and not context.eval_ctx.autoescape:
                return called._func(*args)
            return called(context.eval_ctx, *args, **kwargs)
        self._count_step()
        return super().call(context, called, *args, **kwargs)

    def _count_step(self) -> None:
        done = self.work.done
        done[_STEPS] += 1
        if done[_STEPS] > MAX_STEPS:
            raise _too_many_steps()

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Return what an operator gives, unless that were too much."""
        if operator == "%" and isinstance(left, str):
            return _format(left, *(right if isinstance(right, tuple) else (right,)))
        if operator == "*" and not (isinstance(left, int | float) and isinstance(right, int | float)):
            number = left if isinstance(left, int) else right
            text = right if isinstance(left, int) else left
            if isinstance(number, int) and hasattr(text, "__len__") and number * len(text) > MAX_ELEMENTS:
                raise TooMuch(f"a repetition is longer than {MAX_ELEMENTS}")
        if operator == "**" and isinstance(right, int | float) and abs(right) > MAX_EXPONENT:
            raise TooMuch(f"an exponent is above {MAX_EXPONENT}")
        if operator in ("*", "**") and _bits(left) + _bits(right) > MAX_BITS:
            raise TooMuch(f"a number has more than {MAX_BITS} bits")
        return _measure(super().call_binop(context, operator, left, right))

    def concat(self, pieces: Iterable[str]) -> str:
        """Join the pieces of an output, as Jinja does at the end of macros and templates; it is a step."""
        self._count_step()
        return _concat(pieces if type(pieces) is list or type(pieces) is tuple else list(pieces))

    @staticmethod
    def choose(turn: Any, count: int) -> int:
        """Return the number of the wording that a turn chooses, or a number that counts round."""
        if isinstance(turn, Turn):
            return turn.digit(count) if count > 1 else 0
        number: int = turn % count
        return number

    @staticmethod
    def joined(pieces: tuple[Any, ...]) -> str:
        """Join what ``~`` stands between."""
        try:
            return _concat(pieces)
        except TypeError:  # there are numbers among them, or what is not defined
            return _concat(list(map(str, pieces)))

    def gathered(self, made: Any) -> Any:
        """Return a list, tuple or mapping that a template wrote down, unless it holds too much."""
        length = 0
        for each in made.values() if type(made) is dict else made:
            if type(each) is str:
                length += len(each)
            elif type(each) in _CONTAINERS:
                return _measure(made)
        if length > MAX_CHARACTERS:
            raise _too_long()
        return made

    def _counted(self, iterable: Iterable[Any]) -> Iterable[Any]:
        """Return what a loop goes through, its steps counted."""
        if not hasattr(iterable, "__len__"):
            iterable = list(islice(iterable, MAX_STEPS + 1))
        done = self.work.done
        done[_STEPS] += len(iterable)  # type: ignore[arg-type]
        if done[_STEPS] > MAX_STEPS:
            raise _too_many_steps()
        return iterable


_CONTAINERS = frozenset({list, tuple, dict})
_OF_LOOPS = frozenset({"first", "last", "index", "index0", "length"})


def _concat(pieces: Sequence[str]) -> str:
    if len(pieces) > FEW and sum(map(len, pieces)) > MAX_CHARACTERS:
        raise _too_long()
    text = "".join(pieces)
    if len(text) > MAX_CHARACTERS:
        raise _too_long()
    return text


def _from_outside(template: Template, macro: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function as Python calls it: it counts anew, and its mistakes are OrreryErrors."""
    work: _Work = template.environment.work  # type: ignore[attr-defined]

    def call(*args: Any, **kwargs: Any) -> Any:
        done = work.done
        if done[_INSIDE]:  # what is called there goes on with what was done, and with its mistakes
            return function(*args, **kwargs)
        done[_INSIDE], done[_STEPS] = 1, 0
        try:
            return function(*args, **kwargs)
        except MISTAKES as error:
            raise mistake(error, template, macro) from error
        finally:
            done[_INSIDE] = 0

    return call


def _takes(macro: Macro, arguments: tuple[Any, ...]) -> bool:
    """Return whether the function of a macro takes these arguments, as they are."""
    return len(arguments) == macro._argument_count and not (
        macro.caller or macro.catch_kwargs or macro.catch_varargs
    )


def mistake(error: BaseException, template: Template, macro: str = "") -> OrreryError:
    """Return what went wrong inside a template, with the line of the innermost template."""
    where, line, trace = str(template.filename or template.name), 0, error.__traceback__
    while trace is not None:
        names = trace.tb_frame.f_globals
        if (inner := names.get("__jinja_template__")) is not None:
            where, line = inner.filename or where, inner.get_corresponding_lineno(trace.tb_lineno)
        elif "__jinja_exception__" in names:  # Jinja has put the template's own lines into the trace
            where, line = trace.tb_frame.f_code.co_filename, trace.tb_lineno
        trace = trace.tb_next
    match error:
        case RecursionError():
            problem = "macros call each other without end"
        case MemoryError():
            problem = "takes too much memory"
        case TemplateNotFound():
            problem = f"there is no template '{error.name}'"
        case _:
            problem = str(error)
    return OrreryError(f"{where}:{line}" if line else where, f"{macro}{problem}", "mend the template")


def _too_many_steps() -> TooMuch:
    return TooMuch(f"loops and calls take more than {MAX_STEPS} steps")


def _too_long() -> TooMuch:
    return TooMuch(f"a text is longer than {MAX_CHARACTERS} characters")


def _measure(value: Any) -> Any:
    """Return a value, unless it is a text that is too long or a container of too much."""
    if isinstance(value, str) and len(value) > MAX_CHARACTERS:
        raise _too_long()
    if type(value) in _CONTAINERS:
        _measure_all(value)
    return value


def _measure_all(container: Any) -> None:
    """Raise TooMuch where a container, with the containers in it, holds too many elements or characters."""
    todo, elements, length = [container], 0, 0
    while todo:
        one = todo.pop()
        elements += len(one)
        if elements > MAX_ELEMENTS:
            raise TooMuch(f"a list has more than {MAX_ELEMENTS} elements, with all that is in it")
        for each in one.values() if type(one) is dict else one:
            if type(each) is str:
                length += len(each)
            elif type(each) in _CONTAINERS:
                todo.append(each)
        if length > MAX_CHARACTERS:
            raise _too_long()


def _bits(value: Any) -> int:
    return value.bit_length() if isinstance(value, int) else 0


def _bounded(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a filter whose result is measured."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return _measure(function(*args, **kwargs))

    for name in ("jinja_pass_arg",):
        if hasattr(function, name):
            setattr(call, name, getattr(function, name))
    return call


def _join(value: Iterable[Any], d: str = "") -> str:
    """Join the elements as texts, ``d`` between them."""
    parts = [str(each) for each in value]
    if sum(map(len, parts)) + len(str(d)) * len(parts) > MAX_CHARACTERS:
        raise _too_long()
    return str(d).join(parts)


def _replace(text: object, old: str, new: str) -> str:
    """Return the text with ``new`` in every place of ``old``."""
    said = str(text)
    if len(said) + said.count(old) * len(new) > MAX_CHARACTERS:
        raise _too_long()
    return said.replace(old, new)


def _format(text: object, *values: Any, **named: Any) -> str:
    """Return the text with the values in the places of ``%s`` and others."""
    if _PERCENT.search(str(text)):
        raise TooMuch(f"a format has a width above {MAX_WIDTH}")
    return str(_measure(str(text) % (named or values)))


@lru_cache(maxsize=1000)
def _check_format(text: str) -> None:
    """Raise TooMuch where a format with braces has a width that is large, or not known."""
    if any(spec and _DIGITS.search(spec) for _, _, spec, _ in Formatter().parse(text)):
        raise TooMuch(f"a format has a width above {MAX_WIDTH}")
