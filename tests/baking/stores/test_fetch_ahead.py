"""baking/fetch_ahead: inputs by URL are there when their jobs begin."""

import threading
from dataclasses import replace

import fsspec
import pytest

from neuralshade.baking.bake import run_jobs
from neuralshade.baking.executors.local_executor import LocalExecutor
from neuralshade.baking.executors.local_worker import LocalWorker
from neuralshade.baking.executors.make import make
from neuralshade.baking.job import MADE
from neuralshade.baking.stores import url_files
from neuralshade.baking.stores.fetch_ahead import AheadFolder
from neuralshade.baking.stores.folder_store import open_store
from neuralshade.baking.stores.local_inputs import local_inputs, read_ahead

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")


@pytest.fixture
def ahead(tmp_path):
    (folder := tmp_path / "ahead").mkdir()
    return AheadFolder(folder)


@pytest.fixture
def files(bucket):
    return fsspec.filesystem("s3")


@pytest.fixture
def fetched(monkeypatch):
    """Return a list of the URLs that are fetched from now on."""
    seen, plain = [], url_files.fetch

    def fetch(url, folder):
        seen.append(url)
        return plain(url, folder)

    monkeypatch.setattr(url_files, "fetch", fetch)
    return seen


def text_of(url, ahead):
    with local_inputs([f"arm={url}"], ahead) as (word,):
        name, _, path = word.partition("=")
        assert name == "arm" and path.endswith("a.json")
        with open(path) as file:
            return file.read()


def test_a_copy_is_taken_once_and_only_unchanged(bucket, files, ahead, fetched):
    files.pipe_file(url := f"{bucket}/a.json", b"first")
    ahead.fetch(url)
    ahead.fetch(url)  # as another process would
    assert fetched == [url]
    assert text_of(url, ahead) == "first" and fetched == [url] and ahead.copies() == []
    ahead.fetch(url)
    files.pipe_file(url, b"later")
    assert text_of(url, ahead) == "later" and ahead.copies() == []


def test_a_copy_that_is_being_made_is_waited_for(bucket, files, ahead, fetched, monkeypatch):
    files.pipe_file(url := f"{bucket}/a.json", b"slowly")
    begun, go_on, plain = threading.Event(), threading.Event(), url_files.fetch

    def slow(*arguments):
        begun.set()
        go_on.wait(60)
        return plain(*arguments)

    monkeypatch.setattr(url_files, "fetch", slow)
    other = threading.Thread(target=ahead.fetch, args=(url,))
    other.start()
    begun.wait(60)
    threading.Timer(0.05, go_on.set).start()
    assert text_of(url, ahead) == "slowly" and fetched == [url]
    other.join()


def test_what_is_there_or_cannot_be_read_is_not_fetched(bucket, files, ahead, probes, fetched):
    """The job reports a missing input; another attempt to fetch it finds no rest of the first."""
    store, job = open_store(bucket), probes.job("a", tries=False)
    files.put_file(job.subject[0], url := f"{bucket}/in/a.json")
    job = replace(job, subject=(url,))
    read_ahead(job, store, ahead)
    assert len(ahead.copies()) == 1 and make(job, store, ahead).row.state == MADE
    assert fetched == [url] and ahead.copies() == []
    read_ahead(job, store, ahead)
    assert fetched == [url]
    read_ahead(replace(job, force=True), store, ahead)
    assert fetched == [url, url]
    read_ahead(replace(job, subject=(f"{bucket}/gone",), output="b.nsh"), store, ahead)
    assert [path.suffix for path in ahead.copies()] == [".copy"]
    assert not list(ahead._folder.glob("*.part"))


def test_each_job_that_waits_is_announced_once(probes, monkeypatch):
    announced, plain = [], LocalWorker.announce

    def announce(self, job):
        assert self.job is not None and self.job.name != job.name
        announced.append(job.name)
        plain(self, job)

    monkeypatch.setattr(LocalWorker, "announce", announce)
    jobs = probes.jobs(6, tries=False)
    run_jobs(jobs, open_store(probes.output), LocalExecutor(str(probes.output), 1))
    assert announced == [job.name for job in jobs[1:]]


@pytest.mark.slow  # a worker starts
def test_the_next_input_is_fetched_while_a_fit_runs(bucket, files, probes, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    jobs = []
    for job in probes.gated_jobs(3, tries=False):
        files.put_file(job.subject[0], url := f"{bucket}/in/{job.name}.json")
        jobs.append(replace(job, subject=(url,)))
    executor, most = LocalExecutor(bucket, 1), 0
    folder = executor._ahead.path

    def observer(progress):
        nonlocal most
        if progress.running and (copies := AheadFolder(folder).copies()):
            most = max(most, len(copies))
            probes.pass_gate(3)

    result = run_jobs(jobs, open_store(bucket), executor, observer=observer)
    assert most == 1 and not result.failed and not folder.exists()
