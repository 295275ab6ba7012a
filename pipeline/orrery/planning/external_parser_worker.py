"""A program, not a module to import: it runs a PDDL reader on texts one by one, each with a time limit.

Input is a JSON object on standard input: path (folders to import from), parser (a name of PARSERS), texts,
seconds (for each text). Output is a JSON list for each text as soon as it is read: whether
it was accepted (null if the limit ended the reading), and the message. Standard library only, except for the
reader.

Texts are domains, or for "plans" JSON lists of domain, problem and plan, which unified-planning validates.
For "fast-downward" they are JSON lists of domain and problem, and the task is written to a file.
This is our only file that loads Fast Downward's translator and the engines of unified-planning, and with
them that of up-fast-downward (all GPL), which therefore run in a separate process.
"""

from __future__ import annotations

import io
import json
import os
import runpy
import signal
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from traceback import format_exception_only
from types import ModuleType
from typing import Any

NO_MEMORY = "the memory limit was reached"
SAS = "output.sas"  # the task that the translator writes
_TRANSLATOR = "fast_downward.translate"
_CHATTER = ("Parsing...", "\t->")


def _pddl() -> Callable[[str], Any]:
    from orrery.pddl.interchange import PackageReader

    return PackageReader().domain


def replace_configspace() -> None:
    """Replace a dependency of unified-planning by an empty module.

    A class of it is used only in an annotation, and its own dependency scipy takes seconds to load.
    """
    configspace = ModuleType("ConfigSpace")
    configspace.ConfigurationSpace = object  # type: ignore[attr-defined]
    sys.modules["ConfigSpace"] = configspace


def _prepare_unified_planning() -> None:
    """Load unified-planning."""
    replace_configspace()
    from pyparsing import ParserElement
    from unified_planning import io  # noqa: F401

    # Its grammar of another language makes all parsers cache attempts, which is slower.
    ParserElement.disable_memoization()


def _unified_planning() -> Callable[[str], Any]:
    _prepare_unified_planning()
    from unified_planning import environment

    from orrery.pddl.interchange import read_with_unified_planning

    def read(text: str) -> None:
        environment.GLOBAL_ENVIRONMENT = None  # so that domains are independent
        read_with_unified_planning(text)

    return read


def _plans() -> Callable[[str], Any]:
    _prepare_unified_planning()
    from unified_planning.engines import SequentialPlanValidator
    from unified_planning.environment import get_environment
    from unified_planning.io import PDDLReader

    environment = get_environment()
    environment.credits_stream = None
    # PDDL allows an action and a predicate with the same name; unified-planning refuses it by default.
    environment.error_used_name = False
    reader = PDDLReader(environment)  # builds its grammar, which takes as long as to read a plan

    @lru_cache(maxsize=1)  # plans for one problem follow each other
    def parsed_problem(domain: str, problem: str) -> Any:
        parsed = reader.parse_problem_string(domain, problem)
        _drop_costs(parsed)
        return parsed

    def read(text: str) -> None:
        domain, problem, plan = json.loads(text)
        parsed = parsed_problem(domain, problem)
        steps = reader.parse_plan_string(parsed, plan)
        status = SequentialPlanValidator().validate(parsed, steps).status.name
        if status != "VALID":
            raise _Refused(status)

    return read


def _drop_costs(problem: Any) -> None:
    """Remove the metric and the action costs, which do not affect whether a plan is valid.

    The validator refuses some metrics, and it rejects the plan if an action has several costs.
    """
    problem.clear_quality_metrics()
    for action in problem.actions:
        effects = list(action.effects)
        action.clear_effects()
        for effect in effects:
            if not (effect.is_increase() and effect.fluent.fluent().name == "total-cost"):
                action.add_effect(effect.fluent, effect.value, effect.condition, effect.forall)


def _tarski() -> Callable[[str], Any]:
    # Not one of our dependencies. It is installed for the Python given by a variable, or missing.
    reader = import_module("tarski.io").PDDLReader
    return lambda text: reader(raise_on_error=True).parse_domain_string(text)


def _fast_downward() -> Callable[[str], Any]:
    program = runpy.run_module(f"{_TRANSLATOR}.main", run_name=f"{_TRANSLATOR}.main", alter_sys=True)
    sys.modules[f"{_TRANSLATOR}.options"].set_options(["domain.pddl", "problem.pddl", "--sas-file", SAS])
    parse_error = program["pddl_parser"].ParseError
    warnings = sys.modules[f"{_TRANSLATOR}.pddl_parser.warning"].printed_warnings

    def read(texts: str) -> None:
        warnings.clear()  # each is printed only once
        for name, text in zip(("domain", "problem"), json.loads(texts), strict=True):
            Path(f"{name}.pddl").write_text(text, encoding="utf-8", errors="replace")
        with redirect_stdout(io.StringIO()) as output:
            try:
                program["main"]()
            except MemoryError:
                raise
            except (Exception, SystemExit) as error:  # each is a refusal
                message = str(error) if isinstance(error, parse_error) else format_exception_only(error)[-1]
                lines = [*output.getvalue().splitlines(), *message.strip().splitlines()]
                reasons = [line for line in lines if line.strip() and not line.startswith(_CHATTER)]
                raise _Refused("; ".join(reasons)) from error

    return read


# Functions that create readers. A reader of tarski can read only one text; the others can read several.
PARSERS = {
    "pddl": _pddl,
    "unified-planning": _unified_planning,
    "fast-downward": _fast_downward,
    "tarski": _tarski,
    "plans": _plans,
}


class _Refused(Exception):
    """A refusal whose message comes from the reader's output."""


class _TooSlow(BaseException):
    """The time limit of one text. It is not an ``Exception``, so that readers do not catch it."""


def _stop(_signal: int, _frame: object) -> None:
    raise _TooSlow


def _read(read: Callable[[str], Any], text: str, seconds: float) -> tuple[bool | None, str]:
    """Return the verdict of one parser on one text."""
    if hasattr(signal, "SIGPROF"):  # processor time, so that a verdict does not depend on the load
        signal.signal(signal.SIGPROF, _stop)
        signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        read(text)
    except _TooSlow:
        return None, f"stopped after {seconds:g} s"
    except MemoryError:
        return None, NO_MEMORY
    except _Refused as refusal:
        return False, str(refusal)
    except Exception as error:  # readers raise exceptions of a dozen unrelated classes; each is a verdict
        return False, f"{type(error).__name__}: {error}"
    finally:
        if hasattr(signal, "SIGPROF"):
            signal.setitimer(signal.ITIMER_PROF, 0)
    return True, ""


def main() -> None:
    """Read the texts of one request, one after the other."""
    request = json.load(sys.stdin)
    sys.path[:0] = request["path"]
    answer_to = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # other output of libraries does not go to stdout
    read = PARSERS[request["parser"]]()
    for text in request["texts"]:
        print(json.dumps(_read(read, text, request["seconds"])), file=answer_to, flush=True)


if __name__ == "__main__":
    main()
