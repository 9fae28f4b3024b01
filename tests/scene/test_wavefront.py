"""scene/wavefront: points sorted by material, and the same picture as of whole paths."""

import pathlib
from dataclasses import replace

import numpy as np
import pytest
from fixtures.drawn_materials import drawn_material, drawn_scattering
from fixtures.scenes import constant
from fixtures.small_material import paint_reference

import neuralshade
from neuralshade.errors import DeviceError
from neuralshade.gpu.open import open_gpu
from neuralshade.gpu.slang_export import export_slang
from neuralshade.kinds.material.batched_decoder import vectors_text, warps_text
from neuralshade.kinds.material.batched_maps import map_textures, map_words
from neuralshade.kinds.material.batched_networks import fragment_bytes, pack_networks
from neuralshade.kinds.material.reference_scattering import reference_scattering
from neuralshade.kinds.material.traced import TracedMaterial, traced_material
from neuralshade.model.batched_decoder import BatchedDecoder
from neuralshade.scene import wavefront
from neuralshade.scene.bound_scene import SceneContents
from neuralshade.scene.decoded_materials import NO_DECODER, decoded_materials
from neuralshade.scene.entries import Camera, LightEntry
from neuralshade.scene.material_sort import MOST_MATERIALS
from neuralshade.scene.path import PathTracer
from neuralshade.scene.plain_surface import plain_scattering
from neuralshade.scene.shapes import box, quad, sphere

DATA = pathlib.Path(__file__).parents[1] / "data"
SMALL = {"hidden_width": 16, "hidden_layers": 1, "lobes": 2}
CLAY = plain_scattering((0.6, 0.5, 0.4), (0.04, 0.04, 0.04), 0.4)
CAMERA = Camera((0.5, 1.5, 3.0), (0, 0.4, 0), 50)
AWAY = Camera((0.0, 3.0, 0.0), (0, 9, 0.1), 40)
LIGHTS = (LightEntry("rectangle", (6, 5, 4), position=(-1, 3, -1), across=(2, 0, 0), up=(0, 0, 2)),
          LightEntry("point", (3, 3, 9), position=(2, 2, 2)))  # fmt: skip


def mixed_contents(lights=LIGHTS):
    """Return two materials of one architecture, one of another with levels, and a plain one."""
    materials = [drawn_scattering(1, side=8, **SMALL), CLAY, drawn_scattering(2, side=6, **SMALL),
                 drawn_scattering(3, side=64, levels=7, **{**SMALL, "lobes": 3})]  # fmt: skip
    meshes = [(quad().moved(3, (0, 0, 0), (0, 0, 0)), 3, 8.0),
              (sphere().moved(0.5, (0, 0, 0), (-1.1, 0.5, 0)), 0, 2.0),
              (box().moved(0.4, (0, 30, 0), (0, 0.5, 0)), 1, 1.0),
              (sphere().moved(0.5, (0, 0, 0), (1.1, 0.5, 0)), 2, 1.0)]  # fmt: skip
    return SceneContents(meshes, materials, constant(0.4), lights)


def tracers(gpu, contents, size=(20, 13), bounces=3, camera=CAMERA):
    """Return what follows whole paths, and what goes in waves."""
    found = [PathTracer(gpu, contents, camera, size, bounces=bounces, seed=3, decoding=decoding)
             for decoding in ("none", "any")]  # fmt: skip
    assert [isinstance(tracer.kernels, wavefront.WavefrontPaths) for tracer in found] == [
        False,
        True,
    ]
    return found


def check_alike(gpu, both, paths=2):
    """Let both trace so many paths; compare, float16's errors being allowed where it is used."""
    for tracer in both:
        for _ in range(paths):
            tracer.trace()
    whole, wave = (tracer.radiance() for tracer in both)
    halves = decoded_materials(gpu, [drawn_scattering(1, **SMALL)], "matrices") is not None
    close = {"rtol": 0.1, "atol": 0.02 * whole.mean()} if halves else {"rtol": 1e-4, "atol": 1e-5}
    np.testing.assert_allclose(wave, whole, **close)
    np.testing.assert_allclose(wave.mean((0, 1)), whole.mean((0, 1)), rtol=0.01 if halves else 1e-5)
    return whole


@pytest.mark.slow  # two path tracers of three types
@pytest.mark.parametrize("most_bytes", [wavefront.MOST_BYTES, 2**15])
def test_waves_find_what_whole_paths_do(gpu, monkeypatch, most_bytes):
    """The same paths, also in batches, of pictures of other sides, and where none meets a thing."""
    monkeypatch.setattr(wavefront, "MOST_BYTES", most_bytes)
    both = tracers(gpu, mixed_contents())
    assert (both[1].kernels.points < 20 * 13) == (most_bytes < wavefront.POINT_BYTES * 20 * 13 * 8)
    seen = check_alike(gpu, both)
    assert seen.std() > 0.1 * seen.mean()
    moved = (replace(LIGHTS[0], radiance=(1, 9, 2)), LIGHTS[1])
    for tracer in both:
        tracer.aim(CAMERA, (3, 31), moved, aspect=1.5, region=(0.25, 0.25, 0.75, 1.0), first=5)
    assert not np.array_equal(check_alike(gpu, both), seen)
    for tracer in both:
        tracer.aim(AWAY, (9, 9), LIGHTS, aspect=1.0)
    np.testing.assert_allclose(check_alike(gpu, both), 0.4, rtol=1e-6)


@pytest.mark.slow  # two path tracers
def test_one_material_alone(gpu):
    """Without lights but the sky: there is none to look for, and paths may end at once."""
    contents = SceneContents(
        [(sphere(), 0, 1.0)], [drawn_scattering(4, side=8, **SMALL)], constant(0.7)
    )
    check_alike(gpu, tracers(gpu, contents, bounces=1))


@pytest.mark.gpu
@pytest.mark.parametrize("api", ["vulkan", "cuda"])
def test_matrix_units_are_taken_by_themselves(api):
    """And find what loops do, to float16's precision."""
    try:
        gpu = open_gpu(api)
    except DeviceError as error:
        pytest.skip(str(error))
    try:
        contents = mixed_contents()
        if decoded_materials(gpu, contents.materials, "matrices") is None:
            pytest.skip("no matrix units")
        both = [PathTracer(gpu, contents, CAMERA, (320, 200), bounces=3, seed=3, decoding=decoding)
                for decoding in ("none", "matrices")]  # fmt: skip
        assert isinstance(both[1].kernels, wavefront.WavefrontPaths)
        check_alike(gpu, both, paths=4)
    finally:
        gpu.close()


def test_materials_go_to_decoders_of_their_architectures(gpu):
    contents = mixed_contents()
    found = decoded_materials(gpu, contents.materials, "any")
    assert found.places == {0: 0, 2: 1, 3: 2} and found.rest == 3
    assert found.table.tolist() == [[0, 0, 8, 0], [0, 1, 6, 0], [1, 0, 64, 0],
                                    [NO_DECODER, 0, 0, 0]]  # fmt: skip
    assert len(found.decoders) == 2


@pytest.mark.parametrize("count, more, decoding", [
    (1, {}, "none"), (1, {"vary": "wet=0..1"}, "any"), (MOST_MATERIALS, {}, "any"), (0, {}, "any"),
])  # fmt: skip
def test_all_else_is_left_to_whole_paths(gpu, count, more, decoding):
    materials = [CLAY] + [drawn_scattering(1, **SMALL, **more)] * count
    assert decoded_materials(gpu, materials, decoding) is None


def test_what_loops_evaluate_is_not_sorted(gpu):
    """Matrix units take no texels of other counts of numbers than 8."""
    materials = [drawn_scattering(1, features=4, **SMALL)]
    assert decoded_materials(gpu, materials, "matrices") is None
    assert decoded_materials(gpu, materials, "any") is not None


@pytest.mark.parametrize("alone", [True, False])
def test_the_texts_of_both_roads_compile(device, alone):
    """Types and names are checked, for nothing runs it here."""
    materials = [drawn_material(seed, **SMALL) for seed in range(1 if alone else 2)]
    recipe, words = materials[0].recipe, map_words(materials)
    places = pack_networks(materials, words.places, fragment_bytes).places
    maps = map_textures(device, materials)
    vectors = BatchedDecoder(vectors_text(recipe, "inferencing_optimal", maps, places), {}, "", 0)
    text = wavefront.decode_text(vectors, 1)
    module = device.load_module_from_source(f"waves_of_vectors_{alone}", text)
    device.link_program([module], [module.entry_point("decode")])
    warps = BatchedDecoder(warps_text(recipe, words, places), {}, "", 0)
    assert export_slang(wavefront.decode_text(warps, 0), "decode").code


def test_what_is_met_may_also_be_a_reference():
    """Beside a material that is decoded, and one that is evaluated where it is met."""
    met = drawn_scattering(1, **SMALL)
    given = reference_scattering(met, paint_reference())
    cases = [(met.module, met.type, True), (met.module, met.type, False),
             (given.module, given.type, False), (CLAY.module, CLAY.type, False)]  # fmt: skip
    for entry in ("begin", "meet", "end"):
        assert export_slang(wavefront.meet_text(cases, given.text), entry).code


def test_an_opened_material_says_what_decoders_take():
    framed = traced_material(neuralshade.load(DATA / "material.nsh")).batched
    assert isinstance(framed, TracedMaterial)
    other = replace(framed.recipe, hidden_width=framed.recipe.hidden_width + 16)
    assert framed.architecture == replace(framed, side=9).architecture
    assert framed.architecture != replace(framed, recipe=other).architecture
