"""kinds/material/speed/baked: a material whose graph is in maps says about what it says itself."""

import numpy as np
import pytest
from fixtures.small_material import paint_reference, upper_pairs

from neuralshade.kinds.material.references.reference_bsdf import ReferenceKernels
from neuralshade.kinds.material.references.stack import load_stack
from neuralshade.kinds.material.references.varied_reference import vary_reference
from neuralshade.kinds.material.speed.baked import bake
from neuralshade.kinds.material.speed.evaluation import graph_evaluation
from neuralshade.kinds.material.speed.screen import Screen

SIDE = 64
STACK = """
[mask]
age = { noise = "fractal", scale = 2, octaves = 2 }
grain = { noise = "fractal", scale = 3, octaves = 1 }

[[layer]]
name = "metal"
kind = "conductor"
color = [0.9, 0.6, 0.5]
roughness = { mix = [[0.3, 0.4], [0.5, 0.7]], by = "grain" }
bump = { by = "grain", depth = 0.02 }

[[layer]]
name = "paint"
kind = "diffuse"
color = { mix = ["#2b7262", "#a3d2b8"], by = "age" }
mask = "!age"
weight = 0.5
"""


@pytest.fixture(scope="module")
def stack(gpu, tmp_path_factory):
    path = tmp_path_factory.mktemp("stack") / "x.toml"
    path.write_text(STACK)
    return ReferenceKernels(gpu, load_stack(path))


def texel_centres(count):
    rng = np.random.default_rng(4)
    return ((rng.integers(0, SIDE, (count, 2)) + 0.5) / SIDE).astype(np.float32)


def check_baked(kernels, maps):
    """At texels' centres the maps hold what the graph computes, but for 8 bits."""
    baked = bake(kernels, SIDE, "repeat")
    assert len(baked.codes) == maps and baked.byte_count == round(maps * 4 * SIDE**2 * 4 / 3)
    _, wi, wo = upper_pairs(400)
    uv = texel_centres(400)
    wanted = kernels.eval(uv, wi, wo)
    found = ReferenceKernels(kernels.gpu, baked.in_words()).eval(uv, wi, wo)
    assert np.abs(found - wanted).sum() < 0.01 * wanted.sum()


def test_a_stack_in_maps_is_that_stack(stack):
    """Roughness along v and two parts of a color follow from others, and have no channel."""
    assert len(stack.bsdf.targets) == 2 + 3 + 3 + 1
    check_baked(stack, maps=2)  # roughness, the normal's three, and one of what age tells


def test_levels_of_maps_are_means_of_texels(stack):
    """And are looked up as the finest one is: the last says the same everywhere."""
    baked = bake(stack, SIDE, "repeat")
    levels = baked.levels()
    assert [len(each.codes[0]) for each in levels] == [64, 32, 16, 8, 4, 2, 1]
    assert levels[0] is baked
    means = baked.codes.reshape(2, 16, 4, 16, 4, 4).mean((2, 4))
    assert np.abs(levels[2].codes - means).max() <= 0.5
    _, wi, wo = upper_pairs(2)
    uv = texel_centres(2)
    last = ReferenceKernels(stack.gpu, levels[-1].in_words())
    found = [last.eval(each[None], wi[:1], wo[:1]) for each in uv]
    np.testing.assert_array_equal(*found)
    assert np.abs(stack.eval(uv[:1], wi[:1], wo[:1]) - found[0]).max() > 1e-4


def test_a_document_in_maps_is_that_document(gpu, document):
    pytest.importorskip("MaterialX", reason="has no wheel for this machine")
    from neuralshade.kinds.material.references.materialx import load_materialx

    nodes = """
    <texcoord name="uv" type="vector2"/>
    <noise2d name="noise" type="float">
      <input name="amplitude" type="float" value="0.3"/>
      <input name="pivot" type="float" value="0.5"/>
      <input name="texcoord" type="vector2" nodename="uv"/>
    </noise2d>
    <mix name="tint" type="color3">
      <input name="fg" type="color3" value="0.8, 0.3, 0.1"/>
      <input name="bg" type="color3" value="0.1, 0.4, 0.7"/>
      <input name="mix" type="float" nodename="noise"/>
    </mix>
    <oren_nayar_diffuse_bsdf name="top" type="BSDF">
      <input name="color" type="color3" nodename="tint"/>
    </oren_nayar_diffuse_bsdf>"""
    check_baked(ReferenceKernels(gpu, load_materialx(document(nodes))), maps=1)


def test_textures_hold_what_the_words_do(gpu, stack):
    """Between texels, too, where a device's filter has shares of 1/256."""
    if gpu.api == "cuda":
        pytest.skip("textures are SlangPy's")
    baked, screen = bake(stack, SIDE, "repeat"), Screen(32, 16, SIDE, scattered=True)
    words, textures = (graph_evaluation(gpu, reference, screen).values()
                       for reference in (baked.in_words(), baked.in_textures(gpu)))  # fmt: skip
    assert np.abs(words - textures).sum() < 0.02 * words.sum() and words.sum() > 0


def test_what_has_no_values_of_its_own_is_not_baked(gpu, stack, tmp_path):
    """A module of a user's, whose text may do with its values what it likes; what is varied."""
    assert bake(ReferenceKernels(gpu, paint_reference()), SIDE, "repeat") is None
    path = tmp_path / "wet.toml"
    path.write_text(
        '[vary]\nwet = 0.5\n[[layer]]\nkind = "diffuse"\ncolor = "#808080"\nroughness = "wet"\n'
    )
    plain = load_stack(path)
    assert plain.inputs
    wet = vary_reference(plain, "wet=0..1")
    assert bake(ReferenceKernels(gpu, wet), SIDE, "repeat") is None
