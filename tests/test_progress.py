"""Progress outside of a terminal, as in a log file."""

import orrery.progress as module
from orrery.progress import progress


def test_a_log_file_gets_whole_lines_without_a_guess_of_the_time_left(monkeypatch, capsys):
    monkeypatch.setattr(module, "LINE_SECONDS", 0)
    with progress("solve", 4) as bar:
        for _ in range(4):
            bar.update()
    lines = capsys.readouterr().err.split("\n")
    assert [line.split(" [")[0] for line in lines] == [
        "solve: 25%, 1 of 4", "solve: 50%, 2 of 4", "solve: 75%, 3 of 4", "",
    ]  # fmt: skip
    assert not any("\r" in line or "<" in line for line in lines)


def test_work_without_a_label_is_silent(capsys):
    with progress("", 2) as bar:
        bar.update()
    assert capsys.readouterr().err == ""
