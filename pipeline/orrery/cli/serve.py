"""``orrery serve``: worlds for clients of OpenEnv, NeMo Gym and MCP."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orrery.cli.listening import LOCALHOST, listening
from orrery.cli.options import Port, Source
from orrery.installation import find_root

if TYPE_CHECKING:
    from orrery.serve.requested_worlds import WorldMaker

PORT = 8018
HOSTS = (LOCALHOST, "localhost")

app = typer.Typer(help="Serve worlds, which are problems that one acts in.", no_args_is_help=True)

ActedDomain = Annotated[str, typer.Option(help="The domain of the worlds.")]
DefaultDomain = Annotated[
    str | None, typer.Option(help="The domain of requests that name none, and of the tools over MCP.")
]
Host = Annotated[
    str, typer.Option(help="The address to serve at. 0.0.0.0 serves other machines, without a password.")
]
MostSessions = Annotated[int, typer.Option("--sessions", min=1, help="Maximum number of sessions.")]
IdleSeconds = Annotated[
    float, typer.Option("--idle", min=1, help="Seconds after which an unused session is dropped.")
]


@app.command()
def worlds(
    domain: DefaultDomain = None,
    port: Port = PORT,
    host: Host = LOCALHOST,
    most_sessions: MostSessions = 1_000,
    idle_seconds: IdleSeconds = 1_800,
    root: Source = None,
) -> None:
    """Serve worlds on localhost until Ctrl-C, to clients of OpenEnv, NeMo Gym and MCP. Print the address.

    Each session has a world of its own. A reset with the same domain, seed, difficulty, kind and split gives
    the same problem.
    """
    import uvicorn

    from orrery.serve.app import worlds_app
    from orrery.serve.exchange import MOST_BYTES
    from orrery.serve.sessions import Sessions

    maker, sessions = _maker(domain, root), Sessions(most_sessions, idle_seconds)
    served = worlds_app(sessions, maker, any_host=host not in HOSTS)
    with listening(host, port) as bound:
        config = uvicorn.Config(
            served, log_level="warning", access_log=False, ws_max_size=MOST_BYTES, timeout_graceful_shutdown=1
        )
        typer.echo(f"http://{host}:{bound.getsockname()[1]}")
        sys.stdout.flush()
        typer.echo("serve: press Ctrl-C to stop", err=True)
        with suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[bound])


@app.command()
def mcp(domain: ActedDomain, root: Source = None) -> None:
    """Serve one world over MCP to the program that starts this command, at standard input and output."""
    import anyio

    from orrery.serve.mcp_release import has_mcp, missing_mcp

    if not has_mcp():
        raise missing_mcp()
    from orrery.serve.mcp_server import WorldsOverMCP
    from orrery.serve.mcp_tools import McpTools
    from orrery.serve.sessions import Sessions

    sessions = Sessions(limit=1, idle_seconds=float("inf"))
    anyio.run(WorldsOverMCP(McpTools(sessions, _maker(domain, root), sessions.open())).run_stdio)


@app.command("nemo-gym")
def nemo_gym(
    out: Annotated[Path, typer.Option(help="The checkout of NeMo Gym, or another folder.")],
    domain: ActedDomain,
    difficulty: Annotated[
        str | None, typer.Option(help="A difficulty of domain.yaml (default: the first).")
    ] = None,
    split: Annotated[str | None, typer.Option(help="Only problems of this split (default: any).")] = None,
    reward: Annotated[str, typer.Option(help="sparse, shaped, optimal or efficiency.")] = "sparse",
    rows: Annotated[int, typer.Option(min=1, help="Number of tasks, with the seeds from 0.")] = 5,
    root: Source = None,
) -> None:
    """Write the folder of a resources server for NeMo Gym: program, configuration and rows of tasks."""
    from orrery.serve.nemo_gym_folder import write_nemo_gym_folder

    wanted = {"domain": domain, "difficulty": difficulty, "split": split, "reward": reward}
    given = {name: value for name, value in wanted.items() if value is not None}
    with redirect_stdout(sys.stderr):  # output of generators
        paths = write_nemo_gym_folder(out, _maker(None, root), given, rows)
    for path in paths:
        typer.echo(path)


def _maker(domain: str | None, root: Path | None) -> WorldMaker:
    """Return what makes worlds. An unknown domain is an error here, and compiled code is loaded here."""
    from orrery.serve.requested_worlds import WorldMaker

    maker = WorldMaker(find_root(root).absolute(), domain)
    if domain is not None:
        with redirect_stdout(sys.stderr):  # output of generators
            maker.world({"seed": 0})
    return maker
