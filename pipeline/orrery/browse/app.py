"""The pages of a dataset, as an application of Starlette.

Only requests to localhost are answered. A page of another site whose name resolves to this machine (DNS
rebinding) sends its own host name, and is refused. No request changes anything. The only request with a body,
a reply to grade, is accepted only from our own pages. Pages load nothing. Only report and runs have a script.
"""

from __future__ import annotations

import re
from asyncio import get_running_loop
from base64 import b64encode
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from jinja2 import FileSystemLoader
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from orrery.browse.row_page import row_page
from orrery.browse.shelf import PAGE, OpenDataset
from orrery.dataset.row_pictures import ANIMATION, PICTURE, STRIP, drawn, scene_of
from orrery.dataset.selection import ADDRESS, ROW, ColumnFilter, Selection, read_selection
from orrery.families import families, table_of, tables
from orrery.grading.score import MAX_REPLY
from orrery.language.sandbox import Sandbox
from orrery.library.judging import score
from orrery.model import OrreryError, UsageError
from orrery.store.kinds import description

PAGE_NUMBER = re.compile(r"[1-9][0-9]{0,8}")
HOSTS = ("127.0.0.1", "localhost")
SEARCHES = 2  # at once
FIRST = 24  # maximum number of drawn steps of a plan
MOST_BYTES = 4 * MAX_REPLY + 1000  # of a reply in a form; a longer one is refused
PICTURES = {"state": PICTURE, "strip": STRIP, "film": ANIMATION}  # by their names in addresses
RANGES = {"objects": "objects", "steps": "steps to the goal", "num_applicable_actions": "applicable actions"}
FILES = {".html": "text/html", ".json": "application/json"}
CSP = "content-security-policy"
HEADERS = {
    CSP: "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # without a referrer, the origin of a form would be unknown
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


def browser(dataset: Path, outputs: Path, root: Path) -> Starlette:
    """Return the application.

    Args:
        dataset: the folder of the dataset.
        outputs: the folder that may contain ``report`` and ``evals``.
        root: the folder with templates and domains.

    Raises:
        OrreryError: the dataset is not ours, or a file is damaged.
    """
    shelf = OpenDataset(dataset)
    shelf.of_problem("")  # what it counts first, no page waits for
    site = Site(shelf, outputs, root)
    routes = [
        Route("/", site.start),
        Route("/favicon.ico", lambda _: Response(status_code=204)),  # which browsers ask for
        Route("/find", site.find),
        Route("/rows/{source}", site.rows),
        Route("/row/{name:path}", site.row, methods=["GET", "POST"]),
        Route("/picture/{what}/{name:path}", site.picture),
        Route("/{folder}/{file}", site.file),
    ]
    guards = [
        Middleware(_Headers),
        Middleware(TrustedHostMiddleware, allowed_hosts=list(HOSTS), www_redirect=False),
    ]
    refused = partial(_refused, root)
    return Starlette(
        routes=routes,
        middleware=guards,
        exception_handlers=dict.fromkeys((OrreryError, HTTPException, Exception), refused),
    )


class Site:
    """The handlers of all addresses. They run in threads, so a slow one does not block others.

    Searches have few threads of their own, so that many of them do not delay other pages.
    """

    def __init__(self, shelf: OpenDataset, outputs: Path, root: Path) -> None:
        """Create the handlers for a dataset and the folders next to it."""
        self._shelf, self._outputs, self._root = shelf, outputs, root
        self._searches = ThreadPoolExecutor(SEARCHES, "search")

    def start(self, request: Request) -> Response:
        """The tables by family, with their rows by split."""
        shelf = self._shelf
        groups = [
            (
                family,
                [(name, description(shelf.schemas[name]), shelf.manifest["rows"][name]) for name in names],
            )
            for family in families()
            if (names := shelf.listed(family))
        ]
        reports = [name for name in ("report", "evals") if (self._outputs / name / "index.html").is_file()]
        return self._page("start", groups=groups, manifest=shelf.manifest, there=reports)

    def find(self, request: Request) -> Response:
        """The row with the entered id."""
        name = request.query_params.get("id", "").strip()
        table, _, row = self._shelf.row(name)
        return RedirectResponse(row_at(row["id"], table), 303)

    async def rows(self, request: Request) -> Response:
        """The rows of a selection; for a family, the row count of each table."""
        return await get_running_loop().run_in_executor(self._searches, self._rows, request)

    def _rows(self, request: Request) -> Response:
        parameters = [(name, value) for name, value in request.query_params.multi_items() if name != "page"]
        chosen = read_selection(request.path_params["source"], parameters)
        names = self._shelf.listed(chosen.source)
        if chosen.source not in tables():
            narrowed = [chosen.narrowed(source=name) for name in names]
            fitting = [one for one in narrowed if one.fits(self._shelf.schema(one.source))]
            counted = list(zip(fitting, self._shelf.counts(fitting), strict=True))
            return self._page("family", chosen=chosen, counted=counted)
        schema, number = self._shelf.schema(chosen.source), _number(request.query_params.get("page"))
        page = self._shelf.rows(chosen, (number - 1) * PAGE)
        return self._page(
            "rows",
            chosen=chosen,
            found=page,
            about=description(schema),
            choices=self._shelf.choices(chosen.source),
            ranges={name: title for name, title in RANGES.items() if _fits(name, schema)},
            given=dict(parameters),
            others=_conditions_without_field(chosen, self._shelf.choices(chosen.source)),
            pages=_pages(chosen, number, page.total),
        )

    async def row(self, request: Request) -> Response:
        """One row with all its data, and the grade of a submitted reply."""
        reply = await _reply(request) if request.method == "POST" else None
        with _readable(request):
            return await run_in_threadpool(self._row, request, reply)

    def _row(self, request: Request, reply: str | None) -> Response:
        name, table = request.path_params["name"], request.query_params.get("table", "")
        table, split, row = self._shelf.row(name, table)
        shown = row_page(self._root, self._shelf.dataset, self._shelf.schema(table), table, split, row)
        grade = None if reply is None else score(reply, row, table, root=self._root)
        return self._page(
            "row",
            told=shown,
            beside=self._shelf.beside(table, name),
            problem=row.get("problem_id") or (name if table == "problems" else ""),
            belongs=self._shelf.of_problem(row.get("problem_id") or name),
            reply=reply or "",
            grade=grade,
            first=FIRST,
            asks=bool(table_of(table).scorer),
        )

    def picture(self, request: Request) -> Response:
        """The picture of a row, the states of its plan, or an animation of them."""
        kind, name = request.path_params["what"], request.path_params["name"]
        if kind not in PICTURES:
            raise HTTPException(404)
        _, _, row = self._shelf.row(name, request.query_params.get("table", ""))
        with _readable(request):
            picture = drawn(PICTURES[kind], row, scene_of(self._root, row), FIRST)
        return Response(picture, media_type="image/svg+xml")

    def file(self, request: Request) -> Response:
        """A file of the report, or of the page of evaluation runs, with links to these pages."""
        folder, name = request.path_params["folder"], request.path_params["file"]
        kind = FILES.get(Path(name).suffix)
        path = self._outputs / folder / name
        if folder not in ("report", "evals") or kind is None or Path(name).name != name or not path.is_file():
            raise HTTPException(404)
        allowed = {CSP: f"{HEADERS[CSP]}; script-src '{_script_hash(self._root)}'"}
        content = path.read_text(encoding="utf-8").replace(f'"{ADDRESS}/', '"/')
        return Response(content, media_type=kind, headers=allowed)

    def _page(self, name: str, /, **content: Any) -> Response:
        return HTMLResponse(page(self._root, name, **content))


class _Headers:
    """Adds security headers to each response."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response with the headers added."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, send_with_headers if scope["type"] == "http" else send)


async def _reply(request: Request) -> str:
    """Return the reply in a submitted form.

    Raises:
        HTTPException: another site sent it, it is not a form, or it is too long.
    """
    origin, host = request.headers.get("origin"), f"http://{request.headers.get('host')}"
    if origin != host or request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
        raise HTTPException(403, "a reply is graded that comes from this page alone")
    if not request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        raise HTTPException(415, "a reply is sent as a form")
    body = b""
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > MOST_BYTES:
                raise HTTPException(413, f"a reply has {MAX_REPLY:,} characters at most")
    except ClientDisconnect as error:
        raise HTTPException(400, "the reply was not sent to its end") from error
    return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True)).get("reply", "")


@contextmanager
def _readable(request: Request) -> Iterator[None]:
    """Name the row whose values cannot be read, for example because they are not JSON.

    Raises:
        OrreryError: there are some.
    """
    try:
        yield
    except (ValueError, KeyError) as error:
        name, problem = request.path_params["name"], f"has a value that cannot be read: {error}"
        raise OrreryError(f"row '{name}'", problem, "check the dataset with `orrery validate`") from error


async def _refused(root: Path, request: Request, error: Exception) -> Response:
    """Return the page with an error message, with its headers: some are sent without the middleware."""
    match error:
        case HTTPException():
            code, message = error.status_code, error.detail
        case OrreryError():
            code, message = (404 if isinstance(error, UsageError) else 500), str(error)
        case _:
            code, message = 500, f"a fault of this program: {type(error).__name__}: {error}"
    return HTMLResponse(page(root, "refused", said=message, code=code), code, HEADERS)


def _number(text: str | None) -> int:
    """Return the number of a page; the default is 1."""
    if text is None:
        return 1
    if not PAGE_NUMBER.fullmatch(text):
        raise UsageError(f"page '{text[:20]}'", "is not a valid page number")
    return int(text)


def _script_hash(root: Path) -> str:
    """Return the hash of the script of report and runs; the browser runs no other script in these pages."""
    template = (root / "templates" / "report" / "rows.js.j2").read_text(encoding="utf-8")
    script = template.partition("<script>")[2].partition("</script>")[0]
    return f"sha256-{b64encode(sha256(script.encode()).digest()).decode()}"


def _fits(measure: str, schema: Any) -> bool:
    return Selection("", (ColumnFilter(measure, "min", "0"),)).fits(schema)


def _conditions_without_field(chosen: Selection, choices: dict[str, list[str]]) -> list[ColumnFilter]:
    """Return the conditions without a field in the form. They are kept, and can be removed."""
    fields = {*choices, *(f"{name}.{end}" for name in RANGES for end in ("min", "max"))}
    return [condition for condition in chosen.conditions if condition.parameter not in fields]


def _pages(chosen: Selection, number: int, total: int) -> Sequence[tuple[str, str]]:
    """Return links to the previous and next pages, by title."""
    last = max(1, -(-total // PAGE))
    candidates = [("first", 1, number > 2), ("previous", number - 1, number > 1)]
    candidates += [("next", number + 1, number < last), ("last", last, number < last - 1)]
    join = "&" if "?" in chosen.address else "?"
    return [
        (title, f"{chosen.address}{join}{urlencode({'page': place})}")
        for title, place, exists in candidates
        if exists
    ]


def page(root: Path, name: str, /, **content: Any) -> str:
    """Return the page of a template.

    Raises:
        OrreryError: the template is missing or has an error.
    """
    return (
        _environment(root / "templates")
        .get_template(f"browse/{name}.html.j2")
        .render(**content, row_at=row_at)
    )


def row_at(name: str, table: str = "") -> str:
    """Return the address of a row."""
    # Browsers remove ".." between slashes from an address.
    named = quote(name, safe="" if ".." in name else "/")
    return f"{ROW}{named}" + (f"?table={quote(table)}" if table else "")


@lru_cache(maxsize=4)
def _environment(templates: Path) -> Sandbox:
    """Return the template environment of the pages, which escapes all values."""
    return Sandbox(loader=FileSystemLoader(templates), autoescape=True)
