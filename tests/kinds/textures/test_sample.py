"""kinds/textures/sample: a set is sampled in PyTorch as its decoded maps are."""

import numpy as np
import pytest
import torch

import neuralshade
from neuralshade.errors import AssetError, ConfigError, ShapeError
from neuralshade.kinds.textures.sample import TextureSetField

SIZES = [(24, 16), (12, 8), (6, 4), (3, 2), (1, 1)]


@pytest.fixture(scope="module", params=["repeat", "clamp"])
def asset(request, fitted_set):
    return fitted_set.asset if request.param == "repeat" else fitted_set.clamped


@pytest.fixture(scope="module")
def sampled(asset):
    return neuralshade.load(asset), TextureSetField(asset)


def bilinear(image, uv, wraps):
    """Return an image [h, w, C] at uv [N, 2], mixed of four texels, in float64."""
    size = np.array(image.shape[1::-1])
    place = (uv - np.floor(uv) if wraps else uv.clip(0, 1)) * size - 0.5
    first, share = np.floor(place).astype(int), place - np.floor(place)
    mixed = 0
    for step in ((0, 0), (1, 0), (0, 1), (1, 1)):
        at = first + step
        col, row = (at % size if wraps else at.clip(0, size - 1)).T
        weight = np.where(np.array(step) == 1, share, 1 - share).prod(1)
        mixed = mixed + weight[:, None] * image[row, col]
    return mixed


def test_texel_centers_are_what_is_decoded(sampled):
    opened, field = sampled
    assert field.names == [coding.name for coding in opened.codings]
    for level, (width, height) in enumerate(SIZES):
        y, x = np.mgrid[0:height, 0:width]
        uv = np.stack([(x + 0.5) / width, (y + 0.5) / height], axis=2).reshape(-1, 2)
        maps = field(torch.from_numpy(uv).float(), level, "nearest")
        for name, values in maps.items():
            wanted = opened.map(name, level)
            assert values.dtype == torch.float32 and values.shape[1] == wanted.shape[2]
            close = {"rtol": 1e-4, "atol": 2e-4 if name == "normal" else 2e-5}  # z near 0
            np.testing.assert_allclose(values.reshape(wanted.shape), wanted, **close)


def test_bilinear_mixes_four_texels(sampled, rng):
    opened, field = sampled
    wraps = opened.recipe.wrap == "repeat"
    uv = torch.rand(300, 2, generator=rng) * 2 - 0.5
    level = torch.randint(len(SIZES), (300,), generator=rng)
    found = field.channels(uv, level)
    for mip in range(len(SIZES)):
        image = opened.trained_channels(mip).clip(0, 1)
        wanted = bilinear(image, uv[level == mip].double().numpy(), wraps)
        np.testing.assert_allclose(found[level == mip], wanted, atol=1e-4)  # float32 places


def test_stochastic_is_bilinear_on_average(sampled, rng):
    """Each call gives one of the four texels; of 16 x 16 strata of random numbers, their mean."""
    _, field = sampled
    uv = torch.rand(20, 2, generator=rng)
    side = torch.arange(16).add(0.5) / 16
    random = torch.stack(torch.meshgrid(side, side, indexing="ij"), dim=-1).reshape(-1, 2)
    many = field.channels(uv.repeat_interleave(256, 0), 0, "stochastic", random.repeat(20, 1))
    mean = many.reshape(20, 256, -1).mean(1)
    # a stratum's width on two sides, of texels that are at most 1 apart
    torch.testing.assert_close(mean, field.channels(uv), atol=1 / 16, rtol=0)
    assert all(len(one.unique(dim=0)) <= 4 for one in many.reshape(20, 256, -1))
    torch.manual_seed(1)
    drawn = field.channels(uv[:1].repeat(4000, 1), 0, "stochastic")
    # five standard errors of means of 4,000 numbers in [0, 1]
    torch.testing.assert_close(drawn.mean(0), field.channels(uv[:1])[0], atol=0.04, rtol=0)


def test_at_takes_positions_of_any_shape_with_a_level_each(sampled, rng):
    opened, field = sampled
    uv, level = torch.rand(2, 3, 2, generator=rng), torch.tensor([[0, 1, 0], [1, 0, 1]])
    found = opened.at(uv, level=level)
    for name, values in field(uv.reshape(6, 2), level.reshape(6)).items():
        assert torch.equal(found[name], values.reshape(2, 3, -1))
    assert {values.shape[:2] for values in opened.at(uv.numpy()).values()} == {(2, 3)}


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16])
def test_the_module_takes_any_shape_and_floats_of_any_width(sampled, rng, dtype):
    _, field = sampled
    uv, random = torch.rand(2, 2, 3, 2, generator=rng).to(dtype)
    level = torch.tensor([[0, 1, 0], [1, 0, 1]])
    given = (level, "stochastic", random)
    found = field.channels(uv, *given)
    flat = (level.reshape(6), "stochastic", random.reshape(6, 2).float())
    assert torch.equal(found.reshape(6, -1), field.channels(uv.reshape(6, 2).float(), *flat))
    each = field(uv, *given)
    for name, values in field(uv.reshape(6, 2).float(), *flat).items():
        assert torch.equal(each[name], values.reshape(2, 3, -1)) and values.dtype == torch.float32


def test_levels_beyond_are_the_nearest_and_nothing_has_a_gradient(sampled, rng, same_message):
    _, field = sampled
    uv = torch.rand(5, 2, generator=rng)
    with pytest.raises(ShapeError) as caught:
        field.channels(uv.clone().requires_grad_())
    same_message(str(caught.value), "TextureSetField.uv", "Pass")
    last = field.channels(uv, len(SIZES) - 1)
    beyond, before = torch.full((5,), 99), torch.full((5,), -3)
    assert torch.equal(field.channels(uv, beyond), last) and not last.requires_grad
    assert torch.equal(field.channels(uv, before), field.channels(uv, 0))
    assert not any(p.requires_grad for p in field.parameters())
    empty = field(torch.zeros(0, 2))
    assert {name: list(values.shape) for name, values in empty.items()}["albedo"] == [0, 3]


@pytest.mark.parametrize(
    "kind, given, message",
    [
        (ConfigError, {"filter": "bilinar"}, "filter: got 'bilinar', need one of ['nearest', "
         "'bilinear', 'stochastic', 'latents']. Did you mean bilinear?"),
        (ConfigError, {"level": 20}, f"level: got 20, need 0 to {len(SIZES) - 1}. 0 is the "
         "finest."),
        (ShapeError, {"uv": torch.zeros(4, 3)}, "TextureSetField.uv: got torch.float32 [4, 3], "
         "need floats [N, 2]. Put the two numbers of one position into one row."),
        (ShapeError, {"uv": torch.full((4, 2), torch.nan)}, "TextureSetField.uv: got NaN or "
         "infinity, need finite numbers. Replace them first."),
        (ShapeError, {"uv": torch.zeros(2)}, "TextureSetField.uv: got torch.float32 [2], need "
         "floats [N, 2]. Put the two numbers of one position into one row."),
        (ShapeError, {"level": torch.zeros(4)}, "TextureSetField.level: got torch.float32 [4], "
         "need integers [N], or one. Round it."),
        (ShapeError, {"level": torch.zeros(3, dtype=torch.int64)}, "TextureSetField.level: got "
         "torch.int64 [3], need integers [N], or one. Round it."),
        (ShapeError, {"random": torch.zeros(4)}, "TextureSetField.random: got torch.float32 [4], "
         "need floats [N, 2]. Put the two numbers of one position into one row."),
    ],
)  # fmt: skip
def test_what_is_no_position_is_refused(sampled, refusal, kind, given, message):
    assert refusal(kind, sampled[1], **{"uv": torch.zeros(4, 2), **given}) == message


def test_other_assets_are_refused(refusal):
    told = refusal(AssetError, TextureSetField, "tests/data/image_grid.nsh")
    assert "got an asset of kind 'image', need 'textures'" in told
