"""baking/url_store: outputs and inputs of an object store, by its URLs."""

import json
from contextlib import suppress
from dataclasses import replace

import fsspec
import pytest

from neuralshade import ConfigError, PictureError
from neuralshade.asset.file import read_asset_file
from neuralshade.baking.bake import run_jobs
from neuralshade.baking.executors.executor import Ended, Lost
from neuralshade.baking.executors.local_executor import LocalExecutor
from neuralshade.baking.executors.make import make
from neuralshade.baking.job import FAILED, KEPT, MADE
from neuralshade.baking.plans.standing import AGAIN, stale_outputs, standings_of
from neuralshade.baking.stores.folder_store import open_store
from neuralshade.baking.stores.local_inputs import local_inputs
from neuralshade.baking.stores.url_files import fingerprint

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """Put the ledger of remote bakes into a folder of the test's."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def files(bucket):
    return fsspec.filesystem("s3")


def remote(job, files, bucket):
    """Return a job whose input is in the bucket."""
    url = f"{bucket}/in/{job.name}.json"
    files.put_file(job.subject[0], url)
    return replace(job, subject=(url,))


def test_a_bake_reads_and_writes_objects(probes, files, bucket):
    jobs = [remote(job, files, bucket) for job in probes.jobs(3, tries=False)]
    result = run_jobs(jobs, open_store(bucket), LocalExecutor(bucket, 1))
    assert [row.state for row in result.rows] == [MADE] * 3
    with local_inputs([f"{bucket}/{jobs[2].output}"]) as (copy,):
        assert read_asset_file(copy).tensors["value"][0] == 2
    again = run_jobs(jobs, open_store(bucket), LocalExecutor(bucket, 1))
    assert [row.state for row in again.rows] == [KEPT] * 3
    assert again.rows[0].asset_bytes == result.rows[0].asset_bytes
    there = set(open_store(bucket).outputs())
    assert there == {job.output for job in jobs}
    found = standings_of([*jobs, probes.job("new")], open_store(bucket), there)
    assert [each.state for each in found.values()] == [AGAIN] * 3 + [MADE]  # of probes' digests
    assert stale_outputs(jobs[1:], open_store(bucket), there) == [jobs[0].output]


def test_a_missing_object_is_refused_and_a_folder_is_copied(probes, files, bucket, same_message):
    job = replace(probes.job("gone"), subject=(f"{bucket}/in/gone.json",))
    event = make(job, open_store(bucket))
    assert isinstance(event, Ended) and event.row.state == FAILED
    same_message(event.row.message, f"{bucket}/in/gone.json", "URL")
    for name in ("a.png", "b.png"):
        files.pipe_file(f"{bucket}/set/{name}", name.encode())
    with local_inputs([f"arm={bucket}/set"]) as (word,):
        name, _, folder = word.partition("=")
        assert name == "arm"
        with open(f"{folder}/b.png", "rb") as copied:
            assert copied.read() == b"b.png"


def test_a_checkpoint_moves_to_another_machine(probes, files, bucket, monkeypatch):
    store, job = open_store(bucket), probes.job("a")
    with suppress(RuntimeError), store.work(job) as folder:
        (folder / "a.checkpoint.nsh").write_text("step 7")
        raise RuntimeError
    with store.work(job) as other:
        assert other != folder and (other / "a.checkpoint.nsh").read_text() == "step 7"
    with store.work(job) as third:
        assert list(third.iterdir()) == []
    assert files.find(bucket) == []


def test_a_silent_store_is_no_fault_of_the_job(probes, files, bucket, monkeypatch):
    job, store = probes.job("a"), open_store(bucket)

    def refused(*arguments, **named):
        raise PermissionError("AccessDenied")

    monkeypatch.setattr(files, "put_file", refused)
    event = make(job, store)
    assert isinstance(event, Lost) and "PermissionError: AccessDenied" in event.reason
    assert json.loads(open_path(job))["tries"]


def open_path(job):
    with open(job.subject[0], encoding="ascii") as file:
        return file.read()


def test_a_fingerprint_changes_with_its_objects(files, bucket, refusal):
    for name, text in (("a.png", b"1"), ("b.png", b"2")):
        files.pipe_file(f"{bucket}/{name}", text)
    first = fingerprint(bucket), fingerprint(f"{bucket}/a.png")
    assert first == (fingerprint(bucket), fingerprint(f"{bucket}/a.png"))
    files.pipe_file(f"{bucket}/b.png", b"3")
    assert fingerprint(bucket) != first[0] and fingerprint(f"{bucket}/a.png") == first[1]
    assert "no such file" in refusal(PictureError, fingerprint, f"{bucket}/c.png")


def test_other_protocols_are_refused(refusal, same_message):
    same_message(refusal(ConfigError, open_store, "http://host/assets"), "http://host/assets")
