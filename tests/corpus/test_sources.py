"""Raw PDDL from archives and folders: nothing is lost, encodings are mended, problems find their domains."""

import gzip
import io
import json
import tarfile
import zipfile

import pytest

from orrery.corpus import sources
from orrery.corpus.sources import rows_in, texts_of
from orrery.model import OrreryError, ToolMissing, UsageError

DOMAIN = "(define (domain lamps) (:predicates (lit ?x)))"
PROBLEM = "; of (:domain other)\n(define (problem p) (:domain Lamps) (:init) (:goal (lit a)))"


def tarred(path, files):
    with tarfile.open(path, "w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))


def test_archives_are_read_without_being_unpacked(tmp_path):
    tarred(
        tmp_path / "pddl-1.tar.gz", {"pddl-1/b/p.pddl": PROBLEM, "pddl-1/a.pddl": DOMAIN, "pddl-1/x.py": ""}
    )
    with zipfile.ZipFile(tmp_path / "pddlgym-2-py3-none-any.whl", "w") as archive:
        archive.writestr("pddlgym/a.pddl", DOMAIN)
    (tmp_path / "corpus.lock").write_text("# c\npddl==1 --hash=sha256:00\npddlgym==2 --hash=sha256:00\n")
    packages = sources.packaged(tmp_path / "corpus.lock", tmp_path)
    raws = [raw for name, path in packages.items() for raw in sources.archive(name, path)]
    assert [(raw.name, raw.kind, raw.license) for raw in raws] == [
        ("pddl/a.pddl", "domain", "MIT"),
        ("pddl/b/p.pddl", "problem", "MIT"),
        ("pddlgym/pddlgym/a.pddl", "domain", "MIT"),
    ]
    assert raws[1].of == "lamps"


def test_missing_and_damaged_archives_are_named(tmp_path):
    (tmp_path / "corpus.lock").write_text("pddl==1 --hash=sha256:00\n")
    with pytest.raises(ToolMissing, match=r"pddl-1\.tar\.gz.*make setup") as missing:
        sources.packaged(tmp_path / "corpus.lock", tmp_path)
    assert missing.value.code == 4
    (tmp_path / "pddl-1.tar.gz").write_bytes(b"no archive")
    with pytest.raises(OrreryError, match="cannot be read"):
        sources.archive("pddl", tmp_path / "pddl-1.tar.gz")


def test_encodings_are_mended():
    for data in (
        "é\n".encode(),
        "é\r\n".encode("utf-8-sig"),
        "é\r".encode("latin-1"),
        "é\n".encode("utf-16"),
    ):
        assert sources.decoded(data) == "é\n"


def test_problems_find_the_domain_that_lies_nearest(tmp_path):
    files = {
        "lamps.pddl": DOMAIN,
        "lamps/p1.pddl": PROBLEM + ";" * 9,
        "lamps_test/p2.pddl": PROBLEM,
        "lamps_test/p3.pddl": PROBLEM,
        "far/p4.pddl": PROBLEM,
        "far/p5.pddl": PROBLEM.replace("Lamps", "others"),
        "lone/lamps.pddl": DOMAIN,
        "empty.pddl": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    raws = {raw.path: raw for raw in sources.folder(tmp_path, "CC0")}
    assert raws["empty.pddl"].fault
    problems = [raw for raw in raws.values() if raw.kind == "problem"]
    near = sources.problems_of(raws["lamps.pddl"], "lamps", problems)
    assert [raw.path for raw in near] == ["lamps_test/p3.pddl", "lamps/p1.pddl"]
    far = sources.problems_of(raws["lone/lamps.pddl"], "lamps", problems)
    assert {raw.of for raw in far} == {"lamps"}
    assert sources.problems_of(raws["lamps.pddl"], "lamps", [raws["far/p5.pddl"]]) == []


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UsageError, match="nowhere"):
        sources.folder(tmp_path / "nowhere")


def test_texts_of_a_folder_have_the_names_of_its_files(tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "x.txt").write_text("one")
    (tmp_path / "a.txt").write_text("two")
    assert texts_of(str(tmp_path)) == [("a.txt", "two"), ("b/x.txt", "one")]


def test_lines_of_json_end_at_line_feeds_only(tmp_path):
    path = tmp_path / "rows.jsonl"
    texts = ["a\u2028b", "c\x85d", "e"]
    lines = [json.dumps({"text": text}, ensure_ascii=False) for text in texts]
    path.write_bytes("\r\n".join([*lines, ""]).encode("utf-8-sig"))
    assert [row["text"] for row in rows_in(path, "mend it")] == texts
    assert [text for _, text in texts_of(f"{path}:text")] == texts


@pytest.mark.parametrize("name", ["rows.json", "rows.jsonl", "rows.json.gz"])
def test_json_that_is_not_utf_8_is_refused(tmp_path, name):
    data = '[{"text": "caf\xe9"}]'.encode("latin-1")
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    with pytest.raises(OrreryError, match=r"is not UTF-8: .*0xe9.*mend it"):
        rows_in(tmp_path / name, "mend it")


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("rows.jsonl", b'{"text": "a"}\n{', r"rows\.jsonl:2: is not JSON.*mend it"),
        (
            "rows.jsonl",
            b'{"text": "a", "text": "b"}',
            "`text`: a key is given twice with different values \\(",
        ),
        ("rows.json", b"[", "is not JSON.*mend it"),
        ("rows.json.gz", b"[]", "cannot be read.*mend it"),
    ],
)
def test_rows_that_cannot_be_read_are_refused(tmp_path, name, data, message):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(OrreryError, match=message):
        rows_in(tmp_path / name, "mend it")


def test_a_released_list_that_is_not_utf_8_is_refused(tmp_path):
    (tmp_path / "domains.json").write_bytes('[{"pddl_domain": "caf\xe9"}]'.encode("latin-1"))
    with pytest.raises(OrreryError, match="is not UTF-8"):
        texts_of(str(tmp_path / "domains.json"))
