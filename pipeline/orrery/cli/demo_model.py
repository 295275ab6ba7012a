"""``orrery demo-model``: a scripted model on localhost, to try out commands that use a model."""

from __future__ import annotations

import sys
from itertools import chain
from typing import Annotated, Any

import typer

from orrery.cli.options import ALL, HERE, Dataset, Port, Source, Split, TablePatterns

AT_A_TIME = 100  # items between two steps of the progress bar
DEFAULT_PORT = 8765
TEXTS = "text_to_pddl"  # the table for paraphrases

Right = Annotated[float, typer.Option(min=0, max=1, help="Probability of a correct reply.")]
Fresh = Annotated[
    int | None, typer.Option(help="Answer the first fresh tasks of this seed instead of a dataset.")
]
Limit = Annotated[int, typer.Option(min=1, help="Number of fresh tasks per table.")]
FaultOption = Annotated[
    list[str] | None,
    typer.Option(help="KIND=SHARE, for example 429=0.1; repeatable. An unknown kind lists the kinds."),
]
Delay = Annotated[float, typer.Option(min=0, help="Delay of each reply in seconds.")]
DieAfter = Annotated[
    int | None, typer.Option(min=0, help="Exit abruptly after this many requests (for testing).")
]
Key = Annotated[str | None, typer.Option(help="The key that requests must carry (default: any).")]
Paraphrases = Annotated[
    int, typer.Option(min=0, help="Number of paraphrases to write for each row of text_to_pddl.")
]
Drop = Annotated[float, typer.Option(min=0, max=1, help="Share of paraphrases that omit a fact.")]
Extract = Annotated[
    bool,
    typer.Option(help="Reply to procedures on composed domains with the literals that the text states."),
]
Seed = Annotated[int, typer.Option(help="Seed of the correct replies and of the faults.")]


def demo_model(
    right: Right = 1.0,
    dataset: Dataset = None,
    split: Split = "test",
    tables: TablePatterns = ALL,
    fresh: Fresh = None,
    limit: Limit = 100,
    port: Port = DEFAULT_PORT,
    seed: Seed = 0,
    delay: Delay = 0.0,
    fault: FaultOption = None,
    die_after: DieAfter = None,
    key: Key = None,
    paraphrases: Paraphrases = 0,
    drop: Drop = 0.0,
    extract: Extract = False,
    root: Source = None,
) -> None:
    """Serve a scripted model, 'demo', with the OpenAI protocol on localhost, until Ctrl-C.

    The model looks up the right reply and gives it with a given probability. Otherwise its reply is useless.
    The command prints the base URL when the server is ready. --fault and --delay simulate a faulty or slow
    server.
    """
    from orrery.demo_model.extraction import extracted
    from orrery.demo_model.faults import read_faults
    from orrery.demo_model.replies import ScriptedReplies, count_of_usual, known_items
    from orrery.demo_model.rewording import scripted
    from orrery.demo_model.server import MODEL, DemoServer
    from orrery.installation import find_root
    from orrery.library.choice import RowSelection, chosen_tables, items_of, questions_among

    home = find_root(root).absolute()
    faults = read_faults(fault or [], seed, die_after)
    folder = dataset or (root or HERE) / "outputs" / "dataset"
    choice = RowSelection(str(folder), split, fresh, limit=None if fresh is None else limit)
    names = questions_among(chosen_tables(tables, choice))
    items, first = known_items(choice, names, home), count_of_usual(choice, names, home)
    if extract:
        items = extracted(items)
    if paraphrases:
        texts = items_of(choice, TEXTS, home)
        items = chain(scripted(texts, paraphrases, drop, seed), items)
        first += 2 * paraphrases * len(texts)
    replies = ScriptedReplies(items, right, seed)
    server = DemoServer(replies, faults, port=port, delay=delay, key=key)
    _learn(replies, first)
    typer.echo(server.url)
    sys.stdout.flush()
    typer.echo(f"demo-model: serving '{MODEL}' with {replies.known} prompts; press Ctrl-C to stop", err=True)
    try:
        server.serve_forever(poll_interval=0.05)
    except KeyboardInterrupt:
        server.server_close()
    counts = ", ".join(f"{name} {count}" for name, count in server.counts.most_common())
    typer.echo(f"demo-model: {server.counts.total()} requests ({counts or 'none'})", err=True)


def _learn(replies: Any, first: int) -> None:
    """Read the first items now. The others have rare prompt styles and are read when they are requested."""
    from orrery.progress import progress

    with progress("demo-model", first, "prompt") as bar:
        while (wanted := min(AT_A_TIME, first - bar.n)) and (learned := replies.learn(wanted)):
            bar.update(learned)
