"""benchmarks/materials_frame: what is timed draws what PyTorch does, sorted and as it comes."""

import numpy as np
import pytest
from materials_frame import check, drawn_materials, frame_of, pixel_materials, whole_text

from neuralshade.gpu.slang_export import export_slang
from neuralshade.kinds.material.batched_decoder import build_decoder, vectors_text, warps_text
from neuralshade.kinds.material.batched_maps import map_textures, map_words
from neuralshade.kinds.material.batched_networks import fragment_bytes, pack_networks
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.speed.screen import Screen


@pytest.mark.slow  # kernels of a whole frame
@pytest.mark.parametrize("sorted_group", [64, 256])
def test_a_frame_is_drawn_as_pytorch_has_it(gpu, sorted_group):
    screen, recipe = Screen(48, 32, 8, scattered=True), MaterialRecipe(hidden_width=16)
    materials = drawn_materials(3, 8, recipe, shared=True)
    of = pixel_materials(screen, 3, blocks=False)
    decoder = build_decoder(gpu, materials)
    frame = frame_of(gpu, decoder, screen, of, 3, sorted_group)
    check(frame, decoder.path, materials, of, screen)
    came, ordered = (frame.values(way, screen.count) for way in frame.ways)
    np.testing.assert_allclose(came, ordered, rtol=1e-5)
    with pytest.raises(SystemExit, match="off PyTorch's"):
        check(frame, decoder.path, materials, (of + 1) % 3, screen)


def test_its_text_goes_with_both_roads_of_a_gpu(device):
    """Types and names are checked, for nothing runs it here."""
    screen, recipe = Screen(48, 32, 8), MaterialRecipe(hidden_width=16)
    materials = drawn_materials(2, 8, recipe, shared=True)
    maps = map_textures(device, materials)
    places = pack_networks(materials, maps.places, fragment_bytes).places
    text = whole_text(vectors_text(recipe, "inferencing_optimal", maps, places), screen, 64)
    module = device.load_module_from_source("frame_sorted", text)
    for name in ("as_they_come", "in_order", "brought_back"):
        device.link_program([module], [module.entry_point(name)])
    of_warps = warps_text(recipe, map_words(materials), places)
    assert export_slang(whole_text(of_warps, screen, 64), "in_order").code


def test_blocks_have_one_material():
    screen = Screen(96, 64)
    of, (x, y) = pixel_materials(screen, 50, blocks=True), screen.pixels().T
    for block in range(6):
        assert len(set(of[(x // 32 == block % 3) & (y // 32 == block // 3)].tolist())) == 1
    assert len(set(of.tolist())) > 1
