"""kinds/material/engine: how a fit begins."""

from pathlib import Path

import numpy as np
import pytest
from fixtures.small_material import upper_pairs

from neuralshade.kinds.material.build import build_engine
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.teachers.sources import load_teacher
from neuralshade.kinds.material.teachers.teacher import TeacherKernels

VELVET = Path(__file__).parents[3] / "examples/material/velvet.toml"
PAIRS = 2048


@pytest.mark.parametrize("seed", [0, 1])
def test_the_first_steps_do_not_throw_a_dark_material_to_black(gpu, seed):
    kernels = TeacherKernels(gpu, load_teacher(VELVET))
    recipe = MaterialRecipe(size=16, batch=2048, seed=seed)
    engine = build_engine(recipe, kernels)
    engine.advance([min(1.0, (step + 1) / recipe.warmup) for step in range(100)])
    asked = upper_pairs(PAIRS)
    said, wanted = engine.encoded(*asked), kernels.eval(*asked)
    share = np.median(said, axis=0) / np.median(wanted, axis=0)
    assert (share > 0.3).all() and (share < 3).all()
