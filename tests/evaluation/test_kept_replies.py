"""Replies are kept as they come, whatever they hold and whenever the process dies."""

import multiprocessing
import os
import signal

import pytest

from orrery.evaluation.kept_replies import KeptReply, digest_of, kept_replies
from orrery.model import OrreryError, UsageError

ASKED = [{"role": "user", "content": "Who?"}]
OTHER = [{"role": "user", "content": "Where?"}]
TEXTS = ("", "I.", "two\nlines\r\n", "\ud800 half a character", "\u2028\x00\x85", "x" * 1_000_000)


def reply(number=0, text="I.", asked=ASKED):
    return KeptReply("acp_app_gen", f"row/{number}", 0, digest_of(asked), text, "stop", 3, None, 0.5)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run" / "replies.jsonl"


def write(path, *replies):
    with kept_replies(path) as kept:
        for each in replies:
            kept.add(each)


def test_they_come_back_as_they_were(path):
    some = [reply(number, text) for number, text in enumerate(TEXTS)]
    write(path, *some)
    with kept_replies(path) as kept:
        assert len(kept) == len(TEXTS)
        for each in some:
            assert kept.find(each.table, each.id, 0, ASKED) == each


def test_a_reply_to_other_messages_or_another_turn_is_none(path):
    write(path, reply())
    with kept_replies(path) as kept:
        assert kept.find("acp_app_gen", "row/0", 0, ASKED)
        assert kept.find("acp_app_gen", "row/0", 0, OTHER) is None
        assert kept.find("acp_app_gen", "row/0", 1, ASKED) is None
        assert kept.find("acp_app_gen", "row/1", 0, ASKED) is None
        assert kept.find("acp_app_bool", "row/0", 0, ASKED) is None


def test_the_last_reply_to_a_place_counts(path):
    write(path, reply(text="before", asked=OTHER), reply(text="after"))
    with kept_replies(path) as kept:
        assert kept.find("acp_app_gen", "row/0", 0, ASKED).text == "after"


def test_a_line_that_was_cut_anywhere_costs_that_reply_alone(path):
    write(path, reply(1), reply(2))
    whole = path.read_bytes()
    first = whole.index(b"\n") + 1
    for end in (*range(first, len(whole), 7), len(whole) - 1):
        path.write_bytes(whole[:end])
        write(path, reply(3))
        with kept_replies(path) as kept:
            found = [number for number in (1, 2, 3) if kept.find("acp_app_gen", f"row/{number}", 0, ASKED)]
        assert found == [1, 3], end


def test_a_damaged_line_in_the_middle_is_named(path):
    write(path, reply(1), reply(2))
    lines = path.read_bytes().splitlines(keepends=True)
    for damaged in (b"{]\n", b"[1]\n", b"null\n", b'{"table": "t"}\n', b"\xff\n"):
        path.write_bytes(lines[0] + damaged + lines[1])
        with (
            pytest.raises(OrreryError, match=r"replies.jsonl:2: is not a valid reply.*delete this line"),
            kept_replies(path),
        ):
            pass
        assert path.read_bytes() == lines[0] + damaged + lines[1], "nothing is lost meanwhile"


def _write_and_die(path):
    with kept_replies(path) as kept:
        for number in range(50):
            kept.add(reply(number))
        os.kill(os.getpid(), signal.SIGKILL)


def test_what_was_added_before_a_kill_is_there(path):
    process = multiprocessing.get_context("fork").Process(target=_write_and_die, args=(path,))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    with kept_replies(path) as kept:
        assert len(kept) == 50


def test_one_process_at_a_time(path):
    refused = pytest.raises(UsageError, match="is in use by another process")
    with kept_replies(path), refused, kept_replies(path):
        pass
    write(path, reply())
