"""kinds/material/noise: what a sampler is worth is a number, whatever it draws."""

import math

import pytest
import torch

from neuralshade.kinds.material import noise
from neuralshade.kinds.material.field import build_field
from neuralshade.kinds.material.noise import sampler_noise
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.sampler_fit import untrained_sampler
from neuralshade.kinds.material.schema import METHODS, MOST_MEASURE
from neuralshade.model.lobe_sampler import Mixture

RECIPE = MaterialRecipe(size=4, features=5, lobes=2, hidden_width=16)


@pytest.fixture
def field():
    """Give a field of small numbers."""
    return build_field(RECIPE, RECIPE.size, torch.Generator().manual_seed(1))


def test_what_is_drawn_along_the_surface_tells_nothing(field, monkeypatch):
    """No light, and no density: a fit once ended with a file whose noise was no number."""
    monkeypatch.setattr(noise, "AT_ONCE", noise.PLACES)  # so that one direction is lost
    sampler, inner = untrained_sampler(RECIPE), Mixture.sample
    usual = sampler_noise(field, sampler)

    def sample(self, wo, u):
        wi, _ = inner(self, wo, u)
        wi[:, 5] = torch.tensor([1.0, 0.0, 0.0])
        return wi, self.pdf(wi, wo)

    monkeypatch.setattr(Mixture, "sample", sample)
    found = sampler_noise(field, sampler)
    assert found == pytest.approx(usual, rel=1e-2)


def test_infinite_light_is_the_most_noise_that_a_file_holds(field):
    with torch.no_grad():
        field.network.members[-1].bias.fill_(math.log(3e38) + 1)
    found = sampler_noise(field, untrained_sampler(RECIPE))
    assert found == {f"noise_{way}": MOST_MEASURE for way in METHODS}
