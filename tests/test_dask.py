"""Work on a Dask cluster: real processes on this machine, each worker in a folder of its own."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import pytest

from orrery.engine import map_items, using
from orrery.engine.choice import chosen
from orrery.engine.dask_cluster import ClusterError
from orrery.engine.names import EngineName
from orrery.model import OrreryError, UsageError
from tests import engine_samples as work
from tests.checkout import STAGES, checkout, contents, must, orrery
from tests.engine_samples import build

pytestmark = [
    pytest.mark.skipif(find_spec("distributed") is None, reason="distributed is not installed"),
    pytest.mark.slow,
    pytest.mark.xdist_group("dask"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]
DASK = Path(sys.executable).with_name("dask")
ROOT = Path(__file__).resolve().parent.parent
# Runs a command that sees nothing, and keeps nothing, in the folder that is named next.
HIDDEN = ("unshare", "-Urm", "sh", "-c", 'mount -t tmpfs none "$0" && exec "$@"')
NOBODY = "tcp://127.0.0.1:9"  # the port of a service that is not there


class Cluster:
    """A scheduler and workers without nannies, so that one that is killed stays away."""

    def __init__(self, folder):
        self.folder, self.workers, self.processes = folder, [], []
        self.file = folder / "scheduler.json"
        self.scheduler = self._start("scheduler", "--port", "0", "--scheduler-file", self.file)
        end = time.monotonic() + 30
        while not self.file.exists() or not self.file.read_text():
            assert time.monotonic() < end
            time.sleep(0.05)
        self.address = json.loads(self.file.read_text())["address"]

    def worker(self, name, *, threads=1, package=ROOT / "pipeline", without=None):
        """A worker in a folder of its own, where the folder ``without`` of this machine is empty."""
        (self.folder / name).mkdir()
        options = ["--nthreads", str(threads), "--no-nanny", "--name", name]
        hidden = [*HIDDEN, without] if without else ()
        found = self._start("worker", self.address, *options, at=name, package=package, before=hidden)
        self.workers.append(found)
        return found

    def _start(self, what, *options, at=".", package=ROOT / "pipeline", before=()):
        environment = os.environ | {"PYTHONPATH": f"{package}{os.pathsep}{ROOT}"}
        command = [*map(str, before), DASK, what, *map(str, options), "--no-dashboard"]
        said = (self.folder / f"{what}.log").open("a")
        process = subprocess.Popen(command, cwd=self.folder / at, env=environment, stdout=said, stderr=said)
        self.processes.append(process)
        return process

    def close(self):
        for process in self.processes:
            process.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path):
    found = Cluster(tmp_path)
    yield found
    found.close()


@pytest.fixture
def two(cluster):
    cluster.worker("one")
    cluster.worker("two")
    return cluster


def test_nobody_at_the_address_is_an_error_with_its_mend(monkeypatch):
    monkeypatch.setattr("orrery.engine.dask_cluster.CONNECT_SECONDS", 0.5)
    with (
        pytest.raises(ClusterError, match=r"Dask scheduler tcp.*does not answer \(start one") as error,
        using(EngineName.DASK, NOBODY),
    ):
        list(map_items([1], work.square))
    assert error.value.code == 4


def test_an_address_needs_its_engine(tmp_path):
    root = checkout(tmp_path, ["ferry"])
    result = orrery(root, "generate", "ferry", "--address", NOBODY)
    assert result.exit_code == 2
    assert "needs --engine dask" in result.stderr


def test_an_engine_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setenv("ORRERY_ENGINE", "ray")
    with pytest.raises(UsageError, match=r"no engine 'ray' \(engines: auto, pool, dask\)"):
        list(map_items([1], work.square))


def test_two_workers_elsewhere_do_the_work_in_order(two, tmp_path, monkeypatch):
    """Paths are those of this process, also where they are relative and a worker is in another folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ORRERY_ENGINE", "dask")
    monkeypatch.setenv("ORRERY_ADDRESS", two.address)
    Path("told").mkdir()
    assert list(map_items(range(300), partial(work.counted, Path("told")))) == list(range(300))
    assert len(list((tmp_path / "told").iterdir())) == 300
    found = list(map_items(range(40), work.process_of))
    assert [item for item, _ in found] == list(range(40))
    assert {process for _, process in found} == {worker.pid for worker in two.workers}
    with pytest.raises(UsageError) as error:
        list(map_items(range(20), work.refuse_seven))
    assert str(error.value) == "here: seven (take eight)"
    assert error.value.__notes__ == ["at item 8 of 20: 7"]


def test_workers_that_do_not_fit_are_refused(cluster, tmp_path):
    cluster.worker("threads", threads=2)
    with pytest.raises(UsageError, match=r"runs 2 threads"), using(EngineName.DASK, cluster.address):
        list(map_items([1], work.square))
    cluster.workers[0].kill()
    cluster.workers[0].wait()
    other = tmp_path / "other"
    shutil.copytree(ROOT / "pipeline" / "orrery", other / "orrery")
    with (other / "orrery" / "seeds.py").open("a") as file:
        file.write("# changed\n")
    cluster.worker("changed", package=other)
    time.sleep(1)  # until the scheduler knows that the first is gone
    with pytest.raises(OrreryError, match="another orrery"), using(EngineName.DASK, cluster.address):
        list(map_items([1], work.square))


@pytest.mark.exhaustive
def test_one_process_a_pool_and_dask_make_the_same_bytes(two, tmp_path, monkeypatch):
    """Every stage of a domain; for Dask the checkout is named by a relative path."""
    found = {}
    for engine, options in {
        "here": ["--jobs", "1"],
        "pool": ["--jobs", "2", "--engine", "pool"],
        "dask": ["--engine", "dask", "--address", two.address],
    }.items():
        root = checkout(tmp_path / engine, ["ferry"])
        monkeypatch.chdir(root)
        for stage in STAGES:
            must(Path(), stage, "ferry", *options)
        found[engine] = contents(root / "outputs")
    assert found["here"] == found["pool"]
    assert found["here"] == found["dask"]


@pytest.mark.exhaustive
def test_workers_that_share_no_storage_make_the_same_bytes(cluster, tmp_path):
    """Every stage, all the checks included: of the checkout they see what the work brings them."""
    roots = {name: checkout(tmp_path / name, ["ferry"]) for name in ("here", "there")}
    if subprocess.run([*HIDDEN, roots["there"], "true"], check=False, capture_output=True).returncode:
        pytest.skip("this system lets nobody hide a folder from a process")
    workers = [cluster.worker(name, without=roots["there"]) for name in ("one", "two")]
    engine = ["--engine", "dask", "--address", cluster.address]
    verdicts = {}
    for name, options in {"here": ["--jobs", "1"], "there": engine}.items():
        root = roots[name]
        for stage in STAGES:
            must(root, stage, "ferry", *options)
        must(root, "describe")
        must(root, "assemble")
        result = orrery(root, "validate", *options)
        assert result.exit_code in (0, 3), result.stderr  # a gate may refuse a table of so few rows
        verdicts[name] = json.loads((root / "outputs" / "report" / "validation.json").read_text())
    assert verdicts["here"] == verdicts["there"]
    found = {name: contents(root / "outputs") for name, root in roots.items()}
    assert found["here"].keys() == found["there"].keys()
    differing = [name for name, data in found["here"].items() if found["there"][name] != data]
    assert differing == []
    assert all(worker.poll() is None for worker in workers)


@pytest.mark.exhaustive
def test_a_cluster_started_here_does_the_work_and_is_gone_then(tmp_path):
    with using(EngineName.DASK):
        found = list(map_items(range(40), work.process_of, jobs=2))
        assert list(map_items(range(40), work.process_of, jobs=2)) is not None
    assert [item for item, _ in found] == list(range(40))
    assert not any(Path(f"/proc/{process}").exists() for _, process in found)


def test_a_cluster_started_for_one_item_has_workers_for_all_that_follow():
    with using(EngineName.DASK):
        assert list(map_items([3], work.square, jobs=2)) == [9]
        found = list(map_items(range(40), work.process_of, jobs=2))
    assert len({process for _, process in found}) == 2


def test_workers_are_counted_again_before_each_work(cluster):
    import distributed

    cluster.worker("one")
    with using(EngineName.DASK, cluster.address), chosen() as engine:
        assert list(map_items([3], work.square)) == [9]
        assert engine.cluster.jobs == 1
        cluster.worker("two")
        with distributed.Client(cluster.address, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=30)
        assert list(map_items(range(3), work.square)) == [0, 1, 4]
        assert engine.cluster.jobs == 2
        cluster.scheduler.kill()
        cluster.scheduler.wait()
        with pytest.raises(ClusterError, match=r"the connection is lost \(start it"):
            list(map_items([3], work.square))


# Not ``-m``: what is defined in a script that is run has no name by which a worker could find it.
BUILD = """
import sys
from pathlib import Path
from tests.engine_samples import build
build(Path(sys.argv[1]), 1)
"""


def runs(folder, cluster, **options):
    """The build of the samples in a process of its own."""
    environment = os.environ | {"ORRERY_ENGINE": "dask", "ORRERY_ADDRESS": cluster.address}
    command = [sys.executable, "-c", BUILD, str(folder)]
    process = subprocess.Popen(command, cwd=ROOT, env=environment, **options)
    cluster.processes.append(process)
    return process


def finished(folder):
    return {path.name for path in folder.glob("parts/same/0*")}


def until(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


@pytest.fixture
def calm(tmp_path):
    """The bytes of a build that nothing disturbs."""
    (tmp_path / "calm").mkdir()
    build(tmp_path / "calm", 1)
    return (tmp_path / "calm" / "out.parquet").read_bytes()


@pytest.mark.exhaustive
def test_killed_five_times_it_goes_on_and_makes_the_same_bytes(two, calm, tmp_path):
    torn = tmp_path / "torn"
    torn.mkdir()
    for kill in range(5):
        before = finished(torn)
        process = runs(torn, two)
        until(lambda before=before: finished(torn) > before)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert 0 < len(finished(torn)) < 14, kill
    assert runs(torn, two).wait() == 0
    assert (torn / "out.parquet").read_bytes() == calm


@pytest.mark.exhaustive
def test_a_worker_that_is_killed_costs_nothing(two, calm, tmp_path):
    torn = tmp_path / "torn"
    torn.mkdir()
    process = runs(torn, two)
    until(lambda: len(finished(torn)) >= 2)
    two.workers[0].kill()
    assert process.wait() == 0
    assert (torn / "out.parquet").read_bytes() == calm


@pytest.mark.exhaustive
def test_an_item_that_kills_its_workers_is_named(cluster, monkeypatch):
    monkeypatch.setattr("orrery.engine.mapping.AT_WORK", 1)
    for number in range(5):
        cluster.worker(str(number))
    with pytest.raises(OrreryError) as error, using(EngineName.DASK, cluster.address):
        list(map_items(range(8), work.killed_at_seven, describe="problem {}".format))
    assert str(error.value).startswith("worker process at item 8 of 8: problem 7: died again and again")


@pytest.mark.exhaustive
def test_a_scheduler_that_is_killed_is_named_and_what_was_finished_is_kept(two, calm, tmp_path):
    torn = tmp_path / "torn"
    torn.mkdir()
    process = runs(torn, two, stderr=subprocess.PIPE, text=True)
    until(lambda: len(finished(torn)) >= 4)
    two.scheduler.kill()
    _, said = process.communicate(timeout=60)
    assert process.returncode != 0
    assert f"Dask scheduler {two.address}: the connection is lost (start it and run" in said
    kept = finished(torn)
    assert len(kept) >= 4
    (torn / "made").unlink()
    build(torn, 1)
    made = {int(item) // 3 for item in (torn / "made").read_text().split()}
    assert made.isdisjoint(int(name[:5]) for name in kept)
    assert (torn / "out.parquet").read_bytes() == calm
