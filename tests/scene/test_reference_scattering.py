"""scene, kinds/material/reference_scattering: a material as it is given in place of its network."""

import pathlib
import shutil
from dataclasses import replace

import numpy as np
import pytest
import torch
from fixtures.small_material import DARK as NO_LIGHT
from fixtures.small_material import PAINT, TOLD, paint_reference, wet_file, wet_paint

import neuralshade
from neuralshade.errors import AssetError, ConfigError
from neuralshade.kinds.material.asset import pack_field, pack_sampler
from neuralshade.kinds.material.field import build_field
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.reference_scattering import reference_scattering
from neuralshade.kinds.material.references.sources import load_reference
from neuralshade.kinds.material.references.varied_reference import vary_reference
from neuralshade.kinds.material.sampler_fit import untrained_sampler
from neuralshade.kinds.material.scattering import scattering_of
from neuralshade.kinds.material.traced import traced_material
from neuralshade.scene.bound_scene import material_with_text
from neuralshade.scene.entries import LightEntry
from neuralshade.scene.shapes import quad
from neuralshade.source.color import srgb_to_linear

ASSET = pathlib.Path(__file__).parents[1] / "data/material.nsh"
LIGHT = LightEntry("directional", (2, 1, 0.5), direction=(3, 4, 0))
WO, WI = np.float64([[0, 0, 1]]), np.float64([[0.6, 0, 0.8]])
SCENE = """
size = [12, 8]
samples = 2
camera = { position = [0, 1, 3], look_at = [0, 0, 0] }
environment = { color = [0.5, 0.5, 0.5] }
materials.paint = { asset = "material.nsh", reference = "paint.slang" }
mesh = [{ shape = "sphere", material = "paint" }]
"""
STACK = """
[[layer]]
name = "copper"
kind = "conductor"
color = [0.9, 0.6, 0.5]
"""


@pytest.mark.slow  # a whole path tracer
def test_light_is_what_the_material_scatters(at_center, wet_scattering):
    """At the asset's varied inputs; and not what its network does, which nobody trained."""
    fitted, reference = wet_scattering(0.75)
    found, _ = at_center(quad(), reference_scattering(fitted, reference), lights=(LIGHT,))
    wanted = wet_paint(np.float64([[0.5, 0.5, 0.75]]), WI, WO)[0] * [2, 1, 0.5]
    np.testing.assert_allclose(found, wanted, rtol=1e-3)


@pytest.fixture
def wet_scattering(tmp_path):
    """Return what gives an untrained network of a paint that gets wet, at a share; the paint."""

    def at(share):
        recipe = MaterialRecipe(size=4, hidden_width=16, vary="wetness=0..2")
        reference = vary_reference(load_reference(wet_file(tmp_path), None), recipe.vary)
        field = build_field(recipe, 4, torch.Generator().manual_seed(1))
        tensors = pack_field(field) | pack_sampler(untrained_sampler(recipe))
        return scattering_of(recipe, 4, tensors, reference.varied, [share]), reference

    return at


def test_one_text_at_a_time():
    opened = neuralshade.load(ASSET)
    fitted, given = traced_material(opened), traced_material(opened, paint_reference())
    assert (
        material_with_text([fitted, given, given]) is given
        and material_with_text([fitted]).text == ""
    )
    assert fitted.batched is not None and given.batched is None  # no decoder evaluates a reference
    other = reference_scattering(fitted, replace(paint_reference(), text=PAINT + TOLD))
    with pytest.raises(ConfigError, match="got 2 materials to be shown by their references"):
        material_with_text([given, other])


@pytest.fixture
def folder(tmp_path):
    shutil.copy(ASSET, tmp_path / "material.nsh")
    (tmp_path / "paint.slang").write_text(PAINT + TOLD + NO_LIGHT)
    (tmp_path / "scene.toml").write_text(SCENE)
    return tmp_path


@pytest.mark.slow  # kernels of two scenes
def test_panes_are_both_and_their_difference(one_device, folder):
    shows = {show: neuralshade.render_scene(folder / "scene.toml", device="vulkan", show=show,
                                              trust=show != "fitted")
             for show in ("given", "fitted", "panes")}  # fmt: skip
    panes = np.split(shows["panes"], 3, axis=1)
    for name, pane in zip(("given", "fitted"), panes, strict=False):
        linear = srgb_to_linear(pane)
        np.testing.assert_allclose(linear, np.clip(shows[name], 0, 1), atol=1e-4)
    wanted = np.clip(0.5 + 4 * (panes[1] - panes[0]), 0, 1)
    np.testing.assert_allclose(panes[2], wanted, atol=1e-4)


@pytest.mark.parametrize("old, new, show, error, message", [
    ("reference", "reference", "teacher", ConfigError,
     "show: got 'teacher', need one of fitted, given, difference, panes."),
    (', reference = "paint.slang"', "", "given", ConfigError,
     "show: got given for a scene without references, need what an asset was fitted to. Write "
     "reference = beside asset =."),
    ('asset = "material.nsh", ', "", "given", ConfigError,
     "scene.toml: materials.paint.reference: got one without asset, need what was fitted to it. "
     "Write asset =."),
    ("paint.slang", "paint.slang", "given", ConfigError,
     "scene.toml: materials.paint.reference: got a Slang module, need one that you trust, since it "
     "runs here. Read it, then add --trust, or trust=True in Python."),
    ("paint.slang", "other.toml", "given", AssetError,
     "material.nsh: got other, need paint. Give the document that it was fitted to."),
])  # fmt: skip
def test_refusals(folder, old, new, show, error, message):
    (folder / "other.toml").write_text(STACK)
    (folder / "scene.toml").write_text(SCENE.replace(old, new))
    with pytest.raises(error) as caught:
        neuralshade.render_scene(folder / "scene.toml", show=show)
    assert str(caught.value).replace(f"{folder}/", "") == message


@pytest.mark.parametrize("code, files, message", [
    ("void f() { spirv_asm { OpNop }; }", {},
     "got spirv_asm in line 1 of paint.slang, need code without it"),
    ('#include "/etc/passwd"', {}, "got /etc/passwd, which it takes in, need files in its own"),
    ("import beside;", {"beside.slang": "int f() { __intrinsic_asm \"x\"; }"},
     "got __intrinsic_asm in line 1 of beside.slang, need code without it"),
])  # fmt: skip
def test_a_trusted_module_that_does_more_than_arithmetic_is_refused(folder, code, files, message):
    """Before it is compiled, as code of a document is."""
    paint = folder / "paint.slang"
    paint.write_text(f"{code}\n{paint.read_text()}")
    for name, text in files.items():
        (folder / name).write_text(text)
    with pytest.raises(ConfigError) as caught:
        neuralshade.render_scene(folder / "scene.toml", show="given", trust=True)
    assert f"{folder}/paint.slang: {message}" in str(caught.value)


@pytest.mark.slow  # compiles what a fit compiles
def test_a_trusted_module_that_computes_with_addresses_is_refused(folder):
    paint = folder / "paint.slang"
    own = "int* none() { int* p = {}; return p; }\n"
    text = paint.read_text().replace("float3 eval(", own + "float3 eval(", 1)
    at = text.index("{", text.index("float3 eval("))
    paint.write_text(f"{text[: at + 1]} if (uv.x > 9.0f) return float3(*none()); {text[at + 1 :]}")
    with pytest.raises(ConfigError, match="got code that computes with addresses"):
        neuralshade.render_scene(folder / "scene.toml", show="given", trust=True)
