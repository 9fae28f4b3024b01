"""baking/plan and baking/folder: what is planned of a manifest or a folder, and refused."""

import json
import os
import pathlib
import re

import numpy as np
import pytest
from fixtures.gltf_models import ModelFile, material
from fixtures.gltf_models import picture as model_picture

import neuralshade
from neuralshade.baking.plans import input_checks
from neuralshade.baking.plans.planning import planned
from neuralshade.baking.plans.settings import baked_kinds, settings_of
from neuralshade.errors import ConfigError

GREY = np.full((8, 16, 3), 0.5, np.float32)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def picture(path):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    neuralshade.save_picture(path, GREY, "srgb")


def maps(*begins):
    for begin in begins:
        for name in ("albedo", "normal", "roughness"):
            picture(f"{begin}{name}.png")


def manifest(text, path="bake.toml"):
    with open(path, "w") as file:
        file.write(text)
    return path


def names(plan):
    return [(job.name, job.kind) for job in plan.jobs]


def refused(*arguments, **named):
    with pytest.raises(ConfigError) as error:
        planned(*arguments, **named)
    return str(error.value)


def test_a_folder_of_sets_becomes_texture_sets(folder):
    maps("in/rocks/wall/", "in/rocks/moss/", "in/wood/wood_", "in/.hidden/x_")
    plan = planned("in")
    assert names(plan) == [(name, "textures") for name in ("rocks/moss", "rocks/wall", "wood")]
    assert plan.jobs[0].subject == (str(folder / "in/rocks/moss"),)
    assert plan.output == "in_baked"


def test_two_sets_in_one_folder_are_named_by_their_beginnings(folder):
    maps("in/wood_", "in/iron_")
    plan = planned("in")
    assert names(plan) == [("iron", "textures"), ("wood", "textures")]
    assert plan.jobs[0].subject == (str(folder / "in/iron"),)  # files that begin so


def test_loose_pictures_beside_sets_are_said_to_be_left_out():
    maps("in/stone/", "in/wood_", "in/iron_"), picture("in/deep/lake.png"), picture("in/sea.png")
    assert planned("in").notes == (
        "1 picture beside sets of maps left out: add --kind or --pattern for them.",
    )
    os.remove("in/deep/lake.png")
    assert planned("in").notes == ()  # sea.png lies beside maps, and may be one


def test_links_to_folders_are_followed_once(folder):
    maps("elsewhere/stone_")
    os.makedirs("in/deep")
    os.symlink(folder / "elsewhere", "in/rock")
    os.symlink(folder / "elsewhere", "in/stone")
    os.symlink(folder / "in", "in/deep/around")
    assert names(planned("in")) == [("rock", "textures")]


def test_a_set_itself_is_one_asset():
    maps("bricks/")
    assert names(planned("bricks")) == [("bricks", "textures")]


def test_pictures_need_a_kind(same_message):
    picture("in/a.png"), picture("in/b/c.jpg"), picture("in/b/c.png")
    same_message(refused("in"), "in", "--kind image")
    plan = planned("in", kind="image", settings={"steps": 5})
    assert names(plan) == [("a", "image"), ("b/c.jpg", "image"), ("b/c.png", "image")]
    assert plan.jobs[0].settings == {"steps": 5}
    plan = planned("in", kind="splats", pattern="**/*.png")
    assert names(plan) == [("a", "splats"), ("b/c", "splats")]


def test_the_output_is_no_source():
    picture("in/a.png"), picture("in/out/b.png")
    assert names(planned("in", "in/out", kind="image")) == [("a", "image")]
    assert names(planned("in", "in/out", kind="image", pattern="**/*.png")) == [("a", "image")]
    near = planned("in", f"file://{os.getcwd()}/in/out", kind="image")
    assert (names(near), near.output) == ([("a", "image")], f"{os.getcwd()}/in/out")
    far = planned("in", "s3://bucket/out", kind="image", pattern="**/*.png")
    assert names(far) == [("a", "image"), ("out/b", "image")]  # no folder here is the output


def test_wrong_folders_and_patterns_are_refused(same_message):
    os.mkdir("in")
    same_message(refused("in"), "in", "--pattern")
    same_message(refused("in", kind="image"), "in", "--pattern")
    same_message(refused("in", kind="image", pattern="*.png"), "*.png", "quote")
    same_message(refused("in", kind="image", pattern="../*.png"), "pattern", "**/*.png")
    same_message(refused("in", kind="image", pattern="/etc/*"), "pattern", "**/*.png")
    same_message(refused("in", kind="images"), "kind", "Did you mean image?")
    same_message(refused("out"), "out", "manifest")
    same_message(refused(["in"]), "source", "path")
    same_message(refused("in", manifest("", "taken")), "output", "folder")
    manifest("[[asset]]\ninput='a.png'")
    same_message(refused("bake.toml", pattern="*.png"), "pattern", "folder")


def test_inputs_are_looked_at_before_anything_runs(same_message):
    maps("wood_"), picture("a.png"), os.mkdir("empty")
    path = manifest("""
[[asset]]
kind = "image"
input = "missing.png"
[[asset]]
kind = "image"
input = "empty"
[[asset]]
name = "empty_set"
kind = "textures"
input = "empty"
[[asset]]
kind = "textures"
input = "iron"
[[asset]]
kind = "textures"
input = "wood"
[[asset]]
kind = "image"
input = "a.png"
""")
    text = refused(path)
    assert text.count("iron: got") == 1
    same_message(text, path, "missing.png", "bake.toml:2:", "bake.toml:5:", "bake.toml:8:",
                 "bake.toml:12:")  # fmt: skip
    assert "bake.toml:15" not in text and "bake.toml:18" not in text


MATERIAL = "[[asset]]\nkind = 'material'\ninput = 'a.toml'\n"


def test_an_asset_does_not_replace_an_input(same_message):
    picture("out/a.png"), os.rename("out/a.png", "out/a.nsh")
    path = manifest("[[asset]]\nkind = 'image'\ninput = 'out/a.nsh'")
    same_message(refused(path, "out"), "bake.toml:1", "name")


def test_what_shares_another_asset_comes_after_it(folder, same_message):
    manifest("", "a.toml")
    path = manifest(f"{MATERIAL}share = 'out/first.nsh'\n{MATERIAL}name = 'first'\n")
    after, first = planned(path, "out").jobs
    assert (after.after, first.after) == (("first",), ())
    assert planned(path, "elsewhere").jobs[0].after == ()
    manifest(f"{MATERIAL}share = 'out/b.nsh'\n{MATERIAL}name = 'b'\nshare = 'out/a.nsh'\n")
    same_message(refused(path, "out"), path, "needs none", "bake.toml:1:", "bake.toml:5:")
    manifest(f"{MATERIAL}share = 's3://bucket/b.nsh'\n")
    same_message(refused(path, "out"), "bake.toml:4", "Copy")


def test_urls_are_said_to_be_unchecked():
    path = manifest("[[asset]]\nkind = 'image'\ninput = 's3://bucket/a.png'")
    plan = planned(path, "s3://bucket/out")
    assert plan.notes == ("1 input by URL: not looked at before the bake.",)
    assert plan.jobs[0].subject == ("s3://bucket/a.png",)


def test_estimates_follow_settings_and_sizes():
    maps("wall/"), picture("a.png")
    path = manifest("""
[[asset]]
kind = "textures"
input = "wall"
bpp = 4
steps = 16_000
[[asset]]
name = "longer"
kind = "textures"
input = "wall"
steps = 160_000
target_psnr = 38
[[asset]]
kind = "image"
input = "a.png"
[[asset]]
name = "slow"
kind = "image"
input = "a.png"
preset = "detail"
seconds = 100
""")
    plan = planned(path)
    wall, longer, a, slow = plan.jobs
    start = settings_of("textures").estimate.start_seconds
    assert wall.cost == pytest.approx(start + 1.0) and longer.cost == pytest.approx(start + 10.0)
    assert a.cost < 5 and slow.cost == pytest.approx(100.5)
    assert plan.byte_counts["a"] == 8 * 16 * 4 / 8
    assert plan.byte_counts["slow"] == 8 * 16 * 16 / 8  # of the preset
    assert plan.byte_counts["wall"] == round(8 * 16 * 4 / 8 * 16 / 15 + 10_000)
    assert "longer" not in plan.byte_counts  # a target decides
    facts = plan.facts()
    assert json.loads(json.dumps(facts)) == facts
    assert [row["assets"] for row in facts["kinds"]] == [2, 2]
    assert facts["gpu_seconds"] == pytest.approx(sum(job.cost for job in plan.jobs))


def test_every_kind_has_an_estimate():
    for kind in baked_kinds():
        known = settings_of(kind)
        assert known.estimate.seconds(known.recipe({"steps": 10})) < 15
        ended = known.estimate.seconds(known.recipe({"seconds": 50}))
        assert 50 <= ended < 60


def test_estimates_name_their_measurements():
    results = pathlib.Path(__file__).parents[3] / "benchmarks/results"
    for kind in baked_kinds():
        (name,) = re.findall(r"\w+\.json", settings_of(kind).estimate.source)
        assert (results / name).is_file()


def test_a_model_is_planned(same_message):
    file = ModelFile()
    file.document["materials"] = [material("wall", file.image(model_picture(1)))] * 2
    file.save(pathlib.Path("house.glb"))
    plan = planned("house.glb", "out", settings={"steps": 5, "bpp": 2})
    assert names(plan) == [("wall", "textures")] and plan.model.jobs[0].name == "wall"
    assert plan.jobs[0].settings == {"wrap": "repeat", "steps": 5, "bpp": 2.0}
    assert plan.byte_counts["wall"] == round(64 * 64 * 2 / 8 * 16 / 15 + 10_000)
    same_message(refused("house.glb", kind="image"), "kind", "Leave")
    same_message(refused("house.glb", "s3://bucket/out"), "output", "local")
    same_message(refused("house.glb", settings={"stepz": 5}), "settings", "steps")


def test_broken_headers_are_named_with_their_lines_and_the_rest_is_planned(folder, monkeypatch):
    picture("a.png"), maps("wall/")
    whole = (folder / "a.png").read_bytes()
    (folder / "cut.png").write_bytes(whole[:-20])
    (folder / "wall/normal.png").write_bytes(b"no picture")
    path = manifest("".join(f"[[asset]]\nkind = 'image'\ninput = '{name}.png'\n"
                            for name in ("a", "cut")) + "[[asset]]\nkind = 'textures'\n"
                    "input = 'wall'\n")  # fmt: skip
    plan = planned(path)
    assert set(plan.broken) == {"cut", "wall"} and len(plan.jobs) == 3
    assert [fault.partition(": got")[0] for fault in plan.faults()] == [
        f"bake.toml:4: {folder}/cut.png", f"bake.toml:7: {folder}/wall/normal.png",
    ]  # fmt: skip
    assert plan.states()["failed"] == 2 and plan.seconds == plan.jobs[0].cost
    assert plan.notes == ()
    monkeypatch.setattr(input_checks, "MOST_OPENED", 2)
    sparse = planned(path)
    assert set(sparse.broken) == {"wall"}  # every other input was opened
    assert sparse.notes[-1].startswith("Headers of 2 of 3 inputs were read")


def test_equal_inputs_are_opened_once(monkeypatch):
    picture("a.png")
    opened = []
    monkeypatch.setattr(
        "neuralshade.source.picture_header.header_size", lambda path: opened.append(path) or (4, 4)
    )
    entry = "[[asset]]\nkind = 'image'\ninput = 'a.png'\nname = '{}'\n"
    planned(manifest("".join(map(entry.format, "abc"))))
    assert len(opened) == 1


@pytest.mark.slow
def test_a_hundred_thousand_entries_are_planned(folder):
    maps("wall/")
    entry = '[[asset]]\nname = "rocks/wall_{}"\ninput = "wall"\ntarget_psnr = 38\n'
    manifest("[defaults]\nkind = 'textures'\n" + "".join(map(entry.format, range(100_000))))
    plan = planned("bake.toml")
    assert len(plan.jobs) == 100_000
    assert plan.jobs[-1].place == f"bake.toml:{2 + 4 * 99_999 + 1}"
