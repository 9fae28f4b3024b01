"""kinds/material/engine: how a fit begins."""

from pathlib import Path

import numpy as np
import pytest
import torch
from fixtures.small_material import DARK, PAINT, TOLD, upper_pairs

from neuralshade.errors import ConfigError, KernelError
from neuralshade.kinds.material.build import build_engine
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.references.reference_bsdf import ReferenceBsdf, ReferenceKernels
from neuralshade.kinds.material.references.sources import load_reference

VELVET = Path(__file__).parents[3] / "examples/material/velvet.toml"
PAIRS = 2048
GOLD = """[[layer]]
kind = "conductor"
color = [0.95, 0.7, 0.3]
roughness = 0.1
"""


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_the_first_steps_do_not_throw_a_dark_material_to_black(gpu, seed):
    kernels = ReferenceKernels(gpu, load_reference(VELVET))
    recipe = MaterialRecipe(size=16, batch=2048, seed=seed)
    engine = build_engine(recipe, kernels)
    engine.advance([min(1.0, (step + 1) / recipe.warmup) for step in range(100)])
    asked = upper_pairs(PAIRS)
    said, wanted = engine.encoded(*asked), kernels.eval(*asked)
    share = np.median(said, axis=0) / np.median(wanted, axis=0)
    assert (share > 0.3).all() and (share < 3).all()


@pytest.mark.slow
def test_a_polished_metal_does_not_stay_black(gpu, tmp_path):
    """Three of four samples are dark: they had led the decoder to where nothing has a slope."""
    (tmp_path / "gold.toml").write_text(GOLD)
    kernels = ReferenceKernels(gpu, load_reference(tmp_path / "gold.toml"))
    recipe = MaterialRecipe(size=8, batch=2048, seed=1)  # with which it did
    engine = build_engine(recipe, kernels)
    engine.advance([min(1.0, (step + 1) / recipe.warmup) for step in range(400)])
    uv, wi, wo = upper_pairs(PAIRS)
    wi = (wo * [-1, -1, 1] + 0.01 * wi).astype(np.float32)
    wi /= np.linalg.norm(wi, axis=1, keepdims=True)
    share = np.median(engine.encoded(uv, wi, wo) / kernels.eval(uv, wi, wo), axis=0)
    assert (share > 0.3).all() and (share < 3).all()


def test_a_material_that_scatters_nothing_is_refused(gpu):
    """One that shines alone, say: the fit is told so before its first step."""
    dark = ReferenceBsdf("lamp", PAINT.replace("* wi.z;", "* 0.0f;") + TOLD + DARK, ("a", "b"), {})
    with pytest.raises(ConfigError, match=r"lamp: got no light from any of .* samples, need a"):
        build_engine(MaterialRecipe(size=16, batch=512), ReferenceKernels(gpu, dark))


def test_a_text_that_does_not_compile_is_told_by_the_materials_name(gpu):
    broken = ReferenceBsdf(
        "lamp", PAINT.replace("float3 half", "nothing half") + TOLD + DARK, (), {}
    )
    kernels = ReferenceKernels(gpu, broken)
    with pytest.raises(KernelError, match=r"lamp: .*does not compile"):
        kernels.eval(*upper_pairs(3))


def test_a_map_is_trained_between_the_points_that_are_known(gpu, painted):
    """While an encoder makes it, samples lie at these, whose values it has; then about them."""
    engine = build_engine(MaterialRecipe(size=16, batch=512, seed=3), painted)
    rng, drawn = torch.Generator().manual_seed(0), []
    draw = engine.task.draw
    engine.task.draw = lambda rng, moved: drawn.append(draw(rng, moved)) or drawn[-1]
    for change in (lambda: None, engine.bake, engine.freeze):
        change()
        engine.task(rng)
    known = {tuple(point) for point in engine.sampler.points.numpy()}
    for batch, moved in zip(drawn, (False, True, True), strict=True):
        at = batch.uv.numpy()
        assert np.mean([tuple(point) in known for point in at]) == (0 if moved else 1)
        values = engine.sampler.normalized(torch.from_numpy(painted.parameters(at)))
        assert torch.allclose(batch.values, values, atol=1e-4) != moved
        wanted = painted.eval(at, batch.wi.t().numpy(), batch.wo.t().numpy())
        np.testing.assert_allclose(batch.target.t().numpy(), wanted, rtol=1e-4, atol=1e-5)
