"""Send requests to a model through Inspect, store every reply at once, and stop after fatal errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from anyio import CancelScope
from inspect_ai import eval as inspect_eval
from inspect_ai._util.error import PrerequisiteError  # the exception of Inspect for a missing key
from inspect_ai.model import ChatMessageAssistant, Model, ModelOutput, get_model
from inspect_ai.solver import Generate, TaskState
from rich.text import Text

from orrery.evaluation.asked import AskedTable
from orrery.evaluation.asker import LOGS, Asker, Outcome, without_secrets
from orrery.evaluation.kept_replies import KeptReplies, KeptReply, digest_of
from orrery.evaluation.tasks import NO_TOOLS, as_plain, inspect_task
from orrery.model import OrreryError, UsageError
from orrery.progress import progress

REFUSED = (401, 404)  # the key or the model is wrong, which affects every row
MOST_IN_A_ROW = 20  # maximum number of consecutive failed rows, each after its retries
LONGEST_REASON = 300
NO_REPLY = "the server sent no reply"
UNREADABLE = "the server's answer is not as its protocol has it"
_MISREAD = (TypeError, AttributeError, LookupError, ValueError)  # exceptions of clients for such answers
INTERRUPTED = "stopped; repeat the command to continue"
MOST_TASKS = 4  # concurrent tables, so that the last rows of a table do not delay the next table
# The logs of Inspect contain its metrics but no samples. Samples are in our table. Error texts of servers may
# contain a key, so they are never stored unchanged.
_QUIET: Mapping[str, Any] = {
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


def ask_all(asker: Asker, tables: Sequence[AskedTable], replies: KeptReplies, folder: Path) -> Outcome:
    """Send the requests of all ``tables`` to a model, store its replies, and return the outcome.

    Args:
        asker: the settings of requests.
        tables: the tables with the rows to send.
        replies: the stored replies; their requests are not repeated.
        folder: the folder of the run, for the logs of Inspect.

    Raises:
        UsageError: Inspect does not know the model, or a requirement of the provider is missing, for example
        a key.
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
    """Return the model object of Inspect.

    Raises:
        UsageError: Inspect does not know the provider, or a requirement is missing: a key, a package.
    """
    try:
        return get_model(asker.model, base_url=asker.base_url, memoize=False)
    except PrerequisiteError as error:
        lines = Text.from_markup(str(error.message)).plain.removeprefix("ERROR: ").split("\n")
        message = "; ".join(" ".join(line.split()) for line in lines if line.strip())
        mend = "set it; any value works for a server without keys" if "_KEY" in message else ""
        mend = "name the server with --base-url" if "_BASE_URL" in message else mend
        raise UsageError(f"model '{asker.model}'", without_secrets(message), mend) from error
    except (ValueError, ImportError) as error:
        message = without_secrets(str(error).strip())
        mend = "name it as PROVIDER/NAME; for a server of your own: openai-api/SERVICE/NAME and --base-url"
        raise UsageError(f"model '{asker.model}'", message, mend) from error


class _ReplyCollector:
    """Supplies the solvers of all tables with replies: stored ones, or new ones of the model."""

    def __init__(self, replies: KeptReplies, done: Callable[[], object]) -> None:
        self.failures: dict[tuple[str, str], str] = {}
        self.stopped, self.refused = "", False
        self.done = done
        self._kept = replies
        self._in_a_row = 0
        self._running: set[CancelScope] = set()

    async def reply(self, table: str, state: TaskState, generate: Generate, turn: int) -> str | None:
        """Return the reply to the messages of a state and add it to the state; None if there is none."""
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
        """Return the reply of the model; None if it failed, or if the run was stopped."""
        if self.stopped:
            return None
        with CancelScope() as scope:
            self._running.add(scope)
            try:
                output = (await generate(state, tool_calls=NO_TOOLS)).output
            except Exception as error:  # of any provider; the other rows continue
                self._failed(row, error)
                return None
            finally:
                self._running.discard(scope)
            if output.empty:
                self._failed(row, None)
                return None
            return output
        return None  # cancelled

    def _failed(self, row: tuple[str, str], error: BaseException | None) -> None:
        """Record why a row has no reply; stop if no other row would get one."""
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
        """Stop sending requests, and cancel the requests in progress."""
        self.stopped = self.stopped or reason
        for scope in self._running:
            scope.cancel()


def reason_of(error: BaseException) -> str:
    """Return the reason of a failed request in one short line without secrets."""
    message = str(getattr(error, "provider_message", None) or error).strip() or "no reason given"
    line = " ".join(without_secrets(message).split())
    kind = _status(error) or type(error).__name__
    reason = line if line.startswith(str(kind)) else f"{kind}: {line}"
    reason = f"{UNREADABLE} ({reason})" if isinstance(error, _MISREAD) and not _status(error) else reason
    return reason if len(reason) <= LONGEST_REASON else reason[: LONGEST_REASON - 1] + "…"


def _cause(error: BaseException | None) -> BaseException | None:
    """Return the cause of an error that only reports exhausted retries (tenacity's RetryError)."""
    while (attempt := getattr(error, "last_attempt", None)) is not None:
        error = attempt.exception()
    return error


def _status(error: BaseException | None) -> int | None:
    """Return the HTTP status of a refused request, for any provider."""
    status = getattr(error, "status_code", None) or getattr(error, "code", None)
    return status if isinstance(status, int) else None
