"""A program, not a module to import: a worker that stays, and answers each request in a process of its own.

``serving.py WORKER ARGUMENT...`` loads the file WORKER and calls its ``prepared`` with the arguments, which
loads whatever takes long and returns what answers a request. Then it reads requests, a JSON object a line,
and forks for each: every request has its own limits (limit: seconds of processor time; megabytes) and its own
folder, and leaves nothing behind. For each it writes a line: the exit code of its process, and the processor
seconds it took. Standard library only, for the Python that runs it may be one without our packages.
"""

from __future__ import annotations

import gc
import json
import math
import os
import sys
import tempfile
import traceback
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

Answer = Callable[[dict[str, Any]], None]


def _prepared(worker: str, arguments: list[str]) -> Answer:
    """Return what answers requests, once all that it needs is loaded."""
    spec = spec_from_file_location("worker", worker)
    if spec is None or spec.loader is None:
        raise ImportError(worker)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    answer: Answer = module.prepared(*arguments)
    return answer


def _limit(request: dict[str, Any]) -> None:
    """Limit this process, which was forked for one request: its processor time counts from there.

    Raises:
        MemoryError: what is loaded takes more than the limit already, which libraries answer in odd ways.
    """
    memory, seconds = request["megabytes"] * 2**20, math.ceil(request["limit"])
    size = Path("/proc/self/statm")
    if size.exists() and int(size.read_text().split()[0]) * resource.getpagesize() > memory:
        raise MemoryError
    for kind, soft, hard in (
        (resource.RLIMIT_AS, memory, memory),
        (resource.RLIMIT_CPU, seconds, seconds + 1),
    ):
        # Where the limits that we were born with are lower, those stay.
        born = [math.inf if each == resource.RLIM_INFINITY else each for each in resource.getrlimit(kind)]
        resource.setrlimit(kind, (int(min(soft, *born)), int(min(hard, born[1]))))


def _serve_one(answer: Answer, request: dict[str, Any]) -> int:
    """Answer one request in a folder of its own, where the answer is left; return the exit code."""
    os.chdir(request["folder"])
    os.environ["TMPDIR"] = tempfile.tempdir = request["folder"]
    for stream, name in ((sys.stdin, os.devnull), (sys.stdout, "output"), (sys.stderr, "errors")):
        # Whatever libraries print is no reply, and whatever they start must not read our requests.
        handle = os.open(name, os.O_RDONLY if stream is sys.stdin else os.O_WRONLY | os.O_CREAT)
        os.dup2(handle, stream.fileno())
    try:
        _limit(request)
        answer(request)
        return 0
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


def main() -> None:
    """Answer requests, one after the other, in a process each."""
    answer = _prepared(sys.argv[1], sys.argv[2:])
    gc.collect()
    gc.freeze()  # what is loaded stays shared with the processes forked: their collections would copy it
    for line in sys.stdin:
        request = json.loads(line)
        if (child := os.fork()) == 0:
            os._exit(_serve_one(answer, request))
        _, status, usage = os.wait4(child, 0)
        code, seconds = os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime
        print(json.dumps({"code": code, "seconds": seconds}), flush=True)


if __name__ == "__main__":
    main()
