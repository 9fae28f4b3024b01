"""baking/settings and baking/call: what a job may set, and the call that it becomes."""

import re

import numpy as np
import pytest

import neuralshade
from neuralshade.baking.executors.call import call_of
from neuralshade.baking.job import Job
from neuralshade.baking.plans.settings import baked_kinds, check_kind, manifest_words, settings_of
from neuralshade.errors import ConfigError
from neuralshade.fitting.recipe import fields_of
from neuralshade.kinds import fit_verb


def test_values_come_in_their_types():
    textures = settings_of("textures")
    assert textures.checked("bpp", 2) == 2.0 and isinstance(textures.checked("bpp", 2), float)
    assert textures.checked("target_psnr", 38) == "38"  # a flag: as typed
    assert textures.checked("bytes", 700_000) == "700000"
    assert textures.checked("normal_convention", "directx") == "directx"
    assert textures.checked("engine", "torch") == "torch"
    assert settings_of("material").checked("trust", True) is True
    assert settings_of("shader").checked("set", ["a=1", "b=2"]) == ["a=1", "b=2"]
    assert settings_of("image").checked("preset", "detail") == "detail"


@pytest.mark.parametrize("kind, name, value, word", [
    ("textures", "target_psn", 38, "target_psnr"),
    ("textures", "plan", True, "Leave"),  # prints in place of a fit
    ("textures", "report", "a.html", "Leave"),  # one file for all jobs
    ("textures", "bytes", [1], "--bytes"),
    ("textures", "normal_convention", "opengll", "Did you mean opengl?"),
    ("textures", "steps", "many", "a whole number"),
    ("textures", "deterministic", 1, "true"),
    ("textures", "engine", "cuda:0", "torch"),
    ("textures", "device", 0, "--device"),
    ("material", "trust", "yes", "--trust"),
    ("shader", "set", "a=1", "list"),
    ("image", "preset", "detial", "Did you mean detail?"),
    ("image", "preset", 2, "grid"),
    ("splats", "preset", "grid", "unknown"),
])  # fmt: skip
def test_other_values_are_refused(same_message, kind, name, value, word):
    with pytest.raises(ConfigError) as refused:
        settings_of(kind).checked(name, value)
    shared = str(refused.value).partition(": ")[0]
    assert shared.endswith(name)
    same_message(str(refused.value), shared, word)


def test_settings_that_contradict_each_other_are_refused(same_message):
    textures = settings_of("textures")
    assert textures.recipe({"steps": 5, "latents": "bc1"}).seconds is None
    assert settings_of("image").recipe({"preset": "detail"}).bpp == 16
    with pytest.raises(ConfigError) as refused:
        textures.recipe({"latents": "bc1", "polish": 2})
    same_message(str(refused.value), "polish", "plain")
    with pytest.raises(ConfigError) as refused:
        settings_of("image").recipe({"seconds": None, "bpp": -1.0})
    assert str(refused.value).startswith("bpp: got -1.0")


def test_messages_of_fits_name_settings_as_a_manifest_does():
    """Flags of the kind alone: others are of the bake, or not to be set."""
    kind = settings_of("splats").kind
    text = "SplatsRecipe.bpp: got 1, need more. Give a --bpp of 2, or --target-psnr, not --quiet."
    assert manifest_words(kind, text) == (
        "bpp: got 1, need more. Give a bpp of 2, or target_psnr, not --quiet."
    )


def test_no_message_has_a_class_of_python():
    """Whatever setting of whatever kind is wrong: a manifest has its own names alone."""
    for kind in baked_kinds():
        known = settings_of(kind)
        for name in known.names:
            with pytest.raises(ConfigError) as refused:
                known.checked(name, [2.5j])
            assert known.kind.recipe.__name__ not in str(refused.value)
            assert not re.search(r"need (int|float|str|bool)\b", str(refused.value))


def test_kinds_that_write_one_asset_are_baked(same_message):
    assert set(baked_kinds()) >= {"image", "splats", "textures", "material", "shader"}
    assert not {"mipmaps", "materials"} & set(baked_kinds())
    for kind in baked_kinds():
        check_kind(kind)
    for wrong in ("texture", "mipmaps", 3):
        with pytest.raises(ConfigError) as refused:
            check_kind(wrong)
        same_message(str(refused.value), "kind", "image")


@pytest.mark.parametrize("kind", ["image", "splats", "textures", "material", "shader"])
def test_every_kind_is_called_with_its_settings(kind):
    job = Job("a", kind, ("/in/a.png",), "a.nsh", {"steps": 7, "device": "cpu"})
    call = call_of(job, output="/out/a.nsh", options={"events": "log"})
    assert call.fit is fit_verb(kind).fit
    assert call.subject == ("/in/a.png", "/out/a.nsh")
    assert call.named["steps"] == 7
    assert (call.named["options"].device, call.named["options"].events) == ("cpu", "log")
    fields = {field.name for field in fields_of(fit_verb(kind).recipe)}
    assert not (fields - {"steps"}) & call.named.keys()  # what is not set is the recipe's


def test_flags_become_arguments():
    settings = {"bytes": "4000", "target_psnr": "30"}
    job = Job("a", "textures", ("a.png", "arm=b.png"), "a.nsh", settings)
    call = call_of(job)
    assert call.subject == ("a.png", "a.nsh") and call.named["maps"] == {"arm": "b.png"}
    assert (call.named["byte_count"], call.named["target_psnr"]) == (4000, "30")
    other = call_of(job, subject=["c.png"])
    assert other.subject[0] == "c.png" and "maps" not in other.named


def test_the_call_fits(tmp_path):
    neuralshade.save_picture(tmp_path / "a.png", np.full((8, 8, 3), 0.5, np.float32), "srgb")
    settings = {"preset": "tiny-9", "steps": 2, "engine": "torch"}
    job = Job("a", "image", (str(tmp_path / "a.png"),), "a.nsh", settings)
    call = call_of(job, output=str(tmp_path / "a.nsh"))
    assert call.fit(*call.subject, **call.named).steps == 2
    assert neuralshade.load(tmp_path / "a.nsh").recipe.steps == 2


def test_devices_that_no_engine_has_are_refused(same_message):
    image = settings_of("image")
    for device in ("cuda", "vulkan", "cpu", "cuda:0", "mps"):
        assert image.checked("device", device) == device
    with pytest.raises(ConfigError) as refused:
        image.checked("device", "cudaa")
    same_message(str(refused.value), "device", "cuda")
