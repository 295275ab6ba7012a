"""YAML as plain values, read within bounds.

Refuses what YAML allows and nobody means in a file of settings: keys given twice (one of the values would be
lost in silence), aliases that multiply without end, deep nesting, numbers and dates that there are not.
"""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from typing import Any, TypeAlias

import yaml
from yaml.composer import Composer
from yaml.constructor import ConstructorError

from orrery.model import OrreryError

MAX_BYTES = 2**20
MAX_DEPTH = 100
MAX_VALUES = 100_000  # those of aliases counted in each place
MAX_NUMBER = 2**63

Mark: TypeAlias = yaml.Mark | None


def read_yaml(path: Path, mend: str = "give valid YAML") -> Any:
    """Return the content of a YAML file; OrreryError, with the line where one is known, if it is faulty."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise OrreryError(str(path), f"cannot be read: {error.strerror}") from error
    if len(content) > MAX_BYTES:
        raise OrreryError(str(path), f"cannot be read: larger than {MAX_BYTES} bytes", mend)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        where = f"{path}:{content.count(bytes([10]), 0, error.start) + 1}"
        raise OrreryError(where, f"cannot be read: byte {error.start + 1} is not UTF-8", mend) from error
    return parse_yaml(text, str(path), mend)


def parse_yaml(text: str, where: str, mend: str = "give valid YAML") -> Any:
    """Return the content of a text in YAML; OrreryError, with the line where one is known, if it is faulty.

    Tags of one's own (``!function``) are read as the text that follows them.
    """
    try:
        return yaml.load(text, _Loader)  # a SafeLoader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = " ".join(filter(None, [error.context, error.problem]))
        last = text.rstrip().count("\n")  # after it nothing is wrong but that something lacks
        place = f"{where}:{min(mark.line, last) + 1}" if mark else where
        raise OrreryError(place, _said(problem), mend) from error
    except yaml.reader.ReaderError as error:
        # Its position counts bytes or characters, as the library is built.
        found = yaml.reader.Reader.NON_PRINTABLE.search(text)
        line = text.count("\n", 0, found.start() if found else error.position) + 1
        problem = f"the character {error.character!r} is not allowed"
        raise OrreryError(f"{where}:{line}", _said(problem), mend) from error
    except yaml.YAMLError as error:
        raise OrreryError(where, _said(" ".join(str(error).split())), mend) from error


def _said(problem: str) -> str:
    return f"cannot be read: {problem:.300}"


class _Loader(Composer, yaml.CSafeLoader):
    """Reads YAML within the bounds: events by libyaml, five times as fast as without, nodes as in Python."""

    def __init__(self, stream: str) -> None:
        yaml.CSafeLoader.__init__(self, stream)
        Composer.__init__(self)
        self._depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Compose what stands at a place, unless it lies too deep."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            mark: Any = getattr(self.peek_event(), "start_mark", None)
            raise ConstructorError(None, None, f"nested deeper than {MAX_DEPTH}", mark)
        try:
            return super().compose_node(parent, index)
        finally:
            self._depth -= 1

    def construct_document(self, node: yaml.Node) -> Any:
        """Construct the values, unless aliases make them too many."""
        todo, count = [node], 0
        while todo:
            each = todo.pop()
            count += 1
            if count > MAX_VALUES:
                problem = f"holds more than {MAX_VALUES} values, those of aliases counted in each place"
                raise ConstructorError(None, None, problem, node.start_mark)
            if isinstance(each, yaml.MappingNode):
                todo.extend(part for pair in each.value for part in pair)
            elif isinstance(each, yaml.SequenceNode):
                todo.extend(each.value)
        return super().construct_document(node)

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """Construct a value; a number or date that there is not is a fault of the file."""
        try:
            value = super().construct_object(node, deep)
        except (ValueError, OverflowError) as error:
            problem = f"'{node.value!s:.40}' is no value of its kind"
            raise ConstructorError(None, None, problem, node.start_mark) from error
        if isinstance(value, int) and abs(value) >= MAX_NUMBER:
            problem = f"the number '{node.value!s:.40}' is beyond 2^63"
            raise ConstructorError(None, None, problem, node.start_mark)
        return value

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """Construct a mapping; keys that come by a merge may be given anew."""
        seen = set[Hashable]()
        for key, _ in node.value:
            if key.tag != "tag:yaml.org,2002:merge" and isinstance(key, yaml.ScalarNode):
                if (name := self.construct_object(key)) in seen:
                    problem = f"the key '{key.value:.80}' is given twice"
                    raise ConstructorError(None, None, problem, key.start_mark)
                seen.add(name)
        return super().construct_mapping(node, deep)


_Loader.add_multi_constructor("!", lambda loader, suffix, node: str(node.value))
