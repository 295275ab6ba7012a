"""``orrery serve``: worlds for clients of OpenEnv, NeMo Gym and MCP; ``orrery browse``: pages of rows."""

from __future__ import annotations

import socket
import sys
import webbrowser
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from orrery.cli.options import HERE, Dataset, Port, Source
from orrery.installation import find_root
from orrery.model import UsageError

if TYPE_CHECKING:
    from orrery.serve.requested_worlds import WorldMaker

BROWSER_PORT, PORT = 8017, 8018
LOCALHOST = "127.0.0.1"
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
Open = Annotated[bool, typer.Option("--open", help="Also open the page in the browser of this machine.")]


def browse(
    dataset: Dataset = None, port: Port = BROWSER_PORT, show: Open = False, root: Source = None
) -> None:
    """Browse the dataset in a web browser: rows, pictures, plans, prompts, answers. Grade replies.

    Serve pages on localhost until Ctrl-C, and print their address. Only this machine can read them. The pages
    change no files and load nothing from other servers.
    """
    from orrery.browse.app import browser

    outputs = (root or HERE) / "outputs"
    app = browser(dataset or outputs / "dataset", outputs, find_root(root).absolute())
    _serve("browse", app, LOCALHOST, port, show=show, lifespan="off")


def _serve(command: str, app: Any, host: str, port: int, *, show: bool = False, **settings: Any) -> None:
    """Serve an application until Ctrl-C, and print its address."""
    import uvicorn

    with listening(host, port) as bound:
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False, **settings))
        address = f"http://{host}:{bound.getsockname()[1]}"
        typer.echo(address)
        sys.stdout.flush()
        typer.echo(f"{command}: press Ctrl-C to stop", err=True)
        if show:
            webbrowser.open(address)
        with suppress(KeyboardInterrupt):
            server.run(sockets=[bound])


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
    from orrery.serve.app import worlds_app
    from orrery.serve.exchange import MOST_BYTES
    from orrery.serve.sessions import Sessions

    maker, sessions = _maker(domain, root), Sessions(most_sessions, idle_seconds)
    served = worlds_app(sessions, maker, any_host=host not in HOSTS)
    _serve("serve", served, host, port, ws_max_size=MOST_BYTES, timeout_graceful_shutdown=1)


@app.command()
def mcp(domain: ActedDomain, root: Source = None) -> None:
    """Serve one world over MCP to the program that starts this command, at standard input and output."""
    import anyio

    from orrery.serve.mcp_tools import McpTools, has_mcp, missing_mcp

    if not has_mcp():
        raise missing_mcp()
    from orrery.serve.mcp_server import WorldsOverMCP
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


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens at a host. Port 0 means any free port.

    Its connections send without delay: they inherit this, and asyncio does it only for sockets that it opens
    itself. Otherwise each answer in two parts takes 40 milliseconds.

    Raises:
        UsageError: the port cannot be opened.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        bound = socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        mend = "name another with --port, or 0 for any that is free"
        raise UsageError(f"port {port}", f"cannot be opened: {error}", mend) from error
    bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return bound
