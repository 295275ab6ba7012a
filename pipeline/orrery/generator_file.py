"""Import generators from their files. An exception in a generator is reported with its file and line."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from traceback import extract_tb
from types import ModuleType, UnionType
from typing import Any

from orrery.model import OrreryError


def load(path: Path) -> ModuleType:
    """Import a generator by its path. Raise an OrreryError with file and line if the import fails."""
    name = f"generators.{path.stem.replace('-', '_')}"
    spec = importlib.util.spec_from_file_location(name, path.absolute())
    if spec is None or spec.loader is None or path.suffix != ".py":
        raise OrreryError(str(path), "is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses need the module in sys.modules
    try:
        spec.loader.exec_module(module)
    except OrreryError:
        raise
    except (Exception, SystemExit) as error:
        raise _named(path, "cannot be imported", error) from error
    return module


def call(
    path: Path, generator: Any, function: str, *arguments: Any, returns: type | UnionType | None = None
) -> Any:
    """Call a ``function`` of the ``generator`` at ``path`` and return its result.

    Raises:
        OrreryError: the function raised an OrreryError (passed on), or another exception, SystemExit included
            (reported with file and line), or its result is not an instance of ``returns``.
    """
    try:
        result = getattr(generator, function)(*arguments)
    except OrreryError:
        raise
    except (Exception, SystemExit) as error:
        raise _named(path, f"'{function}' failed", error) from error
    if returns is not None and not isinstance(result, returns):
        expected = getattr(returns, "__name__", str(returns))
        raise OrreryError(str(path), f"'{function}' returned {result!r:.80}", f"return {expected}")
    return result


def _named(path: Path, problem: str, error: BaseException) -> OrreryError:
    """Return the OrreryError that reports an exception inside a generator with its place."""
    mend = "correct the generator"
    if isinstance(error, SystemExit):
        mend = "raise ParameterError if no parameters fit, or return"
    return OrreryError(_place(path, error), f"{problem}: {type(error).__name__}: {error}", mend)


def _place(path: Path, error: BaseException) -> str:
    """Return the file, with the line of ``error`` if that line is in the file."""
    absolute = str(path.absolute())
    if isinstance(error, SyntaxError) and error.filename == absolute:
        return f"{path}:{error.lineno}"
    lines = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename == absolute]
    return f"{path}:{lines[-1]}" if lines else str(path)
