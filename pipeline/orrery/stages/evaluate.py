"""Stage ``eval``: send rows of tables to a model and score its replies, into ``outputs/evals/<run>``.

The rows and arguments are fixed when a run begins. The same command continues an interrupted run; other
arguments under the same name are refused. Every reply is stored as it arrives. Rerunning a complete run sends
no requests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from orrery import __version__
from orrery.evaluation import adaptive
from orrery.evaluation.asked import AskedTable, asked_table
from orrery.evaluation.asker import (
    LOGS,
    Asker,
    Outcome,
    default_name,
    refuse_other_arguments,
    refused_by_server,
)
from orrery.evaluation.kept_replies import FILE, KeptReplies, kept_replies
from orrery.evaluation.results.runs import (
    ABOUT_FILE,
    FAILED,
    SCORES_FILE,
    About,
    EvaluationRun,
    read_run,
    refuse_strangers,
    write_run,
)
from orrery.evaluation.rows import only_rows, score_rows, to_ask
from orrery.families import tables as tables_by_name
from orrery.library.choice import RowSelection, chosen_tables, data_of, items_of
from orrery.library.items import style_of
from orrery.model import OrreryError, UsageError
from orrery.scoring.scorers import scorer_of

CHARACTERS_A_TOKEN = 4  # average of tokenizers for English, printed with each estimate

Tell: TypeAlias = Callable[[str], None]


@dataclass(frozen=True)
class EvaluationRequest:
    """The content of a run: the tables with their rows, and the arguments that identify the run."""

    tables: tuple[AskedTable, ...]
    arguments: Mapping[str, Any]

    @property
    def rows(self) -> dict[str, int]:
        """The number of rows, by table."""
        return {table.name: len(table.items) for table in self.tables}

    @property
    def tokens(self) -> int:
        """The approximate number of tokens in the first prompts of all rows."""
        return sum(map(tokens_of, self.tables))

    @property
    def name(self) -> str:
        """The default name of the run: its model and a hash of its arguments."""
        return default_name(str(self.arguments["model"]), self.arguments)


def tokens_of(table: AskedTable) -> int:
    """Return the approximate number of tokens in the first prompts of the rows."""
    characters = sum(len(message["content"]) for row_id in table.items for message in table.messages(row_id))
    return -(-characters // CHARACTERS_A_TOKEN)


def plan(
    choice: RowSelection, tables: str, turns: int, model: Mapping[str, Any], root: Path, tell: Tell
) -> EvaluationRequest:
    """Return the content of a run.

    Args:
        choice: the selection of rows and prompt styles.
        tables: ``all``, names or patterns, as in ``choice.chosen_tables``.
        turns: the maximum number of corrections of a reply that is not right.
        model: the model, the settings that affect its replies, and the arguments of an adaptive run.
        root: the folder of templates and domains.
        tell: called with messages about omitted tables, which have no rows of the domain or difficulty, and
            about omitted rows, which have an empty value where the prompts show it.

    Raises:
        UsageError: a table does not exist, lacks the style, or there are no rows.
    """
    if turns < 0:
        raise UsageError(f"turns {turns}", "is not a valid number of corrections", "give 0 or more")
    names = chosen_tables(tables, choice)
    _check_styles(choice, names, root)
    asked_tables = tuple(
        asked_table(name, items, choice.part, turns)
        for name, items in _items_by_table(choice, names, root, tell)
    )
    selection = {
        "data": data_of(choice),
        "split": choice.part,
        "tables": [table.name for table in asked_tables],
        "domain": choice.domain,
        "difficulty": choice.difficulty,
        "style": choice.prompt_style,
        "limit": choice.limit,
        "turns": turns,
    }
    return EvaluationRequest(asked_tables, {**model, **selection})


def _check_styles(choice: RowSelection, names: Sequence[str], root: Path) -> None:
    """Raise a UsageError if tables lack the style; the message names all of them."""
    lacking: list[UsageError] = []
    for name in [name for name in names if not tables_by_name()[name].dialogues]:
        try:
            style_of(root, name, choice.prompt_style)
        except UsageError as error:
            lacking.append(error)
    if len(lacking) > 1:
        without_style = ", ".join(error.where.removeprefix("table ").strip("'") for error in lacking)
        mend = "name another style, or only the other tables with --tables"
        raise UsageError(f"style '{choice.prompt_style}'", f"does not exist for: {without_style}", mend)
    if lacking:
        raise lacking[0]


def _items_by_table(
    choice: RowSelection, names: Sequence[str], root: Path, tell: Tell
) -> list[tuple[str, list[Any]]]:
    """Return the items of tables; tables without rows of the domain, difficulty or style are omitted."""
    items_by_table, without = [], list[OrreryError]()
    for name in names:
        try:
            items = items_of(choice, name, root, tell)
        except OrreryError as error:
            if len(names) == 1 or (choice.domain is None and choice.difficulty is None):
                raise
            without.append(error)
        else:
            if items:
                items_by_table.append((name, items))
            else:
                without.append(
                    UsageError(f"table '{name}'", "has no rows for this style", "name another style")
                )
    if not items_by_table:
        raise without[0]
    for reason in without:
        tell(f"left out: {reason}")
    return items_by_table


@dataclass(frozen=True)
class EvaluationResult:
    """The result of a run: the stored run, and the reason if it was stopped before its end."""

    run: EvaluationRun
    stopped: str = ""

    @property
    def complete(self) -> bool:
        """Whether every row has a reply."""
        return bool(self.run.about["finished"])


def run(
    request: EvaluationRequest, asker: Asker, folder: Path, tell: Tell, *, published: bool = False
) -> EvaluationResult:
    """Send the remaining requests, and write the scores to the folder of the run.

    Args:
        request: the content of the run.
        asker: the model and the settings of requests.
        folder: ``outputs/evals/<run>``.
        tell: called with messages on progress and costs.
        published: whether replies are scored by the published rules, too.

    Raises:
        UsageError: the folder contains a run with other arguments, or other files; another process
            uses it; the model does not exist; or the server refuses the key or the model.
    """
    check_arguments(folder, request.arguments)
    if not folder.exists():
        from orrery.evaluation.asking import model_of

        model_of(asker)  # raises an error for an unknown model before anything is written
    with kept_replies(folder / FILE) as replies:
        outcome = _ask(asker, replies, folder, request, tell)
        stored_run = write_scores(request, replies, outcome, folder, published=published)
        if len(replies):
            tell(_used(stored_run))
    if outcome and outcome.refused:
        raise refused_by_server(asker, outcome.stopped)
    return EvaluationResult(stored_run, outcome.stopped if outcome else "")


def _ask(
    asker: Asker, replies: KeptReplies, folder: Path, request: EvaluationRequest, tell: Tell
) -> Outcome | None:
    """Send the remaining requests, if any. An interrupted run keeps its arguments and replies."""
    send = _adaptive_sender if adaptive.is_adaptive(request.arguments) else _sender
    send_requests = send(asker, replies, folder, request, tell)
    if not send_requests:
        return None
    if not (folder / SCORES_FILE).exists():
        write_scores(request, replies, None, folder, figures=False)
    try:
        return send_requests()
    except KeyboardInterrupt:
        write_scores(request, replies, None, folder, figures=False)
        raise


def _sender(
    asker: Asker, replies: KeptReplies, folder: Path, request: EvaluationRequest, tell: Tell
) -> Callable[[], Outcome] | None:
    """Announce the remaining requests, and return the function that sends them; None if there are none."""
    remaining = to_ask(request.tables, replies)
    tell(_announced(request, remaining))
    if not remaining:
        return None
    from orrery.evaluation.asking import ask_all

    return partial(ask_all, asker, remaining, replies, folder)


def _adaptive_sender(
    asker: Asker, replies: KeptReplies, folder: Path, request: EvaluationRequest, tell: Tell
) -> Callable[[], Outcome] | None:
    """Announce an adaptive run, and return the function that sends its requests; None if it has ended."""
    arguments = request.arguments
    known = adaptive.stored_difficulties(folder, request.tables, arguments["data"], tell)
    tell(f"adaptive: at most {arguments['max_rows']:,} of {len(known.rows):,} rows")
    tell(f"difficulties: {known.basis}")
    about = _about(folder)
    if about and about["finished"]:
        return None
    return partial(adaptive.ask_adaptively, asker, request.tables, arguments, replies, folder, tell)


def check_published_rule(request: EvaluationRequest, tell: Tell) -> None:
    """Report tables without a published rule.

    Raises:
        UsageError: no table has one; the message names the tables that have.
    """
    scorers = {name: table.scorer for name, table in tables_by_name().items() if table.scorer}
    with_rule = sorted(name for name, scorer in scorers.items() if scorer_of(scorer).has_published_rule())
    without = [table.name for table in request.tables if table.name not in with_rule]
    if len(without) == len(request.tables):
        named = f"no published rule for {', '.join(without)}"
        raise UsageError("--rule published", f"there is {named}", f"tables: {', '.join(with_rule)}")
    if without:
        tell(f"no published rule: {', '.join(without)}")


def write_scores(
    request: EvaluationRequest,
    replies: KeptReplies,
    outcome: Outcome | None,
    folder: Path,
    *,
    figures: bool = True,
    published: bool = False,
) -> EvaluationRun:
    """Write the results of a run so far, and return it; last arguments: see ``score_rows``."""
    arguments, failures = request.arguments, outcome.failures if outcome else {}
    model, is_adaptive = str(arguments["model"]), adaptive.is_adaptive(arguments)
    if is_adaptive:
        request = replace(request, tables=only_rows(request.tables, replies.rows | failures.keys()))
    scored = score_rows(request.tables, replies, failures, model, figures=figures, published=published)
    rows = list(scored)
    answered = sum(row["is_last"] and row["verdict"] != FAILED for row in rows)
    about = {
        "model": model,
        "base_url": request.arguments.get("base_url"),
        "data": request.arguments["data"],
        "finished": answered == sum(request.rows.values()),
        "arguments": dict(request.arguments),
        "version": __version__,
        "rows": request.rows,
        "tokens": {
            "estimated": request.tokens,
            "input": sum(row.get("input_tokens") or 0 for row in rows),
            "output": sum(row.get("output_tokens") or 0 for row in rows),
        },
    }
    if is_adaptive:
        about |= adaptive.description(folder, rows, arguments)
    write_run(folder, rows, about)
    return read_run(folder)


def check_arguments(folder: Path, arguments: Mapping[str, Any]) -> None:
    """Raise a UsageError if the folder contains a run with other arguments, or other files; it names one."""
    about = _about(folder)
    if about is None:
        refuse_strangers(folder, (FILE, ABOUT_FILE, LOGS, adaptive.DIFFICULTIES_FILE, adaptive.ASKED_FILE))
        return
    refuse_other_arguments(folder, about.get("arguments", {}), arguments)


def _about(folder: Path) -> About | None:
    return read_run(folder).about if (folder / SCORES_FILE).exists() else None


def _announced(request: EvaluationRequest, remaining: Sequence[AskedTable]) -> str:
    """Return the message that announces the requests."""
    total, count = sum(request.rows.values()), sum(len(table.items) for table in remaining)
    tables = len(request.rows)
    announcement = f"{total:,} rows of {tables} {'table' if tables == 1 else 'tables'}"
    if count < total:
        announcement += f", {total - count:,} of them answered already; {count:,} to ask"
    tokens = sum(map(tokens_of, remaining))
    read = f"about {tokens:,} tokens to read ({CHARACTERS_A_TOKEN} characters each), without corrections"
    return f"{announcement}: {read}"


def _used(stored_run: EvaluationRun) -> str:
    """Return the message on used tokens, with the estimate."""
    tokens = stored_run.about["tokens"]
    if not tokens["input"]:
        return "the server counted no tokens"
    estimated = f"estimated for all rows: {tokens['estimated']:,}"
    return f"used: {tokens['input']:,} tokens read ({estimated}), {tokens['output']:,} written"


def model_arguments(asker: Asker) -> dict[str, Any]:
    """Return the settings that affect the replies and are part of the run's arguments."""
    arguments = asdict(asker)
    return {name: arguments[name] for name in ("model", "base_url", "max_tokens", "temperature")}
