"""Templates as they were compiled, kept on disk beside this file (``__pycache__``), as Python keeps modules.

Compiling the words of one domain takes a tenth of a second, and every process of every stage says them. A
file is used for the template that it was made from alone, and for the same sandbox, options, Jinja and
Python; each new version of a template takes the place of the one before.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any

import jinja2
from jinja2.bccache import Bucket, BytecodeCache

KEPT = Path(__file__).with_name("__pycache__") / "templates"
COMPILERS = ("compiled_templates.py", "sandbox.py")  # what makes code of a template, beside Jinja
DIGEST = 32  # bytes of each of the two hashes with which a file begins


class CompiledTemplates(BytecodeCache):
    """Keeps the code of the templates of an environment with these ``options``; picks no other's.

    A folder that cannot be written to, or a file that is damaged, costs time and nothing else.
    """

    def __init__(self, options: Mapping[str, Any], folder: Path = KEPT) -> None:
        """Keep files under ``folder``."""
        plain = sorted((name, repr(value)) for name, value in options.items() if _is_plain(value))
        self._made_by = repr((*_versions(), plain)).encode()
        self._folder = folder / hashlib.sha256(repr(plain).encode()).hexdigest()[:8]

    def get_bucket(
        self, environment: jinja2.Environment, name: str, filename: str | None, source: str
    ) -> Bucket:
        """Return the place of the code of a template, with the code where it is there."""
        made_from = hashlib.sha256(self._made_by + f"{name}\n{source}".encode()).hexdigest()
        bucket = Bucket(environment, name.replace("/", "-"), made_from)
        self.load_bytecode(bucket)
        if bucket.code is not None and filename:
            bucket.code = _at(bucket.code, filename)
        return bucket

    def load_bytecode(self, bucket: Bucket) -> None:
        """Read the code, if it is there and was made from the same."""
        with suppress(OSError):
            content = (self._folder / bucket.key).read_bytes()
            body = content[2 * DIGEST :]
            if content[: 2 * DIGEST] == bytes.fromhex(bucket.checksum) + hashlib.sha256(body).digest():
                bucket.code = marshal.loads(body)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the code, whole or not at all."""
        body = marshal.dumps(bucket.code)
        temporary = self._folder / f".{bucket.key}-{os.getpid()}"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(bytes.fromhex(bucket.checksum) + hashlib.sha256(body).digest() + body)
            temporary.replace(self._folder / bucket.key)
        except OSError:  # a folder of the system, say, or a full disk
            with suppress(OSError):
                temporary.unlink()


@cache
def _versions() -> tuple[str, ...]:
    """Return what tells one compiler of templates from another."""
    own = (hashlib.sha256(Path(__file__).with_name(name).read_bytes()).hexdigest() for name in COMPILERS)
    return (jinja2.__version__, sys.version, *own)


def _is_plain(value: object) -> bool:
    return isinstance(value, bool | int | str)


def _at(code: CodeType, filename: str) -> CodeType:
    """Return the code as that of another file: the same template may lie in several folders."""
    if code.co_filename == filename:
        return code
    inner = (_at(each, filename) if isinstance(each, CodeType) else each for each in code.co_consts)
    return code.replace(co_filename=filename, co_consts=tuple(inner))
