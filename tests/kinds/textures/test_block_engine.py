"""kinds/textures/engine: latents that are BC1 textures, trained alike by both engines."""

import numpy as np
import pytest
import torch
from fixtures.block_engines import block_engines
from fixtures.texture_engines import check_rounded, check_stepped, far
from fixtures.texture_sets import small_set

from neuralshade.kinds.textures.block_layout import block_grids
from neuralshade.model.block_grid import END_LEVELS

RATES = [1.0, 0.9, 0.8]
LAYOUT = {"grids": "1:1,2:2", "epsilon": 1e-4}


def codes(engine):
    return [code for grid in block_grids(engine.trained()) for code in grid.codes()]


@pytest.mark.slow
@pytest.mark.parametrize("wrap", ["repeat", pytest.param("clamp", marks=pytest.mark.slow)])
def test_both_engines_take_the_same_steps_and_freeze_blocks(gpu, wrap):
    """Jitter, bilinear targets, noise, look-ups, their gradients and Adam are those of PyTorch."""
    height, width = (16, 24) if wrap == "repeat" else (9, 13)
    on_gpu, host = block_engines(gpu, small_set(height, width), wrap=wrap, **LAYOUT)
    check_rounded(far(on_gpu, host))
    for rate in RATES:
        # an end point that falls to either side of a half, by 2^-16, is a 31st or a 63rd apart
        assert on_gpu.advance([rate]) == pytest.approx(host.advance([rate]), rel=4e-3)
    check_stepped(far(on_gpu, host))
    for engine in (on_gpu, host):
        engine.freeze()
        for grid in block_grids(engine.trained()):
            levels = torch.tensor(END_LEVELS).repeat(grid.textures)[:, None]
            for numbers, steps in ((grid.ends, levels), (grid.shares, 3)):
                counts = numbers.detach() * steps
                np.testing.assert_allclose(counts, counts.round(), rtol=0, atol=1e-5)
    before = codes(on_gpu)
    assert on_gpu.advance([0.01] * 2) == pytest.approx(host.advance([0.01] * 2), rel=0.02)
    assert all(map(np.array_equal, codes(on_gpu), before))
