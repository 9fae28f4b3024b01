"""cli: neuralshade bake --plan: the table, its JSON, and sources with faults."""

import json
import os

import numpy as np
import pytest

import neuralshade
from neuralshade.baking.plans.settings import baked_kinds
from neuralshade.cli.bake import KINDS


@pytest.fixture
def textures(folder):
    """Give a folder with a texture set."""
    os.makedirs("textures/wall")
    for name in ("albedo", "normal", "roughness"):
        neuralshade.save_picture(f"textures/wall/{name}.png", np.full((8, 8, 3), 0.5, np.float32),
                                 "srgb")  # fmt: skip
    return "textures"


def test_a_plan_is_printed_and_trains_nothing(run, textures, folder):
    done = run("bake", textures, "--plan", "--set", "steps=100", "--set", "bpp=4")
    assert (done.code, done.err) == (0, [])
    assert done.out[1].split() == ["wall", "made"]
    assert done.out[4].startswith("textures       1       1         2 s  10 kB")
    assert "1 asset into textures_baked: 1 made." in done.out
    assert not (folder / "textures_baked").exists()


def test_json_has_every_job(run, textures):
    done = run("bake", textures, "--plan", "--json", "--set", "latents=bc1", "-o", "x")
    facts = json.loads(done.out[0])
    assert (done.code, len(done.out), facts["assets"], facts["output"]) == (0, 1, 1, "x")
    assert facts["jobs"][0]["settings"] == {"latents": "bc1"}


def test_a_recipe_file_is_below_flags(run, textures):
    with open("r.toml", "w") as file:
        file.write("bpp = 2.0\nwrap = 'clamp'\n")
    done = run("bake", textures, "--plan", "--json", "--recipe", "r.toml", "--set", "bpp=3")
    assert json.loads(done.out[0])["jobs"][0]["settings"] == {"bpp": 3.0, "wrap": "clamp"}


def test_faults_are_misuse(run, folder, same_message):
    with open("bake.toml", "w") as file:
        file.write("[[asset]]\nkind = 'image'\ninput = 'a.png'\nstepz = 3\n"
                   "[[asset]]\nkind = 'image'\ninput = 'b.png'\n")  # fmt: skip
    for arguments, word in (
        (["bake.toml"], "bake.toml:4"),
        (["no.toml"], "no such file"),
        ([".", "--kind", "imag"], "image"),
        (["."], "--kind"),
        (["a.png"], "manifest"),
    ):
        done = run("bake", *arguments, "--plan")
        assert (done.code, done.out) == (2, [])
        same_message("\n".join(done.err), "neuralshade", word)


def test_flags_of_wrong_values_are_named(run, folder, same_message):
    for flag, value in (("--jobs", "0"), ("--timeout", "0"), ("--kind", "imag")):
        done = run("bake", ".", flag, value)
        assert (done.code, done.out) == (2, [])
        same_message("\n".join(done.err), f"neuralshade: {flag}", "need")


def test_a_plan_names_broken_inputs_and_ends_with_1_as_the_bake_would(run, folder, same_message):
    for name, content in (("cut", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), ("empty", b"")):
        with open(f"{name}.png", "wb") as file:
            file.write(content)
    with open("bake.toml", "w") as file:
        file.writelines(f"[[asset]]\nkind = 'image'\ninput = '{name}.png'\n"
                        for name in ("a", "cut", "empty"))  # fmt: skip
    done = run("bake", "bake.toml", "--plan")
    assert (done.code, done.err) == (1, [])
    assert [line.split()[:2] for line in done.out[1:4]] == [
        ["cut", "failed"], ["empty", "failed"], ["a", "made"],
    ]  # fmt: skip
    assert "3 assets into bake_baked: 2 failed, 1 made." in done.out
    same_message("\n".join(done.out[-2:]), "bake.toml:4", "bake.toml:7", "cut-off PNG")
    done = run("bake", "bake.toml", "--plan", "--json")
    states = {job["name"]: job["state"] for job in json.loads(done.out[0])["jobs"]}
    assert states == {"a": "made", "cut": "failed", "empty": "failed"} and done.code == 1


@pytest.mark.slow  # workers load PyTorch
def test_a_bake_lists_what_failed_and_keeps_the_rest(run, folder):
    with open("bad.png", "w") as file:
        file.write("no picture")
    flags = ["--kind", "image", "-o", "out", "--set", "steps=2", "--set", "preset=tiny-9",
             "--set", "engine=torch", "--jobs", "1"]  # fmt: skip
    done = run("bake", ".", *flags)
    assert done.code == 1 and done.out[-1].startswith("out: 2 of 2: 1 made, 1 failed")
    assert "bad: " in done.err[-1]
    assert neuralshade.load("out/a.nsh").recipe.steps == 2
    again = run("bake", ".", *flags, "--json")
    facts = json.loads(again.out[-1])
    assert (facts["kept"], facts["failed"]) == (1, 1)
    assert {row["state"] for row in facts["rows"]} == {"kept", "failed"}


def test_completed_kinds_are_those_that_are_baked():
    assert set(KINDS) == set(baked_kinds())
