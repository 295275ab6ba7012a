"""A generator imported from its file; what it raises is reported with file and line.

A generator is code, and trusted; but a slip in it (a loop without end, ``sys.exit``) must not be a riddle. So
each call has limits of processor time and memory, and ``os._exit`` inside one is an error like any other: it
would end the process without a word, with whatever exit code it was given. While calls run, and no longer,
something else stands for it.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import threading
from collections.abc import Callable, Iterable
from functools import lru_cache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from traceback import extract_tb
from types import CodeType, ModuleType
from typing import Any, NoReturn, TypeVar, cast

from orrery.model import OrreryError
from orrery.watch import OutOfTime, Watch, watch

SECONDS = 60.0  # of processor time
MEBIBYTES = 4096  # beyond what the process has

T = TypeVar("T")
R = TypeVar("R")


class _Left(BaseException):
    """Code of a generator called ``os._exit``."""


class _Inside(threading.local):
    """The process in which this thread is at work in a generator; 0 for none.

    A process that the generator forks is not inside: its ``os._exit`` is what ends a forked process.
    """

    process = 0


_inside = _Inside()


class _Exit:
    """Stands for ``os._exit`` while calls run, in whichever threads, and gives it back after the last.

    It ends the process, unless it is a generator that calls it. Whatever took hold of it meanwhile
    (``from os import _exit``) may go on to call it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls = 0
        self._leave: Callable[[int], NoReturn] = os._exit

    def __call__(self, status: int) -> NoReturn:
        if _inside.process == os.getpid():
            raise _Left(status)
        self._leave(status)

    def __enter__(self) -> None:
        with self._lock:
            if not self._calls:
                self._leave, os._exit = os._exit, self
            self._calls += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._calls -= 1
            if not self._calls:
                os._exit = cast(Any, self._leave)


@lru_cache(maxsize=8)
def _exit(process: int) -> _Exit:
    """Return what stands for ``os._exit`` in the process with this number: a fork may copy a held lock."""
    return _Exit()


class _Loader(SourceFileLoader):
    """Loads a module; code that a full disk cut off in ``__pycache__`` is compiled anew."""

    def get_code(self, fullname: str) -> CodeType | None:
        """Return the code. Python looks at the age of what is kept, and not at whether it is whole."""
        try:
            return super().get_code(fullname)
        except (EOFError, ValueError):
            return self.source_to_code(self.get_data(self.path), self.path)


def load(path: Path) -> ModuleType:
    """Import a generator by its path; whatever it raises is reported with file and line."""
    name = f"generators.{path.stem.replace('-', '_')}"
    spec = importlib.util.spec_from_file_location(name, path, loader=_Loader(name, str(path.absolute())))
    if spec is None or spec.loader is None or path.suffix != ".py":
        raise OrreryError(str(path), "is not a Python file")
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their module up by name.
    sys.modules[spec.name] = module
    try:
        _run(spec.loader.exec_module, (module,), path)
    except (KeyboardInterrupt, OrreryError):
        raise
    except BaseException as error:
        raise _mistake(path, "", error) from error
    return module


def call(path: Path, generator: Any, function: str, *arguments: Any) -> Any:
    """Call a ``function`` of the ``generator`` at ``path`` and return what it returns.

    Raises:
        OrreryError: the function's own, such as ParameterError; any other exception, SystemExit among them,
            and time or memory beyond the limits are reported with file and line.
    """
    try:
        return _run(getattr(generator, function), arguments, path, function)
    except (KeyboardInterrupt, OrreryError):
        raise
    except BaseException as error:
        raise _mistake(path, function, error) from error


def each(path: Path, items: Iterable[T], make: Callable[[T], R]) -> list[R]:
    """Return what ``make`` returns of each item; it calls functions of the generator at ``path`` directly.

    Each item has the time of a call, all of them together its memory. No process may be started meanwhile.

    Raises:
        OrreryError: as ``call`` does.
    """
    watch, found = _watch(), list[R]()

    def make_all() -> None:
        for item in items:
            watch.renew(path, item)
            found.append(make(item))

    try:
        _run(make_all, (), path)
    except (KeyboardInterrupt, OrreryError):
        raise
    except BaseException as error:
        function = _function(path, error)
        if not function and not isinstance(error, OutOfTime | MemoryError | _Left):
            raise  # none of the generator's
        raise _mistake(path, function or "build", error) from error
    return found


def _run(function: Callable[..., T], arguments: tuple[Any, ...], *what: object) -> T:
    """Call a function of a generator under the limits, as ``Watch.run`` does, and keep it from leaving."""
    outer, _inside.process = _inside.process, os.getpid()
    try:
        with _exit(os.getpid()):
            return cast(T, _watch().run(function, arguments, *what))
    finally:
        _inside.process = outer


def _watch() -> Watch:
    return watch(os.getpid(), SECONDS, MEBIBYTES)


def _mistake(path: Path, function: str, error: BaseException) -> OrreryError:
    """Return what is said of an exception inside a generator, in a ``function`` or when it is imported."""
    said, mend = f"'{function}'" if function else "cannot be imported: it", "mend the generator"
    match error:
        case OutOfTime():
            problem, mend = f"{said} takes more than {SECONDS:.0f} s of processor time", "does a loop end?"
        case MemoryError():
            problem = f"{said} takes more than {MEBIBYTES} MiB of memory"
        case _Left():
            problem = f"{said} calls os._exit({error})"
            mend = "raise ParameterError where nothing fits, or return"
        case SystemExit():
            problem = f"{said} calls sys.exit({'' if error.code is None else repr(error.code)})"
            mend = "raise ParameterError where nothing fits, or return"
        case _:
            raised = f"{said} raised" if function else "cannot be imported:"
            problem = f"{raised} {type(error).__name__}: {error}"
    return OrreryError(_place(path, error), problem, mend)


def _function(path: Path, error: BaseException) -> str:
    """Return the function of the generator that was called when ``error`` arose; empty where none was."""
    inside = [
        frame.name for frame in extract_tb(error.__traceback__) if frame.filename == str(path.absolute())
    ]
    return inside[0] if inside else ""


def _place(path: Path, error: BaseException) -> str:
    """Return the file, with the line where ``error`` arose as far as it is known."""
    absolute = str(path.absolute())  # as Python remembers the file, wherever the checkout was named from
    if isinstance(error, SyntaxError) and error.filename == absolute:
        return f"{path}:{error.lineno}"
    lines = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename == absolute]
    return f"{path}:{lines[-1]}" if lines else str(path)
