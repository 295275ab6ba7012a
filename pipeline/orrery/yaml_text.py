"""Read YAML files as plain values, with a line in each error; edit them with comments and order preserved."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import yaml
from yaml.constructor import ConstructorError

from orrery.model import OrreryError

WIDEST_LINE = 1_000_000  # maximum line length; edits break no line


def read_yaml(path: Path, mend: str = "give valid YAML") -> Any:
    """Return the content of a YAML file. Raise an OrreryError, with the line if known, if it is invalid."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise OrreryError(str(path), f"cannot be read: {error.strerror}") from error
    return parse_yaml(content, str(path), mend)


class RepeatedKey(NamedTuple):
    """A key that a mapping has twice: its line, and whether both values are equal."""

    key: str
    line: int
    is_equal: bool


Repeated: TypeAlias = Callable[[RepeatedKey], None]


def parse_yaml(
    content: bytes, origin: str, mend: str = "give valid YAML", repeated: Repeated | None = None
) -> Any:
    """Return the content of YAML in UTF-8. Raise an OrreryError, with the line if known, if it is invalid.

    Application tags (``!function``) are ignored, and the text after them is read. A key that a mapping has
    twice is an error, because one value would be lost. For files by others, ``repeated`` is called instead,
    and the last value is read.
    """
    try:
        loader = _StrictLoader(content)  # a SafeLoader
        loader.repeated = repeated
        return loader.get_single_data()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = " ".join(filter(None, [error.context, error.problem]))
        last = content.rstrip().count(b"\n")  # an unfinished value is reported at the end of the text
        place = f"{origin}:{min(mark.line, last) + 1}" if mark else origin
        raise OrreryError(place, f"cannot be read: {problem:.300}", mend) from error
    except yaml.reader.ReaderError as error:
        line = content.count(b"\n", 0, error.position) + 1
        problem = f"byte {error.position + 1} is not a character that YAML allows"
        raise OrreryError(f"{origin}:{line}", f"cannot be read: {problem}", mend) from error


def yaml_of(content: Mapping[str, Any]) -> str:
    """Return plain values as YAML, in their order."""
    text: str = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=WIDEST_LINE)
    return text


def edited(path: Path, change: Callable[[Any], None]) -> str:
    """Return the text of a YAML file after a change of its content; comments and order are preserved."""
    from ruamel.yaml import YAML

    editor = YAML()
    editor.preserve_quotes, editor.width = True, WIDEST_LINE
    editor.indent(mapping=2, sequence=4, offset=2)
    content = editor.load(path.read_text(encoding="utf-8"))
    change(content)
    text = StringIO()
    editor.dump(content, text)
    return text.getvalue()


class _StrictLoader(yaml.CSafeLoader):
    """Reads plain values. Keys that a mapping has twice are refused, or reported to ``repeated``."""

    repeated: Repeated | None = None

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """Construct a value; an invalid number or date is reported with its line."""
        try:
            return super().construct_object(node, deep)
        except ValueError as error:
            problem = f"'{node.value!s:.40}' is not a valid {node.tag.rpartition(':')[2]}"
            raise ConstructorError(None, None, problem, node.start_mark) from error

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """Construct a mapping with unique keys; keys of a merge may be overridden."""
        values: dict[Hashable, yaml.Node] = {}
        for key, value in node.value:
            if key.tag != "tag:yaml.org,2002:merge" and isinstance(key, yaml.ScalarNode):
                if (name := self.construct_object(key)) in values:
                    self._repeat(key, values[name], value)
                values[name] = value
        return super().construct_mapping(node, deep)

    def _repeat(self, key: yaml.ScalarNode, *values: yaml.Node) -> None:
        if self.repeated is None:
            problem = f"the key '{key.value:.80}' is given twice"
            raise ConstructorError(None, None, problem, key.start_mark)
        first, last = (self.construct_object(value, deep=True) for value in values)
        self.repeated(RepeatedKey(key.value, key.start_mark.line + 1, first == last))


# YAML 1.1 also reads 1:30 as 90 and 010 as 8. Here, such values are text.
_NUMBERS = {
    "tag:yaml.org,2002:int": r"[-+]?(?:0|[1-9][0-9_]*)",
    "tag:yaml.org,2002:float": r"[-+]?(?:[0-9][0-9_]*\.[0-9_]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
    r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
}
_StrictLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag not in _NUMBERS]
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}
for _tag, _pattern in _NUMBERS.items():
    _StrictLoader.add_implicit_resolver(_tag, re.compile(rf"(?:{_pattern})$"), list("-+.0123456789"))
_StrictLoader.add_multi_constructor("!", lambda loader, suffix, node: str(node.value))
