"""Asks a model through Inspect, keeps every reply as it comes, and stops where asking on makes no sense."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from anyio import CancelScope
from inspect_ai import eval as inspect_eval
from inspect_ai._util.error import PrerequisiteError  # what Inspect raises where a key is missing
from inspect_ai.model import ChatMessageAssistant, Model, ModelOutput, get_model
from inspect_ai.solver import Generate, TaskState
from rich.text import Text

from orrery.evaluation.asked import AskedTable
from orrery.evaluation.asker import LOGS, Asker, Outcome, without_secrets
from orrery.evaluation.kept_replies import KeptReplies, KeptReply, digest_of
from orrery.evaluation.tasks import NO_TOOLS, as_plain, inspect_task
from orrery.model import OrreryError, UsageError
from orrery.progress import progress

REFUSED = (401, 404)  # the key or the model is wrong: so it is for every row
MOST_IN_A_ROW = 20  # rows that fail one after the other, each after its retries
LONGEST_REASON = 300
NO_REPLY = "the server sent no reply"
UNREADABLE = "the server's answer is not as its protocol has it"
_MISREAD = (TypeError, AttributeError, LookupError, ValueError)  # what clients raise at such an answer
INTERRUPTED = "stopped; the same command goes on from here"
MOST_TASKS = 4  # at a time: the last rows of a table do not hold up those of the next
# The logs of Inspect hold its metrics, not each sample: those are in our table, and what servers say in their
# errors, where they may repeat a key, is nowhere kept as it is.
_QUIET: Mapping[str, Any] = MappingProxyType(
    {
        "display": "none",
        "log_level": "critical",
        "log_samples": False,
        "log_realtime": False,
        "log_model_api": False,
        "log_header_only": True,
        "score_display": False,
        "ctl_server": False,
        "fail_on_error": False,
    }
)


def ask_all(asker: Asker, tables: Sequence[AskedTable], replies: KeptReplies, folder: Path) -> Outcome:
    """Ask a model all that is in ``tables``, and keep its replies; return what became of the rest.

    Args:
        asker: how it is asked.
        tables: the tables with the rows to ask.
        replies: the replies that were got before, none of which is asked for again.
        folder: the folder of the run, for the logs of Inspect.

    Raises:
        UsageError: Inspect knows no such model, or lacks what the provider needs, such as a key.
    """
    model = model_of(asker)
    total = sum(len(table.items) for table in tables)
    with progress("eval", total) as bar:
        collector = _ReplyCollector(replies, bar.update)
        tasks = [
            inspect_task(table, partial(collector.reply, table.name), collector.done) for table in tables
        ]
        logs = inspect_eval(
            tasks,
            model=model,
            max_connections=asker.max_connections,
            max_samples=asker.max_connections,
            max_tasks=MOST_TASKS,
            max_retries=asker.max_retries,
            attempt_timeout=asker.timeout,
            max_tokens=asker.max_tokens,
            temperature=asker.temperature,
            log_dir=str(folder / LOGS),
            **_QUIET,
        )
    broken = [log for log in logs if log.status == "error" and log.error]
    if broken and broken[0].error:
        raise OrreryError("Inspect", without_secrets(broken[0].error.message), "report it")
    ended = len(logs) == len(tasks) and all(log.status == "success" for log in logs)
    return Outcome(collector.failures, collector.stopped or ("" if ended else INTERRUPTED), collector.refused)


def model_of(asker: Asker) -> Model:
    """Return the model as Inspect has it.

    Raises:
        UsageError: Inspect knows no such provider, or lacks what it needs: a key, a package.
    """
    try:
        return get_model(asker.model, base_url=asker.base_url, memoize=False)
    except PrerequisiteError as error:
        lines = Text.from_markup(str(error.message)).plain.removeprefix("ERROR: ").split("\n")
        message = "; ".join(" ".join(line.split()) for line in lines if line.strip())
        mend = "set it; a server that needs no key takes any" if "_KEY" in message else ""
        mend = "name the server with --base-url" if "_BASE_URL" in message else mend
        raise UsageError(f"model '{asker.model}'", without_secrets(message), mend) from error
    except (ValueError, ImportError) as error:
        message = without_secrets(str(error).strip())
        mend = "name it as PROVIDER/NAME; for a server of your own: openai-api/SERVICE/NAME and --base-url"
        raise UsageError(f"model '{asker.model}'", message, mend) from error


class _ReplyCollector:
    """Gets replies for the solvers of all tables: kept ones, or those of the model."""

    def __init__(self, replies: KeptReplies, done: Callable[[], object]) -> None:
        self.failures: dict[tuple[str, str], str] = {}
        self.stopped, self.refused = "", False
        self.done = done
        self._kept = replies
        self._in_a_row = 0
        self._running: set[CancelScope] = set()

    async def reply(self, table: str, state: TaskState, generate: Generate, turn: int) -> str | None:
        """Return the reply to the messages of a state, which it is added to; None where there is none."""
        row_id, messages = str(state.sample_id), as_plain(state.messages)
        if stored := self._kept.find(table, row_id, turn, messages):
            state.messages.append(ChatMessageAssistant(content=stored.text))
            state.output = ModelOutput.from_content(str(state.model), stored.text)
            return stored.text
        output = await self._generated((table, row_id), state, generate)
        if output is None:
            return None
        usage, ended = output.usage, output.stop_reason
        reply = KeptReply(
            table=table,
            id=row_id,
            turn=turn,
            asked=digest_of(messages),
            text=output.completion,
            end=str(ended),
            input_tokens=usage.input_tokens if usage else None,
            output_tokens=usage.output_tokens if usage else None,
            seconds=output.time,
        )
        self._kept.add(reply)
        self._in_a_row = 0
        return reply.text

    async def _generated(
        self, row: tuple[str, str], state: TaskState, generate: Generate
    ) -> ModelOutput | None:
        """Return what the model said; None where it failed, or where nobody is asked any more."""
        if self.stopped:
            return None
        with CancelScope() as scope:
            self._running.add(scope)
            try:
                output = (await generate(state, tool_calls=NO_TOOLS)).output
            except Exception as error:  # whatever a provider raises: the row has no reply, the others go on
                self._failed(row, error)
                return None
            finally:
                self._running.discard(scope)
            if output.empty:
                self._failed(row, None)
                return None
            return output
        return None  # called off

    def _failed(self, row: tuple[str, str], error: BaseException | None) -> None:
        """Note why a row got no reply, and stop where no other would get one."""
        error = _cause(error)
        reason = reason_of(error) if error else NO_REPLY
        self.failures[row] = reason
        self._in_a_row += 1
        if _status(error) in REFUSED:
            self.refused = True
            self._stop(reason)
        elif self._in_a_row >= MOST_IN_A_ROW:
            self._stop(f"{MOST_IN_A_ROW} rows in a row got no reply, the last one: {reason}")

    def _stop(self, reason: str) -> None:
        """Ask nobody any more, and call off the requests that are under way."""
        self.stopped = self.stopped or reason
        for scope in self._running:
            scope.cancel()


def reason_of(error: BaseException) -> str:
    """Return why a request failed, in one short line without secrets."""
    message = str(getattr(error, "provider_message", None) or error).strip() or "no reason given"
    line = " ".join(without_secrets(message).split())
    kind = _status(error) or type(error).__name__
    reason = line if line.startswith(str(kind)) else f"{kind}: {line}"
    reason = f"{UNREADABLE} ({reason})" if isinstance(error, _MISREAD) and not _status(error) else reason
    return reason if len(reason) <= LONGEST_REASON else reason[: LONGEST_REASON - 1] + "…"


def _cause(error: BaseException | None) -> BaseException | None:
    """Return the error behind one that says no more than that retries are used up (tenacity's RetryError)."""
    while (attempt := getattr(error, "last_attempt", None)) is not None:
        error = attempt.exception()
    return error


def _status(error: BaseException | None) -> int | None:
    """Return the status with which a server refused a request, whatever the provider."""
    status = getattr(error, "status_code", None) or getattr(error, "code", None)
    return status if isinstance(status, int) else None
