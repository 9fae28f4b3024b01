"""kinds/textures/engine: latents that are BC1 textures, trained alike by both engines."""

import numpy as np
import pytest
import torch
from fixtures.block_engines import block_engines
from fixtures.texture_sets import small_set

from neuralshade.kinds.textures.block_layout import block_grids
from neuralshade.model.block_grid import END_LEVELS

RATES = [1.0, 0.9, 0.8]
LAYOUT = {"grids": "1:1,2:2", "epsilon": 1e-4}


def far(on_gpu, host):
    """Return the relative norm of the error of every tensor that both engines keep."""
    got, wanted = on_gpu.state(), host.state()
    names = [n for n in wanted if n.partition(".")[0] in ("field", "optimizer")]
    return {n: float((got[n].float() - wanted[n]).norm() / (wanted[n].norm() + 1e-12))
            for n in names}  # fmt: skip


def codes(engine):
    return [code for grid in block_grids(engine.trained()) for code in grid.codes()]


@pytest.mark.slow
@pytest.mark.parametrize("wrap", ["repeat", pytest.param("clamp", marks=pytest.mark.slow)])
def test_both_engines_take_the_same_steps_and_freeze_blocks(gpu, wrap):
    """Jitter, bilinear targets, noise, look-ups, their gradients and Adam are those of PyTorch."""
    height, width = (16, 24) if wrap == "repeat" else (9, 13)
    on_gpu, host = block_engines(gpu, small_set(height, width), wrap=wrap, **LAYOUT)
    assert max(far(on_gpu, host).values()) == 0
    for rate in RATES:
        assert on_gpu.advance([rate]) == pytest.approx(host.advance([rate]), rel=1e-4)
    errors = far(on_gpu, host)
    assert max(errors.values()) < 2e-3, errors  # float32 sums of some hundred terms, three steps on
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
