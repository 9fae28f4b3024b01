"""baking/digest: what changes a job's digest, and that files are read once."""

import dataclasses
import os

import pytest

from neuralshade.baking.job import Job
from neuralshade.baking.plans import digest
from neuralshade.baking.plans.digest import FileDigests, FileStamps, job_digest

LONG_AGO = 1_000_000_000


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path, text, seconds=LONG_AGO):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
    os.utime(path, (seconds, seconds))
    return os.path.abspath(path)


def of(job):
    return job_digest(job, FileDigests())


def test_settings_inputs_and_version_change_it(monkeypatch):
    job = Job("a", "image", (write("a.png", "1"),), "a.nsh", {"steps": 5})
    first = of(job)
    assert len(first) == 64 and of(job) == first
    others = [dataclasses.replace(job, settings=settings) for settings in (
        {"steps": 6}, {"steps": 5, "bpp": 3.0}, {"steps": 5, "preset": "detail"})]  # fmt: skip
    others.append(dataclasses.replace(job, kind="splats"))
    found = {first, *map(of, others)}
    write("a.png", "2")
    found.add(of(job))
    monkeypatch.setattr(digest, "VERSION", "99")
    found.add(of(job))
    assert len(found) == 7


def test_what_changes_no_asset_does_not(folder):
    job = Job("a", "image", (write("a.png", "1"),), "a.nsh", {"steps": 5})
    moved = write("other/a.png", "1", LONG_AGO + 5)
    for same in (
        dataclasses.replace(job, subject=(moved,)),
        dataclasses.replace(job, settings={"steps": 5, "engine": "torch", "deterministic": True}),
        dataclasses.replace(job, settings={"steps": 5, "bpp": 4.0}),  # the default
        dataclasses.replace(job, name="b", output="b.nsh", place="x:1", cost=3.0),
    ):
        assert of(same) == of(job)


def test_of_a_folder_the_maps_count():
    for name in ("albedo", "normal", "roughness"):
        write(f"wall/{name}.png", name)
    write("wall/readme.txt", "1")
    job = Job("wall", "textures", (os.path.abspath("wall"),), "wall.nsh")
    first = of(job)
    write("wall/readme.txt", "2")
    assert of(job) == first
    write("wall/normal.png", "x")
    changed = of(job)
    os.rename("wall/roughness.png", "wall/metallic.png")
    assert len({first, changed, of(job)}) == 3


def test_documents_count_with_the_files_that_they_name():
    write("m/textures/a.png", "1")
    write("m/copper.mtlx", '<materialx fileprefix="textures/"><input value="a.png"/></materialx>')
    job = Job("c", "material", (os.path.abspath("m/copper.mtlx"),), "c.nsh")
    first = of(job)
    write("m/other.png", "1")
    assert of(job) == first
    write("m/textures/a.png", "2")
    assert of(job) != first
    task = Job("t", "shader", (write("t.slang", "import noise;\n"),), "t.nsh",
               {"set": [f"photo={write('p.png', '1')}", "strength=0.5"]})  # fmt: skip
    before = of(task)
    write("noise.slang", "1")
    module = of(task)
    write("p.png", "2")
    assert len({before, module, of(task)}) == 3


def test_missing_inputs_have_no_digest():
    assert of(Job("a", "image", ("/no/such.png",), "a.nsh")) == ""
    assert of(Job("a", "textures", ("/no/such",), "a.nsh")) == ""


def test_files_are_read_once_until_they_change(monkeypatch):
    path, files = write("a.png", "1"), FileDigests()
    first = files.of(path)
    with monkeypatch.context() as patch:
        patch.setattr("builtins.open", None)
        assert files.of(path) == first
    write("a.png", "2", LONG_AGO)  # of equal size and time: taken for the same
    assert files.of(path) == first
    write("a.png", "2", LONG_AGO + 1)
    assert files.of(path) != first


def test_stamps_change_with_size_and_time_and_read_nothing(monkeypatch):
    path, stamps = write("a.png", "1", LONG_AGO), FileStamps()
    with monkeypatch.context() as patch:
        patch.setattr("builtins.open", None)
        first = stamps.of(path)
        assert FileStamps().of(path) == first
    write("a.png", "1", LONG_AGO + 1)
    assert stamps.of(path) != first
    os.utime(path)
    assert stamps.of(path) != stamps.of(path)


def test_a_file_that_has_just_changed_is_read_again():
    path, files = write("a.png", "1"), FileDigests()
    os.utime(path)
    now, first = os.stat(path).st_mtime, files.of(path)
    write("a.png", "2")
    os.utime(path, (now, now))
    assert files.of(path) != first
