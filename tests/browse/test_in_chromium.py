"""The pages and the report in a browser: all is seen and reached, nothing is from elsewhere, clicks work."""

import json
import socket
import subprocess
import threading
import time
from urllib.parse import quote

import pytest
import uvicorn

from tests.browse.conftest import TABLES
from tests.chromium import page
from tests.library import samples

pytestmark = pytest.mark.slow
NARROW, WIDE = 390, 1200


@pytest.fixture(scope="module")
def tab():
    with page() as opened:
        yield opened


@pytest.fixture(scope="module")
def address(site):
    """Where the pages are served while the tests run."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(site, log_level="warning", access_log=False, lifespan="off")
        server = uvicorn.Server(config)
        server.install_signal_handlers = lambda: None
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.02)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        server.should_exit = True
        thread.join(10)


def row_address(table="plan_generation"):
    return f"/row/{quote(samples.fresh(table)[0].row['id'])}"


# Faults of a page that only a browser can see, each with the element.
FAULTS = """(() => {
  const faults = [];
  const fault = (problem, element) => faults.push(problem + " " + element.outerHTML.slice(0, 200));
  if (!document.title.trim()) fault("no title", document.head);
  if (document.documentElement.scrollWidth > innerWidth) fault("too wide", document.body);
  for (const element of [...document.querySelectorAll("body *")].filter(each => each.checkVisibility())) {
    const style = getComputedStyle(element), overflows = element.scrollWidth > element.clientWidth + 1;
    if (overflows && style.overflowX == "hidden" && !(element instanceof SVGElement)) fault("cut", element);
    if (/auto|scroll/.test(style.overflow) && element.tabIndex < 0) fault("not reached by keys", element);
    if (element.tagName == "TH" && !element.scope) fault("no scope", element);
    if (element.tagName == "TD" && element.textContent.length > 60 && element.clientWidth < 90)
      fault("a narrow column", element);
    if (element.tagName == "A" && !element.textContent.trim() && !element.querySelector("[aria-label]"))
      fault("no name", element);
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(element.tagName) && !element.labels.length && !element.ariaLabel)
      fault("no label", element);
    if (element.tagName == "IMG" && !(element.alt && element.naturalWidth)) fault("no picture", element);
    if (element.matches("svg.chart")) {
      const titles = [...element.querySelectorAll(".role-axis-title text")].map(title => title.textContent);
      if (new Set(titles).size < 2) fault("axes without titles", element);
    }
    const text = element.firstChild, isId = /^\\s*[\\w-]+(\\/[\\w-]+){2,}\\s*$/;
    if (element.childNodes.length == 1 && isId.test(text.data))
      for (const word of text.data.matchAll(/\\w+/g)) {
        const range = document.createRange();
        range.setStart(text, word.index);
        range.setEnd(text, word.index + word[0].length);
        if (new Set([...range.getClientRects()].map(box => box.top)).size > 1) fault("broken id", element);
      }
  }
  return faults;
})()"""
RUN = "document.getElementById('rows-run').textContent"
UNFOLD = "document.querySelectorAll('details').forEach(part => part.open = true)"
SCROLLING = (
    "[...document.querySelectorAll('body *')].filter(box => box.scrollWidth > box.clientWidth + 1 && "
    "/auto|scroll/.test(getComputedStyle(box).overflowX))"
)
LINES = """(() => { const range = document.createRange();
    return [...document.querySelector("h1 code").childNodes].filter(node => node.nodeType == Node.TEXT_NODE)
        .map(node => { range.selectNodeContents(node); return range.getClientRects().length }) })()"""
TAB_KEY = ("Tab", 9)
PAGES = [
    "/", "/rows/questions", *(f"/rows/{name}" for name in TABLES), *(f"/row/{name}" for name in TABLES),
    "/rows/acp_app_gen?q=nowhere", "/row/no/such", "/report/index.html", "/evals/index.html",
]  # fmt: skip


def where(page):
    """The address of a page; of a table's row, that of its first one."""
    name = page.removeprefix("/row/")
    return row_address(name) if name in TABLES else page


@pytest.mark.parametrize("width", [NARROW, WIDE])
@pytest.mark.parametrize("page", PAGES)
def test_pages_have_no_faults_and_load_nothing_from_elsewhere(tab, address, page, width):
    tab.screen(width, dark=width == NARROW)
    tab.requests.clear()
    tab.errors.clear()
    tab.go(address + where(page))
    tab.value(UNFOLD)
    assert tab.value(FAULTS) == []
    assert tab.requests
    assert [url for url in tab.requests if not url.startswith(address)] == []
    assert [error for error in tab.errors if not (page == "/row/no/such" and "404" in error)] == []


@pytest.mark.parametrize("page", ["/report/index.html", "/evals/index.html", "/row/plan_generation"])
def test_boxes_that_scroll_are_reached_by_keyboard(tab, address, page):
    tab.screen(NARROW)
    tab.go(address + where(page))
    tab.value(UNFOLD)
    left = tab.value(f"window.left = new Set({SCROLLING}); left.size")
    assert left
    for _ in range(2000):
        tab.press(*TAB_KEY)
        left = tab.value("left.delete(document.activeElement); left.size")
        if not left:
            break
    assert left == 0


def test_an_id_breaks_only_behind_a_slash(tab, address):
    tab.screen(NARROW)
    tab.go(address + where("/row/acp_app_gen"))
    lines = tab.value(LINES)
    assert lines == [1] * len(lines)
    assert tab.value("document.querySelector('h1 code').getClientRects().length") > 1


def test_the_report_begins_with_one_screen(tab, address):
    """What is in the dataset, what failed, what was not decided twice; all other parts are folded."""
    tab.screen(WIDE, 900)
    tab.go(f"{address}/report/index.html")
    assert tab.value("document.documentElement.scrollHeight") <= 900
    folded = tab.value("[...document.querySelectorAll('details.part')].map(part => part.open)")
    assert folded
    assert not any(folded)


def test_pages_have_a_light_and_a_dark_dress(tab, address):
    colours = {}
    for dark in (False, True):
        tab.screen(WIDE, dark=dark)
        tab.go(address)
        colours[dark] = tab.value("getComputedStyle(document.body).backgroundColor")
    assert colours == {False: "rgb(255, 255, 255)", True: "rgb(22, 24, 28)"}


def test_pictures_are_seen(tab, address):
    tab.screen(WIDE)
    tab.go(address + row_address())
    assert tab.value("document.images.length") == 2
    assert tab.value("Math.min(...[...document.images].map(image => image.naturalWidth))") > 100


def test_a_pasted_reply_is_graded(tab, address):
    item = samples.fresh("acp_app_gen")[0]
    tab.screen(NARROW)
    for reply, verdict in (
        (item.gold, "right"),
        ("ANSWER: none of these", item.score("ANSWER: none of these").verdict),
    ):
        tab.go(f"{address}/row/{quote(item.row['id'])}")
        tab.value(f"document.querySelector('textarea').value = {reply!r}")
        tab.value("document.querySelector('form[method=post] button').click()")
        until(tab, "document.querySelector('.verdict')")
        assert tab.value("document.querySelector('.verdict').textContent") == verdict
        assert tab.value("document.querySelector('textarea').value").strip() == reply.strip()


def test_filters_are_used(tab, address):
    domain = samples.fresh("acp_app_gen")[0].row["domain"]
    tab.screen(WIDE)
    tab.go(f"{address}/rows/acp_app_gen")
    tab.value("document.querySelector('input[name=q]').value = '/'")
    has = (
        f"[...document.querySelectorAll('select[name=domain] option')].some(each => each.value == {domain!r})"
    )
    if tab.value(has):
        tab.value(f"document.querySelector('select[name=domain]').value = {domain!r}")
    tab.value("document.querySelector('form.filter button').click()")
    until(tab, "location.search.includes('q=')")
    listed = tab.value("[...document.querySelectorAll('table.rows td:nth-child(3)')].map(e => e.textContent)")
    assert listed
    assert set(listed) <= {each.row["domain"] for each in samples.fresh("acp_app_gen")}


def test_a_click_in_the_report_says_how_to_see_the_rows(tab, build):
    tab.screen(NARROW, dark=True)
    report = build.outputs / "report" / "index.html"
    tab.requests.clear()
    tab.go(report.as_uri())
    assert [url for url in tab.requests if url != report.as_uri()] == []
    assert tab.value("document.documentElement.scrollWidth") <= NARROW
    for what in ("td.n a[data-from]", "svg.chart a[data-from] path"):
        click = "new MouseEvent('click', {bubbles: true, cancelable: true})"
        tab.value(f"document.querySelector({what!r}).dispatchEvent({click})")
        assert tab.value("document.getElementById('rows').open")
        link = f"document.querySelector({what!r}).closest('a')"
        rows = tab.value(f"{link}.dataset.from")
        assert tab.value(RUN) == f'orrery query "select id from {rows}"'
        assert tab.value("document.getElementById('rows-there').href").startswith(
            "http://127.0.0.1:8017/rows/"
        )
        assert tab.value("document.getElementById('rows-what').textContent")
        tab.value("document.getElementById('rows').close()")
    text = 'it\'s `$HOME` \\ "a"'
    tab.value(f"{link}.dataset.from = {json.dumps(text)}")
    tab.value(f"document.querySelector({what!r}).dispatchEvent({click})")
    word = tab.value(RUN).removeprefix("orrery query ")
    shell = subprocess.run(["sh", "-c", f"printf %s {word}"], capture_output=True, text=True, check=True)
    assert shell.stdout == f"select id from {text}"


def until(tab, condition):
    """Wait until something is so, and the page is complete."""
    for _ in range(300):
        if tab.value(f"Boolean({condition})"):
            tab.settled()
            return
        time.sleep(0.03)
    pytest.fail(f"never: {condition}")
