"""kinds/image/presets: every preset has the numbers that its source states, and learns."""

import dataclasses

import numpy as np
import pytest
import torch

from neuralshade.errors import ConfigError
from neuralshade.kinds.image.budget import resolve
from neuralshade.kinds.image.build import build_engine
from neuralshade.kinds.image.field import build_field
from neuralshade.kinds.image.presets import PRESETS, preset_recipe
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.model.dense_grid import DenseGrid
from neuralshade.model.field import Field
from neuralshade.model.linear import Linear
from neuralshade.optimizer.adam import Adam, TouchedAdam
from neuralshade.sampler.draw import PixelLattice, Positions
from neuralshade.source.picture import Picture, picture_from_array

CPU = torch.device("cpu")


def random_picture(height: int = 20, width: int = 30) -> Picture:
    rng = np.random.default_rng(3)
    return picture_from_array(rng.integers(0, 256, (height, width, 3), dtype=np.uint8))


def recipe_of(name: str, picture: Picture | None = None, **settings) -> ImageRecipe:
    return resolve(preset_recipe(name, settings), picture or random_picture())


def field_of(name: str) -> Field:
    return build_field(recipe_of(name), 3, torch.Generator().manual_seed(0))


def shapes(name: str) -> list[tuple[int, ...]]:
    return [tuple(layer.weight.shape) for layer in field_of(name).network.layers]


def count(module: torch.nn.Module) -> int:
    return sum(p.numel() for p in module.parameters())


def test_the_presets_of_the_documentation_are_there():
    assert list(PRESETS) == ["grid", "detail", "rtxns", "rtxns-fast", "lake", "tiny", "tiny-9"]
    assert all("Source: " in PRESETS[name].about for name in PRESETS if name != "rtxns-fast")


@pytest.mark.parametrize("name", ["rtxns", "rtxns-fast"])
def test_network_of_rtxns(name):
    """2 inputs x 6 features, 4 hidden layers of 64, leaky ReLU 0.01, sigmoid, 3 outputs."""
    field = field_of(name)
    assert field.encoding.width == 12
    assert shapes(name) == [(64, 12), (64, 64), (64, 64), (64, 64), (3, 64)]
    assert field.network.kinds == ["leaky_relu"] * 4 + ["sigmoid"]
    assert count(field) == 12 * 64 + 3 * 64 * 64 + 64 * 3 + 4 * 64 + 3
    assert all(layer.bits == 16 for layer in field.network.layers)  # float16 parameters
    assert all(p.dtype == torch.float32 for p in field.parameters())  # float32 masters
    quarter = torch.tensor([[0.25, 0.5]])  # sine and cosine of pi, 2 pi and 4 pi times u, v
    half = 0.5**0.5
    wanted = torch.tensor([[half, half, 1, 0, 0, -1, 1, 0, 0, -1, 0, 1]])
    torch.testing.assert_close(field.encoding(quarter), wanted, rtol=0, atol=1e-5)
    assert recipe_of(name).loss == "l2"


def test_training_of_rtxns():
    """L2, Adam from 1e-3 to 1e-4, loss scale 1024, batches of 32 x 32, epochs of 128 batches."""
    recipe = recipe_of("rtxns")
    assert recipe.batch == 1024
    assert recipe.rate == 1e-3
    assert recipe.rate * recipe.rate_final == pytest.approx(1e-4)
    assert recipe.warmup == 0
    assert recipe.loss_scale == 1024
    assert recipe.steps % 128 == 0
    assert recipe.seconds is None
    engine = build_engine(recipe, random_picture(), CPU)
    assert isinstance(engine.task.sampler(engine.trainer.rng), Positions)
    assert [type(optimizer) for optimizer in engine.trainer.optimizers] == [Adam]


def test_lake():
    """A 200x137x3 grid + sub-cell sinusoids + two octaves: 13 inputs; two hidden layers of 32."""
    field, recipe = field_of("lake"), recipe_of("lake")
    assert field.encoding.width == 13
    assert shapes("lake") == [(32, 13), (32, 32), (3, 32)]
    assert field.network.kinds == ["relu", "relu", "sigmoid"]
    [grid] = [m for m in field.modules() if isinstance(m, DenseGrid)]
    assert [tuple(texels.shape) for texels in grid.texels] == [(3, 137, 200)]
    assert count(field) == 3 * 137 * 200 + 13 * 32 + 32 * 32 + 32 * 3 + 32 + 32 + 3
    assert recipe.batch == 16_384
    engine = build_engine(recipe, random_picture(), CPU)
    assert [type(optimizer) for optimizer in engine.trainer.optimizers] == [Adam, TouchedAdam]
    assert isinstance(engine.task.sampler(engine.trainer.rng), PixelLattice)


def test_tiny_nets():
    """Nine parameters, 2 -> 3; and 2 -> 32 -> 32 -> 3 with tanh."""
    assert shapes("tiny-9") == [(3, 2)]
    assert count(field_of("tiny-9")) == 9
    assert shapes("tiny") == [(32, 2), (32, 32), (3, 32)]
    assert field_of("tiny").network.kinds[:2] == ["tanh", "tanh"]
    assert count(field_of("tiny")) == 2 * 32 + 32 + 32 * 32 + 32 + 32 * 3 + 3


@pytest.mark.parametrize("name, bpp", [("grid", 4.0), ("detail", 16.0)])
def test_budgets_of_grid_and_detail(name, bpp):
    recipe = recipe_of(name)
    assert recipe.bpp == bpp
    assert recipe.grid_bits == 4
    assert preset_recipe(name, {}).encoding == "auto"
    engine = build_engine(recipe, random_picture(), CPU)
    assert isinstance(engine.task.sampler(engine.trainer.rng), PixelLattice)


def test_grid_is_the_default_recipe():
    assert preset_recipe("grid", {}) == ImageRecipe(until="usual")


@pytest.mark.parametrize("name, settings, until", [
    ("grid", {}, "usual"), ("tiny", {"bpp": 2.0}, "usual"), ("grid", {"seconds": 5.0}, "end"),
    ("grid", {"steps": 5}, "end"), ("rtxns", {}, "end"), ("grid", {"until": "end"}, "end"),
    ("grid", {"steps": 5, "until": "plateau"}, "plateau"),
    ("grid", {"target_psnr": 30.0}, "usual"),
])  # fmt: skip
def test_a_fit_is_until_its_plateau_where_no_end_is_given(name, settings, until):
    """And again from what an asset says of its recipe."""
    recipe = preset_recipe(name, settings)
    assert recipe.until == until
    assert preset_recipe("grid", dataclasses.asdict(recipe)) == recipe


def whole_picture_loss(engine, picture: Picture) -> float:
    """Return the mean squared error over every pixel."""
    rows, cols = torch.arange(picture.height), torch.arange(picture.width)
    with torch.no_grad():
        predicted, wanted = engine.task.at_sample(PixelLattice(rows, cols))
    return float((predicted.float() - wanted).square().mean())


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_learns(name):
    picture = random_picture()
    engine = build_engine(recipe_of(name), picture, CPU)
    before = whole_picture_loss(engine, picture)
    assert np.isfinite(engine.advance([1.0] * 3))
    assert np.isfinite(engine.advance([1.0] * 27))
    assert engine.skipped == 0
    assert whole_picture_loss(engine, picture) < 0.95 * before


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_resolves_to_a_recipe_without_auto(name):
    recipe = recipe_of(name)
    assert recipe.encoding != "auto"
    assert recipe.loss == "l2"
    assert recipe.batch > 0
    assert resolve(recipe, random_picture()) == recipe


def test_linear_float_pictures_get_a_loss_that_suits_them():
    hdr = picture_from_array(np.full((4, 5, 3), 7.5, np.float32), "linear")
    assert recipe_of("grid", hdr).loss == "relative_l2"
    assert recipe_of("grid", hdr, loss="l1").loss == "l1"


def test_settings_replace_those_of_the_preset():
    recipe = preset_recipe("rtxns", {"encoding": "frequency:octaves=6", "batch": 64})
    kept = preset_recipe("rtxns", {})
    assert (recipe.encoding, recipe.batch) == ("frequency:octaves=6", 64)
    assert dataclasses.replace(recipe, encoding=kept.encoding, batch=kept.batch) == kept


@pytest.mark.parametrize(
    "name, settings, ends",
    [
        ("grid", {}, (None, 20.0, None)),
        ("grid", {"steps": 500}, (500, None, None)),
        ("grid", {"seconds": 3.0}, (None, 3.0, None)),
        ("grid", {"steps": 500, "seconds": 3.0}, (500, 3.0, None)),
        ("grid", {"target_psnr": 30.0}, (None, 20.0, 30.0)),
        ("rtxns", {}, (128 * 256, None, None)),
        ("rtxns", {"seconds": 3.0}, (None, 3.0, None)),
        ("tiny", {"steps": 7}, (7, None, None)),
    ],
)
def test_an_end_that_is_asked_for_replaces_those_of_the_preset(name, settings, ends):
    recipe = preset_recipe(name, settings)
    assert (recipe.steps, recipe.seconds, recipe.target_psnr) == ends


@pytest.mark.parametrize(
    "name, hint",
    [
        ("rtxn", " Did you mean rtxns?"),
        ("gird", " Did you mean grid?"),
        ("zz", " Leave it out for grid."),
    ],
)
def test_an_unknown_preset_is_refused(name, hint):
    with pytest.raises(ConfigError) as caught:
        preset_recipe(name, {})
    assert str(caught.value) == (
        f"preset: got '{name}', need one of ['grid', 'detail', 'rtxns', 'rtxns-fast', 'lake', "
        f"'tiny', 'tiny-9'].{hint}"
    )


def test_an_unknown_setting_beside_a_preset_is_refused():
    with pytest.raises(ConfigError, match=r"^ImageRecipe\.stepz: .* Did you mean steps\? There"):
        preset_recipe("lake", {"stepz": 3})


def test_equal_seeds_build_equal_fields_and_others_do_not():
    picture = random_picture()
    engines = [build_engine(recipe_of("grid", picture, seed=seed), picture, CPU)
               for seed in (4, 4, 5)]  # fmt: skip
    first, second, other = (
        torch.nn.utils.parameters_to_vector(engine.trainer.parameters) for engine in engines
    )
    assert torch.equal(first, second)
    assert not torch.equal(first, other)


def test_rates_reach_network_and_grids_apart():
    picture = random_picture()
    recipe = recipe_of("grid", picture, rate=0.5, grid_rate=0.25, beta1=0.5, beta2=0.75,
                       epsilon=1e-3, average=0.9, bias=False)  # fmt: skip
    engine = build_engine(recipe, picture, CPU)
    network, grids = engine.trainer.optimizers
    assert (network.rate, grids.rate) == (0.5, 0.25)
    for optimizer in engine.trainer.optimizers:
        assert (optimizer.betas, optimizer.epsilon) == ((0.5, 0.75), 1e-3)
    assert engine.trainer.average.decay == 0.9
    assert all(m.bias is None for m in engine.field.modules() if isinstance(m, Linear))
    assert sum(len(optimizer.parameters) for optimizer in engine.trainer.optimizers) == len(
        engine.trainer.parameters
    )
