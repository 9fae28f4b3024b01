"""kinds/textures/fit: sets of any maps and sizes, from start to file."""

import itertools
import signal
from functools import partial

import numpy as np
import pytest
import torch
from fixtures.texture_sets import material_map, small_set, unit_normals, waves

import neuralshade
from neuralshade.base.message_text import rounded_db
from neuralshade.errors import FitInterrupted
from neuralshade.kinds.textures.channels import codings_of, trained_levels
from neuralshade.kinds.textures.engine import decode_texels, latent_grids
from neuralshade.kinds.textures.field import build_field
from neuralshade.kinds.textures.layout import decoder_bits
from neuralshade.kinds.textures.psnr import map_psnr
from neuralshade.kinds.textures.recipe import TexturesRecipe, parse_grids
from neuralshade.kinds.textures.texels import Texels
from neuralshade.source.material_mips import mip_sizes
from neuralshade.source.material_set import MaterialSet


def measured(textures, asset):
    """Return the PSNR by map and mip of a file, compared with the set once more."""
    opened, codings = neuralshade.load(asset), codings_of(textures)
    texels = Texels(trained_levels(textures, codings, opened.mips))
    found = map_psnr(partial(decode_texels, opened.field), texels, codings)
    return {name: [rounded_db(value) for value in values] for name, values in found.items()}


def test_the_file_is_as_good_as_its_header_says(fitted, maps, tmp_path):
    told = []
    result = fitted(maps, steps=120, observer=lambda p: told.append((p.step, p.loss)))
    assert result.maps == measured(maps, result.asset)
    assert list(result.maps) == ["albedo", "normal", "roughness"]
    assert all(len(values) == 6 for values in result.maps.values())
    opened = neuralshade.load(result.asset)
    assert opened.header.quality == {"psnr_db": rounded_db(result.psnr_db), "maps": result.maps}
    first = [values[0] for values in result.maps.values()]
    assert result.psnr_db == pytest.approx(np.mean(first), abs=1e-3) and result.psnr_db > 20
    size = (tmp_path / "x.nsh").stat().st_size
    assert (result.asset_bytes, result.bits_per_texel) == (size, 8 * size / 32**2)
    assert opened.bits_per_pixel == result.bits_per_texel
    assert (result.steps, result.skipped_steps, told[-1][0]) == (120, 0, 120)
    assert told[-1][1] == result.loss < 0.01
    facts = opened.textures
    assert (facts["name"], facts["width"], facts["height"], facts["mips"]) == ("rock", 32, 32, 6)


@pytest.mark.slow
def test_more_bits_are_better(fitted, maps):
    """The decoder aside, whose bytes are the same."""
    found = [fitted(maps, f"{bpp}.nsh", bpp=bpp, steps=100) for bpp in (1.11, 20.0)]
    for less, more in itertools.pairwise(found):
        assert more.psnr_db > less.psnr_db + 0.5 and more.asset_bytes > less.asset_bytes


def test_latents_are_of_the_rate_asked_for(fitted, maps):
    result = fitted(maps, steps=2, bpp=5.0)
    tensors = neuralshade.load(result.asset).tensors
    latents = sum(t.nbytes for name, t in tensors.items() if name.startswith("latents"))
    assert 5.0 <= latents * 8 / 32**2 <= 5.0 * 1.1  # deeper mips have a fifteenth or so


@pytest.mark.parametrize("side, told", [(32, True), (256, False)])
def test_a_set_so_small_that_its_decoder_weighs_most_says_so(fitted, side, told):
    """5 bits per texel were asked for, and 11 came."""
    result = fitted(small_set(side, side), steps=2, bpp=5.0, mips=1, polish=0)
    said = [line for line in result.warnings if "decoder and header take" in line]
    assert bool(said) == told
    if told:
        size = result.bits_per_texel
        rest = size - 5.0  # or a little more: rates are those of whole grids
        taken = float(said[0].split("take ")[1].split()[0])
        assert taken == pytest.approx(rest, abs=0.6) and said[0].endswith(
            f" of the {size:.1f} bits per texel, as the set is small: 32 x 32 texels. Less with "
            "--hidden-width 32 or --network-bits 8."
        )


@pytest.mark.parametrize("height, width, settings", [
    pytest.param(16, 48, {"wrap": "clamp"}, marks=pytest.mark.slow), (21, 13, {}),
    pytest.param(1, 24, {}, marks=pytest.mark.slow), (24, 1, {"wrap": "clamp"}),
    (2, 2, {"bpp": 20.0}), (32, 32, {"mips": 1}),
    pytest.param(30, 20, {"mips": 3, "bpp": 1.11}, marks=pytest.mark.slow),
])  # fmt: skip
def test_any_size(fitted, height, width, settings):
    textures = small_set(height, width)
    result = fitted(textures, **settings)
    assert result.maps == measured(textures, result.asset)
    opened = neuralshade.load(result.asset)
    assert opened.size_of_set == (width, height)
    assert len(result.maps["albedo"]) == opened.mips == settings.get("mips") or opened.mips
    assert opened.sizes[0] == (width, height)
    kept = opened.header.recipe  # the file tells which were chosen
    bits = decoder_bits(TexturesRecipe(), parse_grids(kept["grids"]))
    assert kept["network_bits"] == bits
    assert kept["latent_rate"] == (0.025 if settings.get("bpp") == 20.0 else 0.1)
    assert ("decoder.0.weight.scale" in opened.tensors) == (bits == 8)


@pytest.mark.parametrize("wrap", ["clamp", "repeat"])
def test_a_border_sees_the_other_side_where_it_wraps_around(wrap):
    recipe = TexturesRecipe(wrap=wrap, bpp=1.11, hidden_width=16)
    field = build_field(recipe, (32, 32), 2, torch.Generator().manual_seed(0))
    sizes, left = mip_sizes(32, 32), torch.arange(32) * 32
    before = decode_texels(field, sizes, 0, left)
    for grid in latent_grids(field):
        grid.level(0)[:, -1] = 1.0
    assert np.array_equal(decode_texels(field, sizes, 0, left), before) == (wrap == "clamp")


def test_maps_of_every_meaning(fitted):
    size, noise = (16, 16), waves(16, 16, 1, seed=8)
    textures = MaterialSet("all", (
        material_map("albedo", waves(*size, 3)), material_map("normal", unit_normals(*size)),
        material_map("emissive", 40 * waves(*size, 3, seed=4) ** 4, bits=32),
        material_map("opacity", (noise > 0.5).astype(np.float32)),
        material_map("displacement", waves(*size, 1, seed=5), bits=16),
        material_map("metallic", np.zeros(size)), material_map("curvature", noise * 6 - 3, bits=16),
    ))  # fmt: skip
    result = fitted(textures, steps=100, keep_hidden_color=True)  # all texels are looked at
    opened = neuralshade.load(result.asset)
    assert opened.channels == 11 and "metallic" not in result.maps
    assert np.array_equal(opened.map("metallic"), np.zeros((16, 16, 1), np.float32))
    for one in textures.maps:
        error = np.abs(opened.map(one.name) - one.values).mean()
        assert error < 0.2 * (one.values.max() - one.values.min() + 1e-9) + 1e-6, one.name
    assert opened.map("emissive").max() > 5  # not cut off at 1
    told = opened.summary()
    assert told["  metallic"] == "0 everywhere" and told["  albedo"].startswith("dB by mip: ")


@pytest.mark.slow
def test_weights_move_the_error(fitted, maps):
    usual = fitted(maps, "a.nsh", steps=60).maps
    heavy = fitted(maps, "b.nsh", steps=60, weights="roughness=30, albedo=0.1").maps
    assert heavy["roughness"][0] > usual["roughness"][0] + 1
    assert heavy["albedo"][0] < usual["albedo"][0] - 1


@pytest.mark.slow
def test_deeper_mips_are_as_good(fitted, maps):
    for name, values in fitted(maps, steps=100).maps.items():
        assert min(values) > values[0] - 3, name


@pytest.mark.slow
def test_latents_rounded_at_the_end_lose_little(fitted, maps):
    """They were trained with noise, and the decoder after they were frozen."""
    noisy = fitted(maps, "a.nsh", steps=80, noise_until=0.9)
    never = fitted(maps, "b.nsh", steps=80, noise_until=1.0)
    assert noisy.psnr_db > never.psnr_db - 0.3


def tensors(result):
    return neuralshade.load(result.asset).tensors


def same(one, two):
    assert one.keys() == two.keys()
    return all(np.array_equal(one[name], two[name]) for name in one)


@pytest.mark.slow
def test_equal_steps_give_equal_bits(fitted, maps):
    once, again = (fitted(maps, name) for name in ("a.nsh", "b.nsh"))
    assert same(tensors(once), tensors(again)) and once.loss == again.loss
    assert not same(tensors(once), tensors(fitted(maps, "c.nsh", seed=1)))


@pytest.mark.slow
@pytest.mark.parametrize("part", [0.3, 0.9])
@pytest.mark.parametrize("more", [{"wrap": "repeat"}, {"wrap": "clamp"}, {"latents": "bc1"}])
def test_resumed_equals_uninterrupted(fitted, maps, tmp_path, monkeypatch, part, more):
    """Before latents were frozen, and after."""
    settings = {"steps": 60, "noise_until": 0.6, **more}
    whole = fitted(maps, "whole.nsh", **settings)

    def interrupt(progress):
        if progress.step >= part * 60:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(
        "neuralshade.fitting.progress.CALLBACK_SECONDS", 1e-9
    )  # look after each step
    with pytest.raises(FitInterrupted):
        fitted(maps, "parted.nsh", observer=interrupt, **settings)
    assert not (tmp_path / "parted.nsh").exists()
    checkpoint = tmp_path / "parted.checkpoint.nsh"
    resumed = fitted(maps, "parted.nsh", resume=checkpoint, **settings)
    assert resumed.steps == 60 and same(tensors(whole), tensors(resumed))


@pytest.mark.parametrize("size", [(16, 16), (1, 1)])
def test_a_set_that_is_the_same_everywhere_is_what_it_was(tmp_path, size):
    wanted = {"albedo": (0.5, 0.3, 0.2), "roughness": (0.6,), "metallic": (0.0,)}
    maps = [material_map(name, np.broadcast_to(np.float32(value), (*size, len(value))))
            for name, value in wanted.items()]  # fmt: skip
    result = neuralshade.fit_textures(MaterialSet("flat", tuple(maps)), tmp_path / "flat.nsh",
                                      steps=500, batch=256, hidden_width=16)  # fmt: skip
    opened = neuralshade.load(result.asset)
    for name, value in wanted.items():
        np.testing.assert_allclose(opened.map(name), np.broadcast_to(value, (*size, len(value))),
                                   atol=3 / 255)  # fmt: skip
