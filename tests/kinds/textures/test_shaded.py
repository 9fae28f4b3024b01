"""kinds/textures/shaded: texels compared by how they are lit."""

import numpy as np
import pytest
import torch
from fixtures.texture_sets import material_map, small_set, waves

import neuralshade
from neuralshade.errors import ConfigError
from neuralshade.kinds.textures.channels import codings_of
from neuralshade.kinds.textures.shaded import (
    CURVES,
    USUAL,
    channels_slang,
    light_of,
    lit_maps,
    lit_numbers,
    tone,
)
from neuralshade.measure.plane.lit_sphere import AMBIENT, RADIANCE
from neuralshade.source.color import linear_to_srgb, srgb_to_linear
from neuralshade.source.material_set import MaterialSet

UP = torch.tensor([[0.0, 0.0, 1.0]])


def gradient(codings, x, wi, wo):
    x = x.clone().requires_grad_()
    tone(light_of(lit_maps(codings), x, wi, wo)).sum().backward()
    return x.grad


def test_a_rough_white_texel_that_faces_the_light_is_about_1():
    size = (8, 8)
    flat = MaterialSet("x", (
        material_map("albedo", np.full((*size, 3), 0.5)), material_map("ao", waves(*size, 1)),
    ), ())  # fmt: skip
    codings = codings_of(flat)
    light = light_of(lit_maps(codings), torch.ones(1, 1), UP, UP)[:, 0]
    linear = float(srgb_to_linear(0.5))
    # lambert, what everywhere adds, and a few hundredths that a rough dielectric mirrors
    wanted = linear * (1 + AMBIENT / RADIANCE)
    assert ((light > wanted) & (light < wanted + 0.1)).all()
    dark = light_of(lit_maps(codings), torch.zeros(1, 1), UP, UP)[:, 0]
    assert (light - dark).numpy() == pytest.approx(linear * AMBIENT / RADIANCE, rel=1e-4)


def test_tone_is_what_a_screen_shows_of_rolled_off_light():
    x = torch.tensor([0.0, 0.001, 0.01, 0.5, 1.0, 30.0])
    np.testing.assert_allclose(tone(x), linear_to_srgb(x / (1 + x / 2)), atol=1e-6)
    assert float(tone(torch.tensor(1e6))) < 1.5


def test_gradients_are_those_of_differences():
    codings = codings_of(small_set(8, 8, material_map("metallic", waves(8, 8, 1, seed=6)),
                                   material_map("ao", waves(8, 8, 1, seed=7))))  # fmt: skip
    rng = torch.Generator().manual_seed(3)
    x = 0.35 + 0.3 * torch.rand(8, 40, generator=rng, dtype=torch.float64)
    wi, wo = (torch.nn.functional.normalize(
        torch.rand(40, 3, generator=rng, dtype=torch.float64) + torch.tensor([0, 0, 1.0]), dim=1
    ) for _ in range(2))  # fmt: skip
    found = gradient(codings, x, wi, wo)
    for channel in range(8):
        step = torch.zeros_like(x)
        step[channel] = 1e-6
        up, down = (tone(light_of(lit_maps(codings), at, wi, wo)).sum(0)
                    for at in (x + step, x - step))  # fmt: skip
        np.testing.assert_allclose(found[channel], (up - down) / 2e-6, rtol=1e-4, atol=1e-6)


def test_gradients_are_finite_at_the_ends_and_0_beyond():
    codings = codings_of(small_set(8, 8))
    x = torch.tensor([0.0, 1.0, -3.0, 5.0])[None].repeat(6, 1)
    wi = wo = UP.expand(4, 3)
    found = gradient(codings, x, wi, wo)
    assert found.isfinite().all() and (found[:, 2:] == 0).all()


def test_what_the_device_is_told_of_a_set():
    grey = material_map("albedo", waves(8, 8, 1) * 3, meaning="linear", bits=32)
    rough = material_map("roughness", np.full((8, 8), 0.25))
    maps = lit_maps(codings_of(MaterialSet("x", (rough, grey), ())))
    text = channels_slang(maps)
    for name, value in {"ALBEDO": 0, "ALBEDO_STEP": 0, "NORMAL": -1, "ROUGHNESS": -1,
                        "CURVE": CURVES.index("log")}.items():  # fmt: skip
        assert f"int {name} = {value};" in text
    numbers = lit_numbers(maps)
    assert numbers.shape == (5, 4) and numbers[0, 3] == 0.25
    assert numbers[3, 0] == pytest.approx(np.log1p(grey.values.max()))
    np.testing.assert_array_equal(numbers[1], [0, 0, 1, USUAL["metallic"][0]])
    # a constant color is lit as linear light
    color = MaterialSet("x", (material_map("albedo", np.full((8, 8, 3), 0.5)),
                              material_map("ao", waves(8, 8, 1))), ())  # fmt: skip
    linear = srgb_to_linear(np.float32([0.5] * 3))
    np.testing.assert_allclose(lit_numbers(lit_maps(codings_of(color)))[0, :3], linear, rtol=1e-6)


def test_a_fit_says_what_it_is_lit_with(fitted, maps):
    result = fitted(maps, loss="shaded")
    line = "loss: lit with metallic 0, ao 1, which the set lacks."
    assert line in result.notes
    opened = neuralshade.load(result.asset)
    assert line in opened.textures["notes"] and opened.recipe.loss == "shaded"
    assert not any("loss" in note for note in fitted(maps).notes)


@pytest.mark.slow
def test_what_shading_does_not_show_is_trained_too(fitted, maps):
    height = material_map("displacement", waves(32, 32, 1, seed=8))
    several = MaterialSet("rock", (*maps.maps, height), ())
    short, longer = (fitted(several, loss="shaded", bpp=10.0, steps=n) for n in (4, 200))
    for name in ("albedo", "normal", "displacement"):
        assert longer.maps[name][0] > short.maps[name][0] + 3, name


def test_a_set_that_is_not_lit_is_refused(fitted, same_message):
    flat = MaterialSet("flat", (material_map("ao", waves(8, 8, 1)),
                                material_map("normal", [[[0, 0, 1.0]] * 8] * 8)), ())  # fmt: skip
    with pytest.raises(ConfigError) as refused:
        fitted(flat, loss="shaded")
    same_message(str(refused.value), "TexturesRecipe.loss", "loss")
