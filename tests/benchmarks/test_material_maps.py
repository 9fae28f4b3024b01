"""benchmarks/rivals/material_maps: ordinary maps, fitted, as a graph."""

import numpy as np
import pytest
import torch
from rivals.material_fields import maps
from rivals.material_maps import maps_reference

from neuralshade.kinds.material.field import encoding_of
from neuralshade.kinds.material.judging.judge import field_shade
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.speed.evaluation import graph_evaluation
from neuralshade.kinds.material.speed.screen import Screen


@pytest.mark.parametrize("wrap", ["repeat", pytest.param("clamp", marks=pytest.mark.slow)])
def test_maps_on_the_device_are_those_that_were_fitted(gpu, wrap):
    """Bilinear, of 8 bits, below the mapped normal too."""
    rng, screen = torch.Generator().manual_seed(4), Screen(32, 16, 8, scattered=True)
    field = maps(coated=False).build(MaterialRecipe(size=8, wrap=wrap), rng)
    torch.nn.init.uniform_(encoding_of(field).grid.texels, 0, 1, generator=rng)
    encoding_of(field).grid.round()
    wanted = field_shade(field)(*screen.points())
    found = graph_evaluation(gpu, maps_reference(field, wrap), screen).values()
    assert (wanted == 0).any() and wanted.std() > 0.02
    close = np.isclose(found, wanted, rtol=2e-3, atol=1e-4).all(axis=1)
    assert close.mean() > 0.99  # but where a cosine is as good as 0
