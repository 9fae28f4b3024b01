"""baking/standing: what would be kept or made, told without making it; and what is left over."""

import os
import pathlib
from dataclasses import replace

import numpy as np
import pytest
from fixtures.gltf_models import ModelFile, material, picture

from neuralshade.asset.file import AssetFile, read_asset_file, write_asset_file
from neuralshade.baking.bake import bake
from neuralshade.baking.executors.make import make
from neuralshade.baking.job import FAILED, KEPT, MADE, Job
from neuralshade.baking.plans import digest, standing
from neuralshade.baking.plans.digest import FileDigests, FileStamps, job_digest
from neuralshade.baking.plans.standing import (
    AGAIN,
    Standing,
    stale_note,
    stale_outputs,
    standings_of,
)
from neuralshade.baking.stores.folder_store import open_store
from neuralshade.baking.stores.stored import STAMP

LONG_AGO = 1e9


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return open_store("out")


def source(name, content=None, seconds=LONG_AGO):
    path = pathlib.Path(f"{name}.png")
    path.write_bytes(picture(1) if content is None else content)
    os.utime(path, (seconds, seconds))
    return str(path.resolve())


def job(name, **settings):
    """Return a job of a picture that exists, or is written."""
    path = pathlib.Path(f"{name}.png")
    return Job(name, "image", (str(path.resolve()) if path.exists() else source(name),),
               f"{name}.nsh", {"steps": 5, **settings})  # fmt: skip


def made(one, **stamp):
    """Write what a bake of a job leaves, without a fit."""
    path = pathlib.Path("out", one.output)
    path.parent.mkdir(parents=True, exist_ok=True)
    known = {"digest": job_digest(one, FileDigests()), "stamp": job_digest(one, FileStamps())}
    header = {"kind": one.kind, "recipe": {}, "training": {"steps": 1, "seconds": 0.0},
              "quality": {}, STAMP: known | stamp}  # fmt: skip
    write_asset_file(path, AssetFile(header, {"value": np.zeros(1)}))
    return one


def of(store, *jobs):
    return list(standings_of(jobs, store, set(store.outputs())).values())


def test_what_is_not_there_is_made(store):
    assert of(store, job("a"), job("b")) == [Standing(MADE)] * 2


def test_what_is_there_is_kept_or_made_again_with_the_reason(store, monkeypatch):
    a = made(job("a"))
    assert of(store, a) == [Standing(KEPT)]
    assert of(store, replace(a, force=True)) == [Standing(AGAIN, "--force")]
    other = replace(a, settings={"steps": 6})
    assert of(store, other) == [Standing(AGAIN, "settings changed")]
    source("a", picture(2), LONG_AGO + 1)
    assert of(store, a) == [Standing(AGAIN, "inputs changed")]
    assert of(store, other) == [Standing(AGAIN, "settings changed")]  # inputs are not read then
    monkeypatch.setattr(digest, "VERSION", "99")
    assert of(store, other) == [Standing(AGAIN, "version and settings changed")]


def test_a_plan_agrees_with_the_bake(store):
    """Of a real fit: what is planned is what the next bake does."""
    one = job("a", engine="torch", preset="tiny-9")
    assert make(one, store).row.state == MADE
    for changed in (one, replace(one, settings={**one.settings, "steps": 6})):
        (planned,) = of(store, changed)
        assert (planned.state == KEPT) == (make(changed, store).row.state == KEPT)


def test_inputs_of_other_times_are_read_up_to_a_bound(store, monkeypatch):
    a = made(job("a"))
    source("a", None, LONG_AGO + 5)  # of the same bytes
    assert of(store, a) == [Standing(KEPT)]
    monkeypatch.setattr(standing, "MOST_READ_BYTES", 10)
    assert of(store, a) == [Standing(AGAIN, "inputs changed, or only their times")]


def test_files_of_others_are_told(store, same_message):
    a, b = made(job("a")), job("b")
    file = read_asset_file("out/a.nsh")
    plain = {name: part for name, part in file.header.items() if name not in (STAMP, "checksum")}
    write_asset_file("out/a.nsh", AssetFile(plain, file.tensors))
    pathlib.Path("out/b.nsh").write_text("my notes")
    first, second = of(store, a, b)
    assert first == Standing(AGAIN, "made by no bake") and second.state == FAILED
    same_message(second.why.replace(str(store.root), "OUT"), "OUT/b.nsh", "no asset")


def test_what_needs_another_asset_follows_it(store):
    first = made(job("first"))
    after = made(replace(job("after"), after=("first",)))
    assert of(store, after, first) == [Standing(KEPT)] * 2
    changed = replace(first, settings={"steps": 9})
    assert of(store, after, changed)[0] == (Standing(AGAIN, "needs first, which is made before it"))


def test_inputs_by_url_are_not_asked_for(store):
    far = replace(job("a"), subject=("s3://bucket/a.png",))
    made(job("a"))
    assert of(store, far) == [Standing(KEPT, "unless its URL has changed")]
    assert of(store, replace(far, settings={"steps": 6}))[0].why == "settings changed"


def test_assets_that_no_job_makes_any_more_are_named_and_stay(store):
    for name in ("a", "b", "rocks/c"):
        made(replace(job(name.replace("/", "_")), output=f"{name}.nsh"))
    pathlib.Path("out/notes.nsh").write_text("mine")
    pathlib.Path("out/.bake").mkdir()
    pathlib.Path("out/.bake/x.nsh").write_bytes(pathlib.Path("out/a.nsh").read_bytes())
    there = set(store.outputs())
    assert there == {"a.nsh", "b.nsh", "rocks/c.nsh", "notes.nsh"}
    assert stale_outputs([job("b")], store, there) == ["a.nsh", "rocks/c.nsh"]
    assert stale_note(["a.nsh", "rocks/c.nsh"], "out") == (
        "out has 2 assets of earlier bakes that this one does not make: a.nsh, rocks/c.nsh. They "
        "are left as they are."
    )
    many = stale_note([f"{n:04}.nsh" for n in range(1000)], "out")
    assert "1,000 assets or more of" in many and "0004.nsh and 995 more. " in many


def test_a_bake_and_its_plan_name_what_is_left_over(store, probes, monkeypatch):
    monkeypatch.chdir(probes.inputs)
    for names in ("ab", "b"):
        text = "".join(f'[[asset]]\ninput = "{name}.json"\n' for name in names)
        pathlib.Path("assets.toml").write_text(f'[defaults]\nkind = "probe"\n{text}')
        for name in names:
            probes.job(name)
        plan = bake("assets.toml", "out", plan=True).plan
        result = bake("assets.toml", "out", jobs=1)
    assert plan.stale == ["a.nsh"] and result.plan.stale == ("a.nsh",)
    assert plan.facts()["stale"] == ["a.nsh"] and "a.nsh" in "".join(plan.lines())
    assert plan.states() == {FAILED: 0, AGAIN: 0, MADE: 0, KEPT: 1}
    assert (plan.seconds, plan.byte_count) == (0, 0)  # kept ones take nothing
    assert pathlib.Path("out/a.nsh").exists()


def files_in(folder):
    return {path: path.stat().st_mtime_ns for path in pathlib.Path(folder).rglob("*")}


def test_a_plan_of_a_model_writes_nothing(store, tmp_path, monkeypatch):
    """Its images go to a temporary folder, which is gone; the jobs' inputs are as in the bake."""
    model = ModelFile()
    model.document["materials"] = [material("wall", model.image(picture(1)))]
    model.save(tmp_path / "house.glb")
    scratch = tmp_path / "temporary"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    before = files_in(tmp_path)
    plan = bake("house.glb", "out", plan=True).plan
    assert files_in(tmp_path).keys() == before.keys()
    (one,) = plan.jobs
    assert one.subject == (f"{tmp_path}/out/.bake/models/house/wall/albedo.png",)
    assert plan.standing(one) == Standing(MADE)
    source("albedo", picture(1))
    made(replace(one, subject=(f"{tmp_path}/albedo.png",)))  # of the same image
    assert bake("house.glb", "out", plan=True).plan.standing(one) == Standing(KEPT)
