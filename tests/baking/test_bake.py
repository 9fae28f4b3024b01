"""baking/bake: the public function, with probes in local processes."""

import os
from pathlib import Path

import pytest
from fixtures.gltf_models import ModelFile, material, picture

import neuralshade
from neuralshade import ConfigError, OutputError
from neuralshade.baking.bake import bake
from neuralshade.baking.executors import local_executor, local_slots
from neuralshade.baking.executors.local_slots import LocalSlots
from neuralshade.baking.executors.make import make, wrong_version
from neuralshade.baking.job import KEPT, MADE, Job
from neuralshade.baking.shared import shared_first
from neuralshade.baking.stores.driver_lock import DriverLock
from neuralshade.baking.stores.folder_store import FolderStore, open_store
from neuralshade.base.json_lines import json_lines
from neuralshade.errors import DeviceError

TABLE = '[[asset]]\nname = "{0}"\ninput = "{0}.json"\nseed = {1}\n'


@pytest.fixture
def manifest(probes, monkeypatch):
    """Return what writes a manifest of probes, by name and seed."""
    monkeypatch.chdir(probes.inputs)

    def manifest(**seeds):
        for name in seeds:
            if not (probes.inputs / f"{name}.json").exists():
                probes.job(name)
                os.utime(probes.inputs / f"{name}.json", (1e9, 1e9))  # long ago
        text = '[defaults]\nkind = "probe"\n' + "".join(
            TABLE.format(*each) for each in seeds.items()
        )
        (probes.inputs / "assets.toml").write_text(text)
        return "assets.toml"

    return manifest


def states(result):
    return {row.name: row.state for row in result.rows}


def test_only_what_changed_is_made_again(manifest, probes, monkeypatch, caplog):
    seen = []
    result = neuralshade.bake(manifest(a=1, b=1), probes.output, jobs=1, observer=seen.append,
                              events="events.jsonl")  # fmt: skip
    assert states(result) == {"a": MADE, "b": MADE} and result.failed == []
    assert seen[-1].made == seen[-1].total == 2
    assert probes.files() == {"a.nsh", "b.nsh"}
    assert not (probes.output / ".bake/work").exists()
    assert {line["type"] for line in json_lines(Path("events.jsonl"))} == {
        "started",
        "row",
        "progress",
    }
    os.utime("a.json", (1.1e9, 1.1e9))  # read again, and the same
    again = bake(manifest(a=1, b=2), probes.output, jobs=1)
    assert states(again) == {"a": KEPT, "b": MADE}
    assert again.rows[0].digest in {row.digest for row in result.rows}
    monkeypatch.setattr(FolderStore, "outputs", silent)  # the bake ends well all the same
    forced = bake(manifest(a=1), probes.output, jobs=1, force=True)
    assert states(forced) == {"a": MADE} and forced.plan.stale == ()
    assert caplog.messages[-1] == "Assets of earlier bakes were not looked for. out: got none."


def silent(store):
    raise OutputError("out: got none.")


def test_a_plan_runs_nothing(manifest, probes):
    result = bake(manifest(a=1), probes.output, plan=True)
    assert result.progress.total == 1 and result.rows == [] and not probes.output.exists()
    assert result.plan.jobs[0].name == "a"


def test_a_bake_that_runs_is_left_alone(manifest, probes, refusal):
    with DriverLock(open_store(probes.output)):
        message = refusal(OutputError, bake, manifest(a=1), probes.output, jobs=1)
    assert f"process {os.getpid()} on " in message and probes.files() == set()


@pytest.mark.parametrize("arguments", [
    {"jobs": 0}, {"jobs": True}, {"timeout": 0}, {"timeout": "1"}, {"jobs": 2, "ray": "auto"},
    {"share": True},
])  # fmt: skip
def test_refused_arguments(manifest, refusal, same_message, arguments):
    message = refusal(ConfigError, bake, manifest(a=1), **arguments)
    same_message(message, next(iter(arguments)))


def test_the_shared_part_is_fitted_first():
    jobs = [
        Job(name, "material", (f"/{name}.toml",), f"{name}.nsh", {"preset": preset})
        for name, preset in (("a", "fast"), ("b", "high"), ("c", "fast"), ("d", "high"))
    ]
    first = shared_first([*jobs, Job("e", "image", ("/e.png",), "e.nsh")], "/out")
    assert [job.after for job in first] == [(), (), ("a",), ("b",), ()]
    assert first[2].settings == {"preset": "fast", "share": "/out/a.nsh"}


def test_the_number_of_fits_follows_memory_and_cores(monkeypatch):
    free = {}
    monkeypatch.setattr(local_slots, "free_bytes", lambda: free)
    monkeypatch.setattr(local_slots, "core_count", lambda: 16)
    assert local_slots.local_slots() == LocalSlots(8)
    free["0"] = 10 * 2**30
    assert local_slots.local_slots() == LocalSlots(3)
    free["1"] = 80 * 2**30
    assert local_slots.local_slots() == LocalSlots(6, ("0", "1"))  # by the smaller GPU
    free["0"] = free["1"]
    assert local_slots.local_slots() == LocalSlots(8, ("0", "1"))
    assert local_slots.local_slots(5) == LocalSlots(5, ("0", "1"))


def test_a_worker_of_another_version_is_refused(probes, monkeypatch, refusal):
    assert wrong_version(neuralshade.__version__) is None
    assert "need 9.9, which the driver has" in wrong_version("9.9")
    monkeypatch.setattr(local_executor, "VERSION", "9.9")
    executor = local_executor.LocalExecutor(str(probes.output), 1)
    executor.submit(probes.job("a"))
    message = refusal(DeviceError, executor.events, 60.0)
    assert message.startswith("worker ") and "need 9.9" in message
    executor.close()


def test_workers_that_end_at_once_are_not_started_for_ever(probes, monkeypatch, refusal):
    monkeypatch.setattr("neuralshade.baking.executors.local_worker.MODULE", "no_such_module")
    executor = local_executor.LocalExecutor(str(probes.output), 1)
    executor.submit(probes.job("a"))
    message = refusal(DeviceError, executor.events, 60.0)
    assert "No module named no_such_module" in message
    executor.close()


def test_a_file_that_is_no_asset_is_not_replaced(manifest, probes):
    probes.output.mkdir()
    (probes.output / "a.nsh").write_text("my notes")
    (row,) = bake(manifest(a=1), probes.output, jobs=1).failed
    assert "got a file that is no asset" in row.message and not probes.tries(probes.job_of("a"))
    assert (probes.output / "a.nsh").read_text() == "my notes"


def test_a_disk_that_is_full_leaves_no_file(probes, monkeypatch):
    """As for a worker whose files may have 100 bytes."""
    import resource

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    job, store = probes.job("a", tries=False), open_store(probes.output)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        event = make(job, store)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert event.sound and "File too large" in event.reason and probes.files() == set()
    assert make(job, store).row.state == MADE


@pytest.mark.parametrize("kind", ["image", pytest.param("textures", marks=pytest.mark.slow)])
def test_rows_have_the_sizes_that_info_has(tmp_path, kind):
    """Also a row that is kept, of which the header alone is read."""
    source = tmp_path / "albedo.png"
    source.write_bytes(picture(1))
    settings = {"steps": 2, "engine": "torch"}
    job, store = Job("a", kind, (str(source),), "a.nsh", settings), open_store(tmp_path / "out")
    made, kept = make(job, store).row, make(job, store).row
    facts = neuralshade.info(tmp_path / "out/a.nsh")
    assert facts["bits_per_pixel"] > 0 and facts["memory_bytes"] > 0
    for row, state in ((made, MADE), (kept, KEPT)):
        assert row.state == state
        assert row.bits_per_pixel == pytest.approx(facts["bits_per_pixel"], abs=1e-4)
        assert (row.memory_bytes, row.asset_bytes) == (facts["memory_bytes"], facts["bytes"])


@pytest.mark.slow  # fits a texture set
def test_a_model_comes_out_with_its_assets(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = ModelFile()
    file.document["materials"] = [material("wall", file.image(picture(1)))]
    file.save(tmp_path / "house.glb")
    result = bake("house.glb", settings={"steps": 9, "engine": "torch"}, jobs=1)
    assert states(result) == {"wall": MADE} and result.output == "house_baked"
    assert {path.name for path in Path("house_baked").iterdir()} >= {"wall.nsh", "house.glb"}
