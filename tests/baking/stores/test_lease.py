"""baking/lease: one driver at a time between machines, in a folder and in an object store."""

import json
import os
import re
import threading
import time
from contextlib import suppress
from types import SimpleNamespace

import fsspec
import pytest
from fixtures.probe_jobs import Probes, driver

from neuralshade import OutputError
from neuralshade.baking.bake import run_jobs
from neuralshade.baking.executors.local_executor import LocalExecutor
from neuralshade.baking.job import MADE
from neuralshade.baking.stores import lease, url_lease
from neuralshade.baking.stores.driver_lock import DriverLock
from neuralshade.baking.stores.folder_lease import FolderLeaseFile
from neuralshade.baking.stores.folder_store import open_store
from neuralshade.baking.stores.lease import Lease
from neuralshade.baking.stores.url_lease import UrlLeaseFile
from neuralshade.errors import DeviceError

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
OTHER = {"host": "nightly-2", "pid": 7, "since": "2031-01-01 00:00 UTC", "token": "theirs"}


@pytest.fixture(autouse=True)
def machine(tmp_path, monkeypatch):
    """Return what makes this process one on another machine, as far as its cache shows."""

    def machine(name):
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / name))

    machine("first")
    return machine


@pytest.fixture(params=["folder", "url"])
def place(request, tmp_path):
    """Give an output of this machine or of the object store."""
    return str(tmp_path / "out") if request.param == "folder" else request.getfixturevalue("bucket")


@pytest.fixture
def quick(monkeypatch):
    """Let renewals follow each other, and one that fails for a moment lose the lock."""
    for name, seconds in (("RENEW", 0.01), ("RETRY", 0.01), ("STALE", 0.05), ("SETTLE", 0.0)):
        monkeypatch.setattr(lease, f"{name}_SECONDS", seconds)


def left(place, owner=OTHER):
    """Return the lock's file with what a driver on another machine left there."""
    store = open_store(place)
    store.ledger_folder.mkdir(parents=True, exist_ok=True)
    (file := store.lease_file()).write(json.dumps(owner).encode())
    return file


def owner_in(place):
    return json.loads(open_store(place).lease_file().read())["token"]


def masked(text, place):
    return re.sub(r"is \d+ s ago", "is N s ago", text.replace(place, "OUT"))


def test_a_second_machine_is_refused_until_the_lock_is_stale(place, refusal, same_message,
                                                             monkeypatch):  # fmt: skip
    """Its clock is years ahead: only the store's counts."""
    file = left(place)
    monkeypatch.setattr(lease, "time", SimpleNamespace(monotonic=time.monotonic, sleep=float))
    text = refusal(OutputError, DriverLock, open_store(place))
    same_message(masked(text, place), "OUT", "process 7 on nightly-2 since 2031-01-01", "60 s")
    assert json.loads(file.read()) == OTHER
    monkeypatch.setattr(lease, "STALE_SECONDS", 0.0)
    with DriverLock(open_store(place)):
        assert owner_in(place) != "theirs"
    assert file.read() is None


def test_a_store_without_times_is_watched(bucket, monkeypatch, refusal):
    file = left(bucket)

    def unknown(path):
        raise NotImplementedError

    monkeypatch.setattr(fsspec.filesystem("s3"), "modified", unknown)
    monkeypatch.setattr(url_lease, "STALE_SECONDS", 0.0)
    assert file.age() == 0.0
    monkeypatch.setattr(url_lease, "STALE_SECONDS", 60.0)
    clock = SimpleNamespace(monotonic=time.monotonic, sleep=lambda seconds: left(bucket, {}))
    monkeypatch.setattr(url_lease, "time", clock)
    assert file.age() == 0.0  # it changed while it was watched


def test_what_a_dead_process_of_this_machine_left_is_replaced_at_once(place):
    lock = DriverLock(open_store(place))
    lock._lease._end.set()  # killed: its lock stays, and the system lets go of the file
    lock._local.close()
    with DriverLock(open_store(place)):
        pass


@pytest.mark.parametrize("what", ["free", "stale", "a store that overwrites"])
def test_of_two_at_the_same_moment_one_wins(bucket, what, monkeypatch):
    files, both, wins = fsspec.filesystem("s3"), threading.Barrier(2), []
    clock = SimpleNamespace(monotonic=time.monotonic, sleep=lambda seconds: both.wait(60))
    monkeypatch.setattr(lease, "time", clock)  # both have written
    if what == "stale":
        monkeypatch.setattr(UrlLeaseFile, "age", lambda self: lease.STALE_SECONDS)
        files.pipe_file(f"{bucket}/lock", json.dumps(OTHER).encode())
    if what == "a store that overwrites":
        plain = files.pipe_file
        monkeypatch.setattr(files, "pipe_file", lambda path, data, mode="": plain(path, data))

    def drive(token):
        try:
            made = Lease(bucket, UrlLeaseFile(files, f"{bucket}/lock", bucket), {"token": token})
        except OutputError:
            return
        wins.append(token)
        made._end.set()

    threads = [threading.Thread(target=drive, args=(token,)) for token in ("a", "b")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(wins) == 1, wins


def lost(probes, place, error, break_it):
    """Return the message of a bake whose lock is lost while its jobs run."""
    output, jobs, broken = str(place), probes.gated_jobs(4), []

    def observer(progress):
        if progress.running:  # again, as a renewal may have crossed it
            broken.append(break_it())

    with pytest.raises(error) as caught:
        run_jobs(jobs, open_store(output), LocalExecutor(output, 1), observer=observer)
    assert broken and "\n" not in str(caught.value)
    return masked(str(caught.value), output)


@pytest.mark.parametrize("place", ["folder", pytest.param("url", marks=pytest.mark.slow)],
                         indirect=True)  # fmt: skip
def test_a_driver_that_lost_its_lock_writes_no_more(place, probes, quick, same_message):
    text = lost(probes, place, OutputError, lambda: left(place))
    same_message(text, "OUT", "took over", "nightly-2")
    assert owner_in(place) == "theirs" and probes.files() == set()


def test_a_lock_that_was_removed_is_written_again(place, quick):
    with DriverLock(open_store(place)) as lock:
        open_store(place).lease_file().remove()
        while open_store(place).lease_file().read() is None:
            time.sleep(0.01)
        lock.check()


def test_a_bug_while_it_is_renewed_is_no_lock_that_seems_to_hold(tmp_path, quick, monkeypatch):
    def broken(self):
        raise KeyError("bug")

    with DriverLock(open_store(tmp_path)) as lock:
        monkeypatch.setattr(FolderLeaseFile, "read", broken)
        lock._lease._thread.join(60)
        with pytest.raises(DeviceError, match=r"KeyError: 'bug'.*not renewed"):
            lock.check()


@pytest.mark.slow  # its workers start
def test_a_bucket_that_vanishes_ends_the_bake(bucket, probes, quick, same_message):
    files, name = fsspec.filesystem("s3"), bucket.split("/")[2]

    def vanish():
        files.invalidate_cache()
        with suppress(OSError):  # it is gone, or got a lock while it was emptied
            files.rm(name, recursive=True)

    try:
        text = lost(probes, bucket, DeviceError, vanish)
    finally:
        files.makedirs(name, exist_ok=True)
    same_message(re.sub(r"for \d+ s", "for N s", text), "OUT", "the same command goes on")


@pytest.mark.slow  # its workers start
def test_an_outage_that_ends_harms_no_job(bucket, probes, monkeypatch):
    monkeypatch.setattr("neuralshade.baking.driver.SILENT_SECONDS", 0.1)
    files, name = fsspec.filesystem("s3"), bucket.split("/")[2]
    jobs, state = probes.gated_jobs(3), ["up"]

    def observer(progress):
        if progress.running and state == ["up"]:
            files.invalidate_cache()
            files.rm(name, recursive=True)
            state[0] = "down"
            probes.pass_gate(3)
        elif progress.repeated and state == ["down"]:
            files.mkdir(name)
            state[0] = "up again"

    result = run_jobs(jobs, open_store(bucket), LocalExecutor(bucket, 1), observer=observer)
    assert state == ["up again"] and {row.state for row in result.rows} == {MADE}
    assert max(row.attempts for row in result.rows) > 1


@pytest.mark.slow  # its workers start
def test_credentials_that_end_end_the_bake(bucket, probes, quick, same_message, monkeypatch):
    server = pytest.importorskip("moto").settings

    def end():  # all keys are unknown from the first request on
        monkeypatch.setattr(server, "INITIAL_NO_AUTH_ACTION_COUNT", 0)

    text = lost(probes, bucket, DeviceError, end)
    same_message(re.sub(r"for \d+ s", "for N s", text), "OUT", "access")


def test_a_slow_store_loses_nothing(bucket, quick, monkeypatch):
    """A renewal that takes longer than a lock counts is one all the same."""
    slow, begun, plain = threading.Event(), threading.Event(), UrlLeaseFile.write

    def write(self, data):
        begun.set()
        slow.wait(60)
        plain(self, data)

    monkeypatch.setattr(UrlLeaseFile, "write", write)
    with DriverLock(open_store(bucket)) as lock:
        begun.wait(60)
        time.sleep(2 * lease.STALE_SECONDS)
        slow.set()
        lock._lease._thread.join(0.1)
        lock.check()


@pytest.mark.slow  # drivers start anew
def test_processes_on_two_machines(bucket, probes, machine):
    """The second is refused, also after the first was killed; that one's machine goes on."""
    remote = Probes(bucket, probes.inputs)
    remote.gated_jobs(2)
    first = driver(remote, ("local", "1"), 2)
    while open_store(bucket).lease_file().read() is None:
        assert first.poll() is None, remote.printed()
        time.sleep(0.05)
    machine("second")
    assert driver(remote, ("local", "1"), 2).wait() == 1
    assert f"a bake that runs already, process {first.pid} on " in remote.printed()
    first.kill()
    first.wait()
    assert driver(remote, ("local", "1"), 2).wait() == 1 and "60 s" in remote.printed()
    machine("first")
    remote.pass_gate(2)
    assert driver(remote, ("local", "1"), 2).wait() == 0, remote.printed()
    assert open_store(bucket).lease_file().read() is None


@pytest.mark.slow  # drivers start anew
def test_of_two_processes_at_the_same_moment_one_wins(bucket, probes, machine):
    remote = Probes(bucket, probes.inputs)
    remote.gated_jobs(2)
    running = []
    for name in ("first", "second"):
        machine(name)
        running.append(driver(remote, ("local", "1"), 2))
    while all(each.poll() is None for each in running):
        time.sleep(0.05)
    loser = next(each for each in running if each.poll() is not None)
    assert loser.wait() == 1 and "a bake that runs already" in remote.printed()
    remote.pass_gate(2)
    assert sorted(each.wait() for each in running) == [0, 1]
    assert os.path.exists(remote.log)
