"""A generator imported from its file; what it raises is reported with file and line."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import Any

from orrery.model import OrreryError


def load(path: Path) -> ModuleType:
    """Import a generator by its path; whatever it raises is reported with file and line."""
    spec = importlib.util.spec_from_file_location(f"generators.{path.stem.replace('-', '_')}", path)
    if spec is None or spec.loader is None:
        raise OrreryError(str(path), "is not a Python file")
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their module up by name.
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        problem = f"cannot be imported: {type(error).__name__}: {error}"
        raise OrreryError(_place(path, error), problem, "mend the generator") from error
    return module


def call(path: Path, generator: Any, function: str, *arguments: Any) -> Any:
    """Call a ``function`` of the ``generator`` at ``path`` and return what it returns.

    Raises:
        OrreryError: the function's own, such as ParameterError; any other exception is reported
            with file and line.
    """
    try:
        return getattr(generator, function)(*arguments)
    except OrreryError:
        raise
    except Exception as error:
        problem = f"'{function}' raised {type(error).__name__}: {error}"
        raise OrreryError(_place(path, error), problem, "mend the generator") from error


def _place(path: Path, error: Exception) -> str:
    """Return the file, with the line where ``error`` arose as far as it is known."""
    absolute = str(path.absolute())  # as Python remembers the file, wherever the checkout was named from
    if isinstance(error, SyntaxError) and error.filename == absolute:
        return f"{path}:{error.lineno}"
    lines = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename == absolute]
    return f"{path}:{lines[-1]}" if lines else str(path)
