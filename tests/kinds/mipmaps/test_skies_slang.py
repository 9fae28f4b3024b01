"""kernels.skies.slang: loss and gradient of skies are those of the torch half."""

import numpy as np
import pytest
import torch
from fixtures.mip_engines import colors_of, drawn, drawn_skies, engine_of, maps_of, references_of

from neuralshade.kinds.mipmaps.build import skies_of
from neuralshade.kinds.mipmaps.kernels import DARK, NUMBERS, Skies, levels_of, mipmaps_text
from neuralshade.kinds.mipmaps.recipe import MipmapsRecipe

SIZES = [(7, 5), (1, 6), (16, 8)]  # width, height
PAIRS, POOL = 4, 8
SKIES = Skies(count=2, lights=3, weight=1.5)


def objective(values, references, step):
    """Return the mean loss of a step by numbers [NUMBERS, texels] in torch, and all its terms."""
    lights, bright = drawn_skies(0, POOL // PAIRS * SKIES.count)
    of = slice(step * PAIRS % POOL, step * PAIRS % POOL + PAIRS)
    first = step % (POOL // PAIRS) * SKIES.pairs
    at = slice(first, first + SKIES.pairs)
    weights = torch.from_numpy(bright[at]).double()[:, None, None]

    def sums(colors):
        return (weights * colors).reshape(SKIES.count, SKIES.lights, -1, 3).sum(1)

    wanted = torch.from_numpy(references).double()
    alone = colors_of(values, drawn(0, POOL)[0][of]), wanted[:POOL][of]
    under_skies = sums(colors_of(values, lights[at])), sums(wanted[POOL:][at])
    losses = [(2 * (x - y).abs() / (x + y + DARK)).mean(dim=(0, 2)) for x, y in
              (alone, under_skies)]  # fmt: skip
    return losses[0] + SKIES.weight * losses[1]


@pytest.mark.slow
@pytest.mark.parametrize("width, height", SIZES)
def test_loss_and_gradient_are_those_of_autograd(gpu, width, height):
    base, levels = maps_of(width, height), levels_of(width, height)
    engine = engine_of(gpu, base, levels, skies=SKIES, betas=(0.5, 0.5))
    assert engine.training.reference_count == POOL + POOL // PAIRS * SKIES.pairs
    before, start = 0.0, torch.from_numpy(engine.values()).double()
    for step in range(3):  # the third goes through the pool again
        values = torch.from_numpy(engine.values()).double().requires_grad_()
        told, loss = engine.advance([1.0]), engine.state_now.loss
        references = references_of(engine, engine.training.reference_count)
        losses = objective(values, references, step)
        assert loss == pytest.approx(losses.mean().item(), rel=1e-4)
        of_start = objective(start, references, step).mean().item()
        assert told == pytest.approx(loss / of_start, rel=1e-4)
        losses.sum().backward()
        mean = engine.state()["moments"].numpy().reshape(2, NUMBERS, -1)[0]
        # the kernel's gradient leaves out the mean over pairs and channels, and a factor of 2
        d = values.grad.numpy() * PAIRS * 3 / 2
        scale = np.abs(d).max(axis=1, keepdims=True)
        found = 2 * mean - before
        assert (np.abs(found - d) <= 2e-3 * (np.abs(d) + 1e-2 * scale)).mean() > 0.97
        before = mean


@pytest.mark.slow
def test_skies_are_drawn_for_each_pool_and_steps_may_be_sent_together(gpu):
    base, levels = maps_of(7, 5), levels_of(7, 5)
    together, apart = (engine_of(gpu, base, levels, skies=SKIES, reuse=2) for _ in range(2))
    together.advance([1.0] * 7)
    for _ in range(7):
        apart.advance([1.0])
    np.testing.assert_array_equal(apart.values(), together.values())


def test_without_skies_the_kernels_are_those_of_single_pairs():
    recipe = MipmapsRecipe(favor="mirror")
    assert skies_of(recipe) == Skies(0, recipe.sky_lights, recipe.sky_weight)
    assert mipmaps_text("Lambert", 32, 1, skies_of(recipe)) == mipmaps_text("Lambert", 32)
    assert (
        skies_of(MipmapsRecipe(sky_weight=0)).count == skies_of(MipmapsRecipe(skies=0)).count == 0
    )
    assert skies_of(MipmapsRecipe()).pairs == 16
