"""The pages and the report in a browser: nothing is too wide or from elsewhere, clicks work."""

import socket
import threading
import time
from urllib.parse import quote

import pytest
import uvicorn

from tests.chromium import page
from tests.library import samples

pytestmark = pytest.mark.slow
NARROW, WIDE = 400, 1200


@pytest.fixture(scope="module")
def tab():
    with page() as found:
        yield found


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


ROW = "/row/{id}"


def row_address():
    return ROW.format(id=quote(samples.fresh("plan_generation")[0].row["id"]))


@pytest.mark.parametrize("where", ["/", "/rows/questions", "/rows/acp_app_gen", ROW, "/report/index.html"])
@pytest.mark.parametrize("width", [NARROW, WIDE])
def test_pages_fit_their_screen_and_load_nothing_from_elsewhere(tab, address, where, width):
    tab.screen(width)
    tab.asked.clear()
    tab.go(address + (row_address() if where == ROW else where))
    assert tab.value("document.documentElement.scrollWidth") <= width
    assert tab.asked
    assert [each for each in tab.asked if not each.startswith(address)] == []


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
    assert tab.value("Math.min(...[...document.images].map(each => each.naturalWidth))") > 100


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
    tab.asked.clear()
    tab.go(report.as_uri())
    assert [each for each in tab.asked if each != report.as_uri()] == []
    assert tab.value("document.documentElement.scrollWidth") <= NARROW
    for what in ("td.n a[data-run]", "svg.chart a[data-run] path"):
        click = "new MouseEvent('click', {bubbles: true, cancelable: true})"
        tab.value(f"document.querySelector({what!r}).dispatchEvent({click})")
        assert tab.value("document.getElementById('rows').open")
        link = f"document.querySelector({what!r}).closest('a')"
        assert tab.value("document.getElementById('rows-run').textContent") == tab.value(
            f"{link}.dataset.run"
        )
        assert tab.value("document.getElementById('rows-there').href").startswith(
            "http://127.0.0.1:8017/rows/"
        )
        assert tab.value("document.getElementById('rows-what').textContent")
        tab.value("document.getElementById('rows').close()")


def until(tab, condition):
    """Wait until something is so, and the page is complete."""
    for _ in range(300):
        if tab.value(f"Boolean({condition})"):
            tab.settled()
            return
        time.sleep(0.03)
    pytest.fail(f"never: {condition}")
