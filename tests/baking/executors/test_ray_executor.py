"""baking/ray_executor: nodes that come, go and refuse; GPUs; what ends early; addresses."""

import os
import pathlib
import signal
import socket
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from neuralshade.baking.bake import run_jobs
from neuralshade.baking.executors import local_slots, ray_session
from neuralshade.baking.executors.executor import Ended, Lost, Started
from neuralshade.baking.executors.gpu_packing import gpu_share
from neuralshade.baking.executors.ray_executor import RayExecutor
from neuralshade.baking.executors.ray_nodes import RayNodes
from neuralshade.baking.stores.folder_store import open_store
from neuralshade.errors import ConfigError, DeviceError

slow = pytest.mark.slow  # a cluster takes seconds to start


@pytest.fixture
def executor(ray_cluster, probes):
    with_ray = RayExecutor(ray_cluster.address, str(probes.output))
    yield with_ray
    with_ray.close()


def until(executor, kind, count=1, seconds=300):
    """Return the first events of a kind."""
    found, end = [], time.monotonic() + seconds
    while len(found) < count and time.monotonic() < end:
        found += [event for event in executor.events(0.5) if isinstance(event, kind)]
    assert len(found) >= count
    return found


@pytest.mark.parametrize(
    "address", ["127.0.0.1:1", "127.0.0.1:PORT", "auto", "ray://head:10001", "head"]
)
def test_no_cluster_is_one_line_in_ten_seconds(tmp_path, address, same_message, monkeypatch):
    pytest.importorskip("ray")
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:2")  # of "auto"
    monkeypatch.setattr(ray_session, "TRY_SECONDS", 1.0)
    handler = signal.getsignal(signal.SIGTERM)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        port = silent.getsockname()[1]
        with pytest.raises((ConfigError, DeviceError)) as error:
            RayExecutor(address.replace("PORT", str(port)), str(tmp_path))
    assert ray_session.AUTO == "auto" and signal.getsignal(signal.SIGTERM) is handler
    word = "HOST:PORT" if "head" in address else "ray start --head"
    same_message(str(error.value).replace(str(port), "PORT"), "ray", word)


def test_a_missing_package_is_said(tmp_path, monkeypatch, same_message):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(DeviceError) as error:
        RayExecutor("auto", str(tmp_path))
    same_message(str(error.value), "--ray", "neuralshade[ray]")


@slow
def test_a_node_that_dies_loses_its_jobs_and_others_take_them(ray_cluster, probes):
    node = ray_cluster.add()
    executor = RayExecutor(ray_cluster.address, str(probes.output))
    jobs = probes.gated_jobs(12)
    killed = []

    def observer(progress):
        if progress.running == 3 and not killed:
            killed.append(node)
            ray_cluster.kill(node)
        if progress.repeated:  # a worker outlives its node by moments, in which it could end
            probes.pass_gate(12)

    assert executor.slots() == 3
    result = run_jobs(jobs, open_store(probes.output), executor, observer=observer)
    assert killed and not result.failed
    assert probes.files() == {job.output for job in jobs}
    assert sorted(row.attempts for row in result.rows) == [1] * 11 + [2]


@slow
def test_nodes_that_come_take_jobs(ray_cluster, probes):
    executor = RayExecutor(ray_cluster.address, str(probes.output))
    jobs, nodes = probes.gated_jobs(16), []
    most = 0

    def observer(progress):
        nonlocal most
        if progress.running and not nodes:
            nodes.append(ray_cluster.add())
        most = max(most, progress.running)
        if most == 3:
            probes.pass_gate(16)

    result = run_jobs(jobs, open_store(probes.output), executor, observer=observer)
    ray_cluster.kill(nodes[0])
    assert not result.failed and most == 3


@slow
def test_a_job_that_is_stopped_is_lost_and_its_worker_gone(executor, probes, same_message):
    executor.submit(probes.job("endless", sleep=1e6))
    (started,) = until(executor, Started)
    executor.stop("endless")
    (lost,) = until(executor, Lost)
    host, pid = started.worker.split(":")
    same_message(lost.reason.replace(started.worker, "HOST:PID"), "worker HOST:PID")
    end = time.monotonic() + 60
    while int(pid) in probes.alive() and time.monotonic() < end:
        time.sleep(0.05)
    assert int(pid) not in probes.alive() and host


@slow
def test_close_lets_running_fits_save_their_checkpoints(executor, probes):
    job = probes.job("long", sleep=1e6)
    executor.submit(job)
    until(executor, Started)
    end = time.monotonic() + 300  # until the fit itself sleeps
    while not probes.alive() and time.monotonic() < end:
        time.sleep(0.05)
    executor.close()
    assert list(probes.output.glob(".bake/work/*/long.checkpoint.nsh"))
    assert not list(probes.output.glob(".bake/work/driver-*"))


@slow
def test_memory_that_runs_out_is_named(executor, probes):
    executor.submit(probes.job("dies", die=9))
    (lost,) = until(executor, Lost)
    assert "memory" in lost.reason and not lost.sound


@slow
def test_another_version_is_refused_by_name(ray_cluster, probes, tmp_path, monkeypatch,
                                            same_message):  # fmt: skip
    """A node at the start ends the bake; one that comes later gets no jobs."""
    other = tmp_path / "other/neuralshade"
    (other / "baking/executors").mkdir(parents=True)
    for name in ("__init__.py", "baking/__init__.py", "baking/executors/__init__.py"):
        (other / name).write_text("")
    text = 'def wrong_version(version):\n    return f"worker there: got 0.0.1, need {version}."\n'
    (other / "baking/executors/make.py").write_text(text)
    path = os.environ["PYTHONPATH"]
    executor = RayExecutor(ray_cluster.address, str(probes.output))
    monkeypatch.setenv("PYTHONPATH", f"{other.parent}{os.pathsep}{path}")
    node = ray_cluster.add()
    try:
        jobs = probes.jobs(8, sleep=0.3)
        result = run_jobs(jobs, open_store(probes.output), executor)
        assert {row.attempts for row in result.rows} == {1} and len(result.rows) == 8
        monkeypatch.setenv("PYTHONPATH", path)
        with pytest.raises(DeviceError) as error:
            RayExecutor(ray_cluster.address, str(probes.output))
        same_message(str(error.value), "worker there")
    finally:
        ray_cluster.kill(node)


@slow
def test_a_node_that_does_not_see_the_output_is_named(ray_cluster, tmp_path, monkeypatch,
                                                      same_message):  # fmt: skip
    output = tmp_path / "out"
    monkeypatch.setattr(RayExecutor, "_leave_token", lambda self: None)
    with pytest.raises(DeviceError) as error:
        RayExecutor(ray_cluster.address, str(output))
    text = str(error.value).replace(str(output), "OUT")
    place = text.split(": ")[0]
    same_message(text.replace(place, "worker HOST:PID"), "worker HOST:PID", "Mount it")


@pytest.mark.parametrize("total, share", [("81559", 0.0376), ("8192", 3 / 8), ("2048", 1.0)])
def test_a_share_is_by_memory(monkeypatch, total, share):
    pytest.importorskip("ray")
    answer = subprocess.CompletedProcess([], 0, f"0, 90000\n1, {total}\n", "")
    monkeypatch.setattr(local_slots.shutil, "which", lambda name: name)
    monkeypatch.setattr(local_slots.subprocess, "run", lambda *words, **how: answer)
    nodes = RayNodes(Listed({"CPU": 16.0, "GPU": 2.0}, {"CPU": 64.0}), None, None)
    nodes.check(Checked(), "out", "token")
    assert nodes.cpus == 2 and nodes.slots() == min(8, 2 * int(1 / share + 1e-6))
    assert nodes.needs() == {"num_cpus": 2, "num_gpus": share}
    nodes.measured(None)
    nodes.measured(2**30)
    measured = nodes.gpu_share
    assert measured == gpu_share(int(total) * 2**20, 2**30) < max(share, 0.7)
    nodes.measured(2**29)  # less than before
    nodes.out_of_memory(share)
    nodes.out_of_memory(share)  # of a job that began beside the first one
    assert nodes.gpu_share == max(measured, min(1.0, 2 * share))
    given = RayNodes(Listed({"CPU": 16.0, "GPU": 2.0}), None, 0.5)
    given.measured(2**40)
    assert given.gpu_share == 0.5


def test_without_gpus_jobs_run_on_cores(caplog):
    nodes = RayNodes(Listed({"CPU": 5.0}, {}, {"CPU": 1.0}), None, None)
    assert (nodes.cpus, nodes.gpu_share, nodes.slots()) == (1, 0, 6)
    assert RayNodes(Listed({}), None, None).slots() == 0 and "jobs wait" in caplog.text


class Checked:
    """The remote function that looks at a node."""

    def options(self, **how):
        return self

    def remote(self, place, token):
        return object()


class Listed:
    """Ray, as far as it lists nodes, of which none refuses."""

    exceptions = SimpleNamespace(NodeDiedError=(), TaskUnschedulableError=(), RayError=())

    def __init__(self, *resources):
        self.resources = resources

    def wait(self, calls, num_returns, timeout):
        return calls, []

    def get(self, call):
        return None, local_slots.smallest_gpu()

    def nodes(self):
        return [{"Alive": True, "NodeID": f"{n + 1:056x}", "NodeName": str(n), "Resources": each}
                for n, each in enumerate(self.resources)]  # fmt: skip


@slow
def test_a_process_stays_on_its_gpu(ray_cluster, probes):
    """Ray gives a process that it keeps any GPU: CUDA would stay on the first."""
    node = ray_cluster.add(num_cpus=4, num_gpus=2)
    try:
        executor = RayExecutor(ray_cluster.address, str(probes.output), gpu_share=0.5, cpus=1)
        assert executor.slots() == 4
        for part in range(4):  # pauses, in which processes are given back
            for job in probes.gated_jobs(4, gpu=True, part=part):
                executor.submit(job)
            until(executor, Started, 4)
            probes.pass_gate(4)
            until(executor, Ended, 4)
            time.sleep(1.2)
        executor.close()
    finally:
        ray_cluster.kill(node)
    gpus: dict[str, set[str]] = {}
    for line in pathlib.Path(probes.inputs, "gpus").read_text().splitlines():
        pid, gpu = line.split()
        gpus.setdefault(pid, set()).add(gpu)
    assert {len(each) for each in gpus.values()} == {1}
    assert set.union(*gpus.values()) == {"0", "1"}
