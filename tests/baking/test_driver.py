"""baking/driver: order, repeats, time limits and the table, with an executor that only says so."""

import os
import signal
from types import SimpleNamespace

import pytest

from neuralshade import FitInterrupted, OutputError
from neuralshade.baking.bake import run_jobs
from neuralshade.baking.executors.executor import Ended, Lost, Started
from neuralshade.baking.job import FAILED, MADE, Job, Row
from neuralshade.baking.stores.driver_lock import DriverLock
from neuralshade.baking.stores.folder_store import open_store
from neuralshade.baking.tables import ledger
from neuralshade.base.json_lines import json_lines


class Scripted:
    """An executor: ``script`` has what becomes of a job's attempts, else it is done at once."""

    def __init__(self, slots=2, script=None):
        self.count, self.script, self.seen, self.queue = slots, script or {}, [], []
        self.most = 0
        self.stopped, self.closed = [], False

    def slots(self):
        return self.count

    def submit(self, job):
        self.seen.append(job.name)
        self.queue.append(job)
        self.most = max(self.most, len(self.queue))

    def events(self, timeout):
        if not self.queue:
            return []
        job = self.queue.pop(0)
        then = self.script.get(job.name, [])
        if then and then[0] == "hang":
            self.queue.insert(0, job)
            return [Started(job.name)]
        if then:
            return [Started(job.name), then.pop(0)]
        return [Started(job.name), Ended(job.name, row_of(job))]

    def stop(self, name):
        self.stopped.append(name)
        self.script[name] = [Lost(name, "stopped")]

    def close(self):
        self.closed = True


def job(name, **values):
    return Job(name, "probe", ("a",), f"{name}.nsh", **values)


def row_of(job, state=MADE, message=""):
    return Row(job.name, job.kind, job.output, state, message, seconds=1.0)


@pytest.fixture
def run(tmp_path):
    def run(jobs, executor, **options):
        return run_jobs(jobs, open_store(tmp_path), executor, **options)

    return run


def test_the_longest_is_first_and_needed_ones_before(run):
    jobs = [job("a", cost=1.0), job("b", cost=5.0), job("c", cost=9.0, after=("a",)),
            job("d", cost=5.0)]  # fmt: skip
    executor = Scripted(slots=1)
    run(jobs, executor)
    assert executor.seen[:3] == ["b", "d", "a"] and executor.seen[3] == "c"
    assert executor.closed


def test_few_are_in_flight_and_little_is_kept(run):
    executor, kept = Scripted(slots=3), []
    result = run((job(f"j{number}") for number in range(500)), executor,
                 observer=lambda progress: kept.append(progress))  # fmt: skip
    assert executor.most == 6 and len(result.rows) == 500
    assert kept[-1].made == kept[-1].total == 500 and kept[-1].running == 0


def test_a_lost_job_has_three_attempts_and_a_refused_one(run, caplog):
    lost = Lost("a", "worker h:1: was killed.")
    refused = Ended("b", row_of(job("b"), FAILED, "b: got x, need y."))
    executor = Scripted(script={"a": [lost] * 3, "b": [refused], "c": [Lost("c", "gone")] * 2})
    rows = {row.name: row for row in run([job(name) for name in "abcd"], executor).rows}
    assert {name: row.attempts for name, row in rows.items()} == {"a": 3, "b": 1, "c": 3, "d": 1}
    assert (rows["a"].state, rows["a"].message) == (FAILED, lost.reason)
    assert rows["c"].state == rows["d"].state == MADE
    assert (rows["c"].lost, rows["d"].lost) == ("gone\ngone", "")
    lines = [line for line in caplog.messages if line.startswith("a: ")]
    assert lines == [
        "a: lost attempt 1 of 3. worker h:1: was killed. It is tried again.",
        "a: lost attempt 2 of 3. worker h:1: was killed. It is tried again.",
        "a: lost attempt 3 of 3. worker h:1: was killed. It fails.",
    ]


def test_many_lost_attempts_are_logged_up_to_a_bound(run, caplog):
    jobs = [job(f"j{number}") for number in range(30)]
    run(jobs, Scripted(script={each.name: [Lost(each.name, "gone.")] for each in jobs}))
    assert len(caplog.messages) == 21
    assert caplog.messages[-1] == "Further lost attempts are in the table, not here."


def test_a_job_of_a_silent_store_is_tried_after_the_others(run, monkeypatch):
    silent = Lost("a", "s3://b: got X, need a store that answers. Check the URL.")
    now = [0.0]
    clock = SimpleNamespace(
        monotonic=lambda: now[0], sleep=lambda seconds: now.append(now.pop() + 9)
    )
    monkeypatch.setattr("neuralshade.baking.driver.time", clock)
    executor = Scripted(slots=1, script={"a": [silent] * 2})
    rows = run([job("a", cost=9.0), job("b"), job("c"), job("d")], executor).rows
    assert executor.seen == ["a", "b", "c", "d", "a", "a"]
    assert [row.attempts for row in rows] == [1, 1, 1, 3] and now == [90.0]


def test_a_job_without_memory_is_tried_until_it_is_alone(run):
    """Each attempt halves the number of fits; three are too few from 16 on."""

    class Halved(Scripted):
        def events(self, timeout):
            found = super().events(timeout)
            if any(isinstance(event, Lost) for event in found):
                self.count = max(1, self.count // 2)
            return found

    lost = Lost("a", "memory: got no 3 MB on GPU.")
    (row,) = run([job("a")], Halved(slots=16, script={"a": [lost] * 4})).rows
    assert (row.state, row.attempts) == (MADE, 5)
    (row,) = run([job("a")], Halved(slots=16, script={"a": [lost] * 9})).rows
    assert (row.state, row.attempts) == (FAILED, 5)  # alone once


def test_what_needs_a_failed_job_is_not_tried(run):
    refused = Ended("a", row_of(job("a"), FAILED, "a: got x, need y."))
    executor = Scripted(script={"a": [refused]})
    jobs = [job("a"), job("b", after=("a",)), job("c", after=("b", "d")), job("d")]
    result = run(jobs, executor)
    assert executor.seen == ["a", "d"] and [row.name for row in result.failed] == ["a", "b", "c"]


def test_a_job_without_end_is_set_aside_once(run, same_message):
    executor = Scripted(script={"a": ["hang"]})
    result = run([job("a"), job("b")], executor, timeout=0.01)
    assert executor.stopped == ["a"] and executor.seen == ["a", "b"]
    same_message(result.failed[0].message, "a.nsh", "--timeout")


def test_ctrl_c_begins_nothing_more_and_says_how_to_go_on(run, same_message):
    class Interrupted(Scripted):
        def events(self, timeout):
            if len(self.seen) == 4 and self.most == 4 and not self.closed:
                self.most = 0
                os.kill(os.getpid(), signal.SIGTERM)
            if self.closed:  # one had its end while the others saved their checkpoints
                return [Ended("j1", row_of(job("j1")))]
            return [Started(name) for name in self.seen]

    executor = Interrupted()
    with pytest.raises(FitInterrupted) as caught:
        run([job(f"j{number}") for number in range(9)], executor)
    assert executor.seen == ["j0", "j1", "j2", "j3"] and executor.closed
    assert str(caught.value).startswith("interrupted after 1 of 9 jobs; 3 that ran are kept")


def test_a_second_driver_is_refused_and_a_dead_one_is_not(run, tmp_path, refusal):
    store = open_store(tmp_path)
    with DriverLock(store):
        message = refusal(OutputError, DriverLock, store)
    assert f"a bake that runs already, process {os.getpid()} on " in message
    assert (tmp_path / ".bake/lock").stat().st_size  # of one that is gone
    run([job("a")], Scripted())


def test_a_torn_line_is_left_out(run, tmp_path):
    result = run([job("a"), job("b")], Scripted())
    with result.run.path.open("ab") as file:
        file.write(b'{"name":"c","ki')
    assert [row.name for row in result.rows] == ["a", "b"]
    again = run([job("b"), job("d")], Scripted())
    assert [row.name for row in again.rows] == ["b", "d"]
    assert [row.name for row in result.rows] == ["a", "b"]  # those of the first run still


def test_rows_are_read_from_where_their_run_begins(run, monkeypatch):
    """Of many earlier runs nothing is read, and no row is kept."""
    for _ in range(3):
        run((job(f"j{number}") for number in range(200)), Scripted())
    result = run([job("a"), job("b")], Scripted())
    read = []
    monkeypatch.setattr(ledger, "json_lines", lambda *about: map(counted, json_lines(*about)))

    def counted(data):
        read.append(data)
        return data

    assert next(result.each_row()).name == "a" and len(read) == 2  # the run's own line, and one
    read.clear()
    assert [row.name for row in result.rows] == ["a", "b"] and len(read) == 3


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is full")
def test_events_that_nobody_takes_end_no_bake(run, caplog):
    result = run([job("a")], Scripted(), events="/dev/full")
    assert len(result.rows) == 1 and "The bake goes on without." in caplog.text
