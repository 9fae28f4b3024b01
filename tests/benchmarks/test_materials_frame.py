"""benchmarks/materials_frame: what is timed draws what PyTorch does, sorted and as it comes."""

import numpy as np
import pytest
from materials_frame import check, drawn_materials, frame_of, pixel_materials
from rivals.material_screen import Screen

from neuralshade.kinds.material.frame import frame_decoder
from neuralshade.kinds.material.recipe import MaterialRecipe


@pytest.mark.slow  # kernels of a whole frame
@pytest.mark.parametrize("sorted_group", [64, 256])
def test_a_frame_is_drawn_as_pytorch_has_it(gpu, sorted_group):
    screen, recipe = Screen(48, 32, 8, scattered=True), MaterialRecipe(hidden_width=16)
    materials = drawn_materials(3, 8, recipe, shared=True)
    of = pixel_materials(screen, 3, blocks=False)
    decoder = frame_decoder(gpu, materials)
    frame = frame_of(gpu, decoder, screen, of, 3, sorted_group)
    check(frame, decoder.path, materials, of, screen)
    came, ordered = (frame.values(way, screen.count) for way in frame.ways)
    np.testing.assert_allclose(came, ordered, rtol=1e-5)
    with pytest.raises(SystemExit, match="off PyTorch's"):
        check(frame, decoder.path, materials, (of + 1) % 3, screen)


def test_blocks_have_one_material():
    screen = Screen(96, 64)
    of, (x, y) = pixel_materials(screen, 50, blocks=True), screen.pixels().T
    for block in range(6):
        assert len(set(of[(x // 32 == block % 3) & (y // 32 == block // 3)].tolist())) == 1
    assert len(set(of.tolist())) > 1
