"""What each stage runs, as files."""

import hashlib
import shutil

import pytest

from orrery.modules_run import PACKAGE, run_by
from tests.checkout import checkout, contents, must, orrery


@pytest.fixture
def root(tmp_path):
    return checkout(tmp_path, ("ferry",))


def listed(root, name):
    lines = (root / "outputs/code" / f"{name}.txt").read_text().splitlines()
    return {path: digest for digest, path in (line.split("  ") for line in lines)}


def test_each_command_has_the_digests_of_what_it_runs(root):
    must(root, "code", "generate", "describe")
    for name in ("generate", "describe"):
        found = listed(root, name)
        files = run_by(name, root / "generators").values()
        assert list(found) == [file.relative_to(PACKAGE.parent).as_posix() for file in files]
        for path, digest in found.items():
            assert digest == hashlib.sha256((PACKAGE.parent / path).read_bytes()).hexdigest()
    before = contents(root / "outputs")
    must(root, "code", "generate", "describe")
    assert contents(root / "outputs") == before


def test_what_generators_import_counts_for_commands_that_load_them(root):
    extra = "orrery.analysis.shortest"
    with_it = shutil.copytree(root / "generators", root / "others")
    (with_it / "ferry.py").write_text(f"from {extra} import anything\n")
    for name, loads in (("generate", True), ("size", False)):
        plain, more = (run_by(name, folder).keys() for folder in (root / "generators", with_it))
        assert (extra in more - plain) is loads


def test_an_unknown_command_is_refused_and_nothing_is_written(root):
    done = orrery(root, "code", "generate", "nothing")
    assert done.exit_code == 2
    assert "error: orrery code nothing: is no command" in done.stderr
    assert not (root / "outputs/code").exists()
