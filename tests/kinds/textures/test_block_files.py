"""kinds/textures/blocks, block_files, corners: assets whose latents are BC1 textures."""

import json

import numpy as np
import OpenImageIO
import pytest
import texture2ddecoder
import torch
from fixtures.block_engines import bilinear
from fixtures.texture_engines import texels_of
from fixtures.texture_sets import small_set
from PIL import Image

import neuralshade
from neuralshade.asset.asset import read_asset, save_asset
from neuralshade.errors import AssetError, ConfigError
from neuralshade.kinds.textures import evaluate, report
from neuralshade.kinds.textures.asset import pack_field
from neuralshade.kinds.textures.block_layout import block_grids
from neuralshade.kinds.textures.corner_psnr import corner_channels, corner_means
from neuralshade.kinds.textures.sample import TextureSetField
from neuralshade.kinds.textures.texels import TexelSampler

HEADER_BYTES = 148  # of a DDS file
STEP = 1.34 / 255  # what decoders of 8 bits cut off of both shares of two end points


@pytest.fixture(scope="module")
def opened(block_set):
    return neuralshade.load(block_set.asset)


@pytest.fixture(scope="module")
def written(opened, tmp_path_factory):
    return neuralshade.decode(opened, tmp_path_factory.mktemp("latents"), latents=True)


def test_what_is_stored_is_what_was_packed(opened):
    again = pack_field(opened.field)
    assert [n for n in again if n.startswith("latents")] == [f"latents.{i}" for i in range(3)]
    for name, values in opened.tensors.items():
        assert np.array_equal(again[name], values), name
    assert opened.tensors["latents.0"].shape == (64 + 16 + 4 + 1 + 1 + 1, 8)
    assert opened.memory_bytes == sum(t.nbytes for t in opened.tensors.values())


def test_other_programs_read_the_same_texels(opened, written):
    assert [path.name for path in written] == [*(f"latents_{i}.dds" for i in range(3)),
                                               "decoder.json"]  # fmt: skip
    textures = [(grid, i) for grid in block_grids(opened.field.encoding)
                for i in range(grid.textures)]  # fmt: skip
    for (grid, index), path in zip(textures, written[:-1], strict=True):
        file, at = OpenImageIO.ImageInput.open(str(path)), HEADER_BYTES
        raw = path.read_bytes()
        for level, (width, height) in enumerate(grid.sizes):
            wanted = grid.level(level)[..., 3 * index : 3 * index + 3].numpy()
            assert file.seek_subimage(0, level)
            by_oiio = file.read_image(0, level, 0, 3, "uint8") / 255
            blocks = raw[at : (at := at + 8 * -(-width // 4) * -(-height // 4))]
            bgra = np.frombuffer(texture2ddecoder.decode_bc1(blocks, width, height), np.uint8)
            by_decoder = bgra.reshape(height, width, 4)[..., [2, 1, 0]] / 255
            for found in (by_oiio, by_decoder):
                np.testing.assert_allclose(found, wanted, rtol=0, atol=STEP)
            ends = np.isin(grid.shares.detach()[0, 0, index], (0, 1))  # end points are exact
            if ends and level == 0:
                np.testing.assert_allclose(by_oiio[0, 0], wanted[0, 0], rtol=0, atol=1e-6)
        assert at == len(raw) and not file.seek_subimage(0, len(grid.sizes))
        with Image.open(path) as image:
            wanted = grid.level(0)[..., 3 * index : 3 * index + 3].numpy()
            np.testing.assert_allclose(np.asarray(image)[..., :3] / 255, wanted, rtol=0, atol=STEP)


def test_textures_and_decoder_say_the_set_by_themselves(opened, written):
    """Files alone, with NumPy: mip 1 of every map from level 1 of the first texture, 0 of others.

    Against what the asset decodes: 8 bits of a latent apart, through the decoder.
    """
    facts = json.loads(written[-1].read_text())
    parts = []
    for one in facts["textures"]:
        file = OpenImageIO.ImageInput.open(str(written[-1].parent / one["file"]))
        assert file.seek_subimage(0, 1 - one["level_offset"])
        parts.append(file.read_image(0, 1 - one["level_offset"], 0, 3, "float"))
    x = np.concatenate(parts, axis=2) * 2 - 1
    for layer in facts["layers"]:
        x = x @ np.array(layer["weight"]).T + layer["bias"]
        if layer["activation"] == "hard_gelu":
            x = x * np.clip(x / 3 + 0.5, 0, 1)
    wanted = opened.trained_channels(1)
    assert np.abs(x - wanted).max() < 0.05 and np.abs(x - wanted).mean() < 0.005
    assert wanted.std() > 0.1
    named = {one["name"]: one for one in facts["maps"]}
    assert named["normal"]["count"] == 2 and facts["wrap"] == "repeat"


def test_decode_of_latents_refuses_what_it_would_not_heed(
    opened, fitted_set, tmp_path, same_message
):
    with pytest.raises(ConfigError) as refused:
        neuralshade.decode(opened, tmp_path / "x", latents=True, levels=2)
    same_message(str(refused.value), "latents", "Leave")
    with pytest.raises(ConfigError, match="got it beside format"):
        neuralshade.decode(opened, tmp_path / "x", latents=True, format="png")
    with pytest.raises(AssetError, match="got plain latents, need those of fit textures --lat"):
        neuralshade.decode(fitted_set.asset, tmp_path / "x", latents=True)
    assert not (tmp_path / "x").exists()


def test_blocks_of_three_colors_are_refused_with_the_file_s_name(block_set, tmp_path, same_message):
    read = read_asset(block_set.asset)
    tensors = {name: values.copy() for name, values in read.tensors.items()}
    tensors["latents.1"][0] = [0, 0, 255, 255, 0, 0, 0, 0]
    path = tmp_path / "strange.nsh"
    save_asset(path, read.kind, read.header, tensors)
    with pytest.raises(AssetError) as refused:
        neuralshade.load(path).map("albedo")
    same_message(str(refused.value), f"{path}: latents", "Fit")


def test_filtered_latents_are_what_the_field_says_between_texels(opened):
    width, height = opened.sizes[0]
    at = torch.tensor([[(col + 1) / width, (row + 1) / height]
                       for row in range(height) for col in range(width)])  # fmt: skip
    filtered = TextureSetField(opened).channels(at, 0, "latents")
    corners = corner_channels(opened).clip(0, 1)
    # at the far borders u and v are 1, which repeat from 0
    np.testing.assert_allclose(filtered, corners, rtol=0, atol=1e-5)


@pytest.mark.parametrize("wraps", [True, False])
def test_corners_are_means_of_four(wraps):
    level = np.random.default_rng(0).random((5, 4, 2)).astype(np.float32)
    place = np.array([(col + 1, row + 1) for row in range(5) for col in range(4)], np.float64)
    wanted = bilinear(level, place, wraps).reshape(level.shape)
    np.testing.assert_allclose(corner_means(level, wraps), wanted, atol=1e-6)


@pytest.mark.parametrize("wraps", [True, False])
def test_jittered_draws_are_bilinear_mixes_anywhere_in_texels(wraps):
    texels = texels_of(small_set(24, 12))
    sampler = TexelSampler(texels, 512, wraps, torch.device("cpu"), jittered=True)
    at, wanted = sampler(torch.Generator().manual_seed(3))
    mips, shares = at[:, 2].long().numpy(), []
    assert set(mips) == set(range(len(texels.sizes)))
    for mip, size in enumerate(texels.sizes):
        own = mips == mip
        place = at[own, :2].numpy().astype(np.float64) * size
        mixed = bilinear(texels.level(mip).astype(np.float64), place, wraps)
        # positions are float32: 2^-24 of a row's texels
        np.testing.assert_allclose(wanted.t()[own].numpy(), mixed, rtol=0, atol=1e-4)
        shares.append(place - np.floor(place))
    share = np.concatenate(shares)
    assert share.min() < 0.02 and share.max() > 0.98 and abs(share.mean() - 0.5) < 0.04


def test_quality_half_a_texel_off_is_told(opened, block_set, monkeypatch):
    for rivals in ("block_rivals", "codec_rivals"):  # their encoders take seconds
        monkeypatch.setattr(evaluate, rivals, lambda *given: [])
    found = neuralshade.evaluate(opened, block_set.maps)
    corners = found.methods[0]["corner_psnr_db"]
    assert set(corners) == set(found.names)
    mean = np.mean(list(corners.values()))
    # what filtering mixes is what was trained: no worse there than at centres
    assert mean > found.methods[0]["mean_psnr_db"] - 1
    line = next(line for line in found.lines if line.startswith("Half a texel off"))
    assert f"{mean:.2f} dB, the mean over the maps" in line
    assert found.methods[0]["memory_format"] == "BC1 latents, half-float decoder"


def test_pages_name_the_textures_and_show_them(opened, block_set):
    facts = [value for label, value in report._facts(opened) if label == "Latents"]
    assert facts == ["32 x 32 in 1 BC1 texture; 6 levels", "16 x 16 in 2 BC1 textures; 5 levels"]
    pictures = report._latents(opened)
    assert [picture.width for picture in pictures] == [32, 16, 16]
    assert opened.scene(block_set.maps) is not None
