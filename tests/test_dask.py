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

from orrery.dask_workers import dask_workers
from orrery.model import OrreryError, UsageError
from orrery.workers import ClusterError, Workers, map_items
from tests import worker_samples as samples
from tests.checkout import STAGES, checkout, contents, must, orrery

pytestmark = [
    pytest.mark.skipif(find_spec("distributed") is None, reason="distributed is not installed"),
    pytest.mark.slow,
    pytest.mark.xdist_group("dask"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]
DASK = Path(sys.executable).with_name("dask")
ROOT = Path(__file__).resolve().parent.parent
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

    def worker(self, name, *, threads=1, package=ROOT / "pipeline"):
        """A worker in a folder of its own."""
        (self.folder / name).mkdir()
        options = ["--nthreads", str(threads), "--no-nanny", "--name", name]
        process = self._start("worker", self.address, *options, folder=name, package=package)
        self.workers.append(process)
        return process

    def _start(self, program, *options, folder=".", package=ROOT / "pipeline"):
        environment = os.environ | {"PYTHONPATH": f"{package}{os.pathsep}{ROOT}"}
        command = [DASK, program, *map(str, options), "--no-dashboard"]
        log = (self.folder / f"{program}.log").open("a")
        process = subprocess.Popen(command, cwd=self.folder / folder, env=environment, stdout=log, stderr=log)
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
    monkeypatch.setattr("orrery.dask_workers.CONNECT_SECONDS", 0.5)
    with (
        pytest.raises(ClusterError, match=r"Dask scheduler tcp.*does not answer \(start one") as error,
        dask_workers(2, NOBODY),
    ):
        raise AssertionError
    assert error.value.code == 6


def test_an_address_needs_its_engine(tmp_path):
    root = checkout(tmp_path, ["ferry"])
    result = orrery(root, "generate", "ferry", "--address", NOBODY)
    assert result.exit_code == 2
    assert "needs --engine dask" in result.stderr


def test_two_workers_elsewhere_do_the_work_in_order(two, tmp_path):
    (tmp_path / "done").mkdir()
    with dask_workers(1, two.address) as workers:
        count = partial(samples.counted, tmp_path / "done")
        assert list(map_items(count, range(300), workers)) == list(range(300))
        assert len(list((tmp_path / "done").iterdir())) == 300
        results = list(map_items(samples.process_of, range(40), workers))
        assert [number for number, _ in results] == list(range(40))
        assert {process for _, process in results} == {worker.pid for worker in two.workers}
        with pytest.raises(UsageError) as error:
            list(map_items(samples.refuse_seven, range(20), workers))
    assert str(error.value) == "here: seven (take eight)"
    assert error.value.__notes__ == ["at item 8 of 20: 7"]


def test_workers_that_do_not_fit_are_refused(cluster, tmp_path):
    cluster.worker("threads", threads=2)
    with pytest.raises(UsageError, match=r"runs 2 threads"), dask_workers(1, cluster.address):
        raise AssertionError
    cluster.workers[0].kill()
    cluster.workers[0].wait()
    other = tmp_path / "other"
    shutil.copytree(ROOT / "pipeline" / "orrery", other / "orrery")
    with (other / "orrery" / "seeds.py").open("a") as file:
        file.write("# changed\n")
    cluster.worker("changed", package=other)
    time.sleep(1)  # until the scheduler knows that the first is gone
    with pytest.raises(UsageError, match="different version of orrery"), dask_workers(1, cluster.address):
        raise AssertionError


@pytest.mark.exhaustive
def test_one_process_a_pool_and_dask_make_the_same_bytes(two, tmp_path, monkeypatch):
    """Every stage of a domain; for Dask the checkout, which all workers see, is named by a relative path."""
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
def test_a_cluster_started_here_does_the_work_and_is_gone_then():
    with dask_workers(2) as workers:
        results = list(map_items(samples.process_of, range(40), workers))
        assert list(map_items(samples.square, [3], workers)) == [9]
    assert [number for number, _ in results] == list(range(40))
    assert len({process for _, process in results}) == 2
    assert not any(Path(f"/proc/{process}").exists() for _, process in results)


# Not ``-m``: a function that is defined in a script has no name by which a worker could find it.
BUILD = """
import sys
from pathlib import Path
from orrery.dask_workers import dask_workers
from tests.worker_samples import build
with dask_workers(1, sys.argv[2]) as workers:
    build(Path(sys.argv[1]), workers)
"""


def runs(folder, cluster, **options):
    """The build of the samples in a process of its own."""
    command = [sys.executable, "-c", BUILD, str(folder), cluster.address]
    process = subprocess.Popen(command, cwd=ROOT, **options)
    cluster.processes.append(process)
    return process


def finished(folder):
    return {path.name for path in folder.glob("parts/0*")}


def until(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


@pytest.fixture
def calm(tmp_path):
    """The bytes of a build that nothing disturbs."""
    (tmp_path / "calm").mkdir()
    samples.build(tmp_path / "calm", Workers())
    return (tmp_path / "calm" / "out.parquet").read_bytes()


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
def test_an_item_that_kills_its_workers_is_named(cluster):
    for number in range(5):
        cluster.worker(str(number))
    with dask_workers(1, cluster.address) as workers, pytest.raises(OrreryError, match="several") as error:
        list(map_items(samples.killed_at_seven, [7], workers, describe="problem {}".format))
    assert "at item 1 of 1: problem 7" in error.value.__notes__


@pytest.mark.exhaustive
def test_a_scheduler_that_stops_answering_is_an_error(two, monkeypatch):
    monkeypatch.setattr("orrery.workers.CHECK_SECONDS", 0.2)
    monkeypatch.setattr("orrery.dask_workers.ANSWER_SECONDS", 1)
    monkeypatch.setattr("orrery.dask_workers.CONNECT_SECONDS", 3)

    def work_until_the_scheduler_stops():
        with dask_workers(1, two.address) as workers:
            for number, _ in map_items(samples.process_of, range(1000), workers):
                if number == 0:
                    two.scheduler.send_signal(signal.SIGSTOP)

    with pytest.raises(ClusterError, match="the connection is lost") as error:
        work_until_the_scheduler_stops()
    assert error.value.code == 6
