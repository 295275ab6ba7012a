"""The pages show every row with all that belongs to it, choose rows, grade replies, and refuse strangers."""

import asyncio
import html
import re
from itertools import product
from urllib.parse import quote
from xml.etree import ElementTree

import pytest
from starlette.testclient import TestClient

from orrery.browse import app, shelf
from orrery.browse.app import HEADERS, MOST_BYTES, browser
from orrery.browse.row_page import plain, proven
from orrery.browse.shelf import OpenDataset
from orrery.dataset import views
from orrery.dataset.report import row_address
from orrery.dataset.selection import ADDRESS as REPORTED
from orrery.dataset.selection import MOST_WORDS, rows_of
from orrery.families import families, tables
from orrery.library.items import Item, styles
from orrery.model import OrreryError
from tests.browse.conftest import ADDRESS, TABLES
from tests.effort import by_day, slow
from tests.every_domain import ROOT
from tests.library import samples
from tests.library.samples import IN_ONE_PROCESS

pytestmark = IN_ONE_PROCESS

OWN = {"origin": ADDRESS}


def text(answer, code=200):
    """What a page says, without its tags."""
    assert answer.status_code == code, answer.text
    return html.unescape(re.sub(r"<[^>]*>", "", answer.text))


def at(item):
    return f"/row/{quote(item.row['id'])}"


def test_the_start_lists_tables_with_their_rows_by_split(client):
    shown = client.get("/").text
    for name in TABLES:
        assert f'<a href="/rows/{name}?split=test">{samples.FEW}</a>' in shown
    assert "/report/index.html" in shown
    assert "/evals/index.html" in shown


def test_a_row_is_shown_with_texts_answer_and_meaning_of_columns(client, item):
    shown = text(client.get(at(item)))
    row = item.row
    for name in ("context", "question", "natural_language", "problem_pddl", "PDDL_problem"):
        assert not row.get(name) or row[name].strip() in shown
    for name in ("answer", "plan"):
        said = plain(row[name]) if name in row else []
        assert all(each in shown for each in ([said] if isinstance(said, str) else said))
    assert "Path of the random stream that made the row" in shown


def test_a_row_shows_the_prompt_in_every_style(client, item):
    shown = text(client.get(at(item)))
    names = styles(ROOT, item.table)
    assert len(names) > 1
    for style in names:
        told = Item(item.table, item.row, style, ROOT, tuple(examples(item.table))).prompt
        assert all(each["content"] in shown for each in told), style


def examples(table):
    return [{**samples.fresh(table)[0].row, "table": table, "reply": samples.fresh(table)[0].gold}]


@by_day(3)
def test_a_right_reply_is_right_and_another_is_not(client, item):
    for reply, verdict in ((item.gold, "right"), ("I do not know.", None)):
        answer = client.post(at(item), data={"reply": reply}, headers=OWN)
        found = re.search(r'class="verdict \w+">(\w+)<', answer.text)[1]
        assert found == item.score(reply).verdict
        assert verdict in (None, found)
        # What was pasted stands there still.
        assert reply.strip() in text(answer)


@pytest.mark.parametrize("what", ["state", "strip", "film"])
def test_pictures_are_drawn(client, what):
    item = samples.fresh("plan_generation")[0]
    answer = client.get(f"/picture/{what}/{quote(item.row['id'])}?table=plan_generation")
    assert answer.headers["content-type"] == "image/svg+xml"
    assert ElementTree.fromstring(answer.text).tag.endswith("svg")
    shown = client.get(at(item)).text
    assert f"/picture/{what}/{quote(item.row['id'])}" in shown


def test_what_has_no_plan_has_no_strip(client):
    item = samples.fresh("acp_app_gen")[0]
    assert "/picture/strip" not in client.get(at(item)).text
    assert client.get(f"/picture/strip/{quote(item.row['id'])}").status_code == 404


def test_rows_are_chosen_by_columns_measures_and_words(client):
    some = samples.fresh("acp_app_gen")
    by = {
        "": lambda row: True,
        f"domain={some[0].row['domain']}": lambda row: row["domain"] == some[0].row["domain"],
        f"objects.min={some[0].row['num_objects']}": lambda row: (
            row["num_objects"] >= some[0].row["num_objects"]
        ),
        f"answers.max={len(some[0].row['answer'])}": lambda row: (
            len(row["answer"]) <= len(some[0].row["answer"])
        ),
        f"id={quote(some[1].row['id'])}": lambda row: row["id"] == some[1].row["id"],
        f"q={some[2].row['problem_id']}": lambda row: some[2].row["problem_id"] in str(row),
        "split=train": lambda row: False,
    }
    for (query, fits), (other, too) in product(by.items(), by.items()):
        if query.partition("=")[0] != other.partition("=")[0]:
            shown = client.get(f"/rows/acp_app_gen?{query}&{other}").text
            listed = {html.unescape(name) for name in re.findall(r'<td><a href="[^"]*">([^<]*)</a>', shown)}
            assert listed == {each.row["id"] for each in some if fits(each.row) and too(each.row)}


def test_a_family_counts_the_rows_of_its_tables(client):
    shown = text(client.get("/rows/questions?num_applicable_actions.min=0"))
    asked = [name for name in TABLES if name.startswith("acp_")]
    assert all(name in shown for name in asked)
    assert f"all{samples.FEW * len(asked)}" in re.sub(r"\s", "", shown)


def test_a_family_tells_what_was_searched_for(client):
    assert "Rows with the words one two." in text(client.get("/rows/questions?q=one+two"))
    assert "Rows with objects ≥ 3 and the words one." in text(
        client.get("/rows/questions?objects.min=3&q=one")
    )


def test_conditions_without_a_field_are_kept_in_the_form(client):
    name = samples.fresh("acp_app_gen")[0].row["problem_id"]
    assert f'name="problem_id" value="{name}"' in client.get(f"/rows/acp_app_gen?problem_id={name}").text


def test_pages_of_rows_go_on_to_the_last(client, monkeypatch):
    monkeypatch.setattr("orrery.browse.shelf.PAGE", 1)
    monkeypatch.setattr(app, "PAGE", 1)
    address, seen = "/rows/acp_app_gen?split=test", []
    while address:
        shown = client.get(address).text
        seen += re.findall(r'<td><a href="[^"]*">([^<]*)</a>', shown)
        following = re.search(r'<a href="([^"]*)">next</a>', shown)
        address = html.unescape(following[1]) if following else None
    assert seen == sorted(each.row["id"] for each in samples.fresh("acp_app_gen"))


def test_rows_lead_to_those_beside_them(client):
    names = sorted(each.row["id"] for each in samples.fresh("acp_app_gen"))
    shown = client.get(f"/row/{quote(names[1])}").text
    assert f'rel="prev" href="/row/{quote(names[0])}?table=acp_app_gen"' in shown
    assert f'rel="next" href="/row/{quote(names[2])}?table=acp_app_gen"' in shown


def test_a_name_that_is_typed_is_found(client):
    name = samples.fresh("acp_app_mcq")[0].row["id"]
    answer = client.get("/find", params={"id": f" {name} "})
    assert (answer.status_code, answer.headers["location"]) == (303, f"/row/{quote(name)}?table=acp_app_mcq")


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("/row/no/such/row", "row 'no/such/row': is not in any table"),
        ("/rows/no_such", "table 'no_such': is not a published table"),
        ("/rows/problems", "table 'problems': has no rows in this dataset"),
        ("/rows/acp_app_gen?no_such=1", "column 'no_such': is not in the table"),
        ("/rows/acp_app_gen?objects.min=many", "'many' is not a number"),
        ("/rows/acp_app_gen?page=0", "page '0': is not a valid page number"),
        ("/rows/acp_app_gen?domain='%20or%201=1", "0 rows"),
        ("/picture/portrait/x", "Not Found"),
        ("/report/no.html", "Not Found"),
        ("/report/..%2fdataset%2fmanifest.json", "Not Found"),
        ("/dataset/manifest.json", "Not Found"),
    ],
)
def test_what_is_not_there_is_said(client, address, said):
    answer = client.get(address)
    assert said in html.unescape(answer.text)
    assert answer.status_code == (200 if said == "0 rows" else 404)


@slow
def test_links_of_the_report_lead_to_pages(client):
    page = client.get("/report/index.html").text
    assert REPORTED not in page
    links = sorted(set(re.findall(r'href="(/rows/[^"]*)"', page)))
    assert len(links) > 20
    for link in links:
        assert client.get(html.unescape(link)).status_code == 200, link
    assert client.get("/report/figures.json").headers["content-type"].startswith("application/json")


def test_the_report_and_the_pages_count_alike(client):
    for name in TABLES:
        chosen = rows_of(name, split="test")
        assert f"{samples.FEW} rows" in text(client.get(chosen.address))
    name = samples.fresh("acp_app_mcq")[0].row["id"]
    assert client.get(row_address(name).partition(REPORTED)[2].partition('"')[0]).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8017", "127.0.0.1.evil.example", "0.0.0.0", ""]
)
def test_other_names_of_this_machine_are_refused(client, host):
    answer = client.get("/", headers={"host": host})
    assert answer.status_code == 400
    assert "acp_app_gen" not in answer.text


@pytest.mark.parametrize("host", ["localhost:8017", "127.0.0.1:9", "localhost"])
def test_this_machine_by_its_own_name_is_answered(client, host):
    assert client.get("/", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({}, 403),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1:9"}, 403),
        (OWN | {"sec-fetch-site": "cross-site"}, 403),
        (OWN | {"content-type": "text/plain"}, 415),
        (OWN, 200),
    ],
)
def test_a_reply_comes_from_our_own_page_alone(client, headers, code):
    item = samples.fresh("acp_app_gen")[0]
    assert client.post(at(item), data={"reply": "x"}, headers=headers).status_code == code


def test_a_reply_that_is_too_long_is_not_read(client):
    item = samples.fresh("acp_app_gen")[0]
    kind = {"content-type": "application/x-www-form-urlencoded"}
    body = b"reply=" + b"x" * MOST_BYTES
    assert client.post(at(item), content=body, headers=OWN | kind).status_code == 413


@pytest.mark.parametrize("address", ["/", "/rows/acp_app_gen", "/no", "/report/index.html", "/find?id=x"])
def test_each_answer_lets_the_browser_do_little(client, address):
    headers = client.get(address).headers
    policy, _, scripts = headers["content-security-policy"].partition("; script-src ")
    assert {name: headers[name] for name in HEADERS} | {"content-security-policy": policy} == HEADERS
    # Of the report, the script with this hash runs, and no other.
    assert bool(re.fullmatch(r"'sha256-[\w+/]{43}='", scripts)) == address.startswith("/report")


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "POST"])
@pytest.mark.parametrize("address", ["/", "/rows/acp_app_gen", "/report/index.html"])
def test_nothing_but_reading_is_answered(client, method, address):
    assert client.request(method, address, headers=OWN).status_code == 405


def test_no_page_changes_a_file(client, build):
    def state():
        return {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in build.root.rglob("*")}

    before = state()
    for address in ("/", "/rows/questions", at(samples.fresh("acp_app_mcq")[0]), "/report/index.html"):
        client.get(address)
    client.post(at(samples.fresh("text_to_pddl")[0]), data={"reply": "(define"}, headers=OWN)
    assert state() == before


@pytest.fixture
def odd(tmp_path):
    """Pages over a dataset of which a row holds what a page must not take as its own."""
    item = samples.fresh("acp_app_gen")[0]
    from orrery.dataset.card import write_card
    from orrery.store.columns import from_rows
    from orrery.store.shards import write_table_shards
    from tests.every_domain import CATALOG

    row = dict(item.row) | {"id": "a/<b>&\"'/../x?y#z", "question": "<script>alert(1)</script>{{ 7 * 7 }}"}
    schema = tables()["acp_app_gen"].schema
    samples.dataset(tmp_path, "acp_app_gen")
    write_table_shards(tmp_path, schema, "test", [from_rows(schema, [row])])
    about = {name: CATALOG.entry(name).description for name in CATALOG.names}
    write_card(tmp_path, about, templates=ROOT / "templates", seed=1, size="s")
    return TestClient(browser(tmp_path, tmp_path, ROOT), ADDRESS), row


def test_what_rows_hold_is_text(odd):
    client, _ = odd
    listed = client.get("/rows/acp_app_gen").text
    address = html.unescape(re.search(r'<td><a href="([^"]*)">', listed)[1])
    shown = client.get(address)
    assert shown.status_code == 200
    for page in (listed, shown.text):
        assert "<script" not in page
        assert "{{ 7 * 7 }}" in page
        assert "<b>&" not in page
    answer = client.post(address, data={"reply": "</textarea><script>"}, headers=OWN)
    assert "<script" not in answer.text


@by_day(1)
@pytest.mark.parametrize("value", ['{"', "[]", "null"])
@pytest.mark.parametrize("column", ["answer", "proofs", "problem_pddl", "PDDL_problem"])
def test_a_row_with_values_that_cannot_be_read_has_a_page(client, site, column, value, monkeypatch):
    read = OpenDataset.row

    def broken(self, *arguments):
        table, split, row = read(self, *arguments)
        return table, split, row | {column: value}

    monkeypatch.setattr(OpenDataset, "row", broken)
    for name in TABLES:
        item = samples.fresh(name)[0]
        for address in (at(item), f"/picture/state/{quote(item.row['id'])}"):
            answer = client.get(address)
            assert answer.status_code == 200 or "<h1>Not possible</h1>" in answer.text
            assert answer.headers["content-security-policy"] == HEADERS["content-security-policy"]


def test_a_fault_of_the_program_is_a_page_with_all_headers(site, monkeypatch):
    monkeypatch.setattr(OpenDataset, "row", lambda *_: 1 / 0)
    answer = TestClient(site, ADDRESS, raise_server_exceptions=False).get("/row/x")
    assert answer.status_code == 500
    assert "a fault of this program: ZeroDivisionError" in answer.text
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS


def test_a_reply_that_is_cut_off_is_no_fault(site):
    """The client leaves in the middle of its request."""
    part = {"type": "http.request", "body": b"reply=", "more_body": True}
    messages = iter([part, {"type": "http.disconnect"}])
    item, sent = samples.fresh("acp_app_gen")[0], []
    kind = (b"content-type", b"application/x-www-form-urlencoded")
    headers = [(b"host", ADDRESS.removeprefix("http://").encode()), (b"origin", ADDRESS.encode()), kind]
    scope = {
        "type": "http", "method": "POST", "path": at(item), "query_string": b"", "headers": headers,
        "scheme": "http", "root_path": "", "http_version": "1.1",
    }  # fmt: skip

    async def receive():
        return next(messages)

    async def send(message):
        sent.append(message)

    asyncio.run(site(scope, receive, send))
    assert sent[0]["status"] == 400


def test_a_search_that_takes_too_long_is_named(client, monkeypatch):
    monkeypatch.setattr(shelf, "SEARCH_SECONDS", 0.0)
    monkeypatch.setattr(views, "MOMENT", 0.0001)
    words = " ".join(f"word{number}" for number in range(MOST_WORDS))
    answer = client.get("/rows/acp_app_gen", params={"q": words})
    assert answer.status_code == 404
    assert "takes more than 0 s of processor time (search for fewer words" in answer.text


@slow
def test_a_search_for_too_many_different_words_is_named(client):
    words = " ".join(f"word{number}" for number in range(MOST_WORDS))
    for source in ("acp_app_gen", "questions"):
        shown = {
            more: client.get(f"/rows/{source}", params={"q": f"{words} {more}"}) for more in ("WORD0", "x")
        }
        assert shown["WORD0"].status_code == 200
        assert f"{MOST_WORDS + 1} different words, more than {MOST_WORDS}" in shown["x"].text


def test_searches_leave_threads_for_other_pages(site):
    assert site.routes[0].endpoint.__self__._searches._max_workers == app.SEARCHES < 10


def test_what_is_no_dataset_is_refused(tmp_path):
    with pytest.raises(OrreryError, match="is not a dataset of Orrery"):
        browser(tmp_path, tmp_path, ROOT)


def test_every_family_has_a_page(client):
    for name, family in families().items():
        there = {table.name for table in family.tables} & set(TABLES)
        only = name in TABLES or not there
        answer = client.get(f"/rows/{name}")
        assert answer.status_code == 200 or only


@pytest.mark.parametrize(
    ("answer", "proofs", "told"),
    [
        (["a", "b", "c"], '{"answer": ["x", "y", "x"]}', ["answer, by x: a c", "answer, by y: b"]),
        ({"yes": ["a"], "no": []}, '{"no": [], "yes": ["x"]}', ["yes, by x: a"]),
        ("B", '{"claims": ["x", "y"]}', ["claims: x y"]),
        (["a"], '{"answer": ["x", "y"]}', ["answer: x y"]),
        (["a"], '{"answer": [["x"]]}', ["answer, by x: a"]),
        (2, "{}", []),
        ("yes", "no JSON", ["no JSON"]),
        ("yes", "[]", ["[]"]),
        ("yes", "null", ["null"]),
    ],
)
def test_proofs_stand_beside_what_they_prove(answer, proofs, told):
    assert proven({"answer": answer, "proofs": proofs}) == told
