"""kinds/textures/gpu_encoder: blocks made where the network runs are those of the CPU's texels."""

import numpy as np
import pytest
import torch

from neuralshade.asset.texture.block_compression import compress_blocks
from neuralshade.asset.texture.block_decompression import decompress_blocks
from neuralshade.asset.texture.map_chain import BLOCKS, chain_format, chain_texels
from neuralshade.asset.texture.mip_chain import stored_texels
from neuralshade.errors import AssetError
from neuralshade.gpu.slangpy_gpu import SlangpyGpu
from neuralshade.kinds.textures import decoding as decodings
from neuralshade.kinds.textures import gpu_decoder
from neuralshade.kinds.textures.chains import map_chains
from neuralshade.kinds.textures.channels import MapCoding
from neuralshade.kinds.textures.decoding import Decoding
from neuralshade.kinds.textures.engine import rounded_field
from neuralshade.kinds.textures.field import build_field
from neuralshade.kinds.textures.recipe import TexturesRecipe
from neuralshade.source.material_mips import mip_sizes

SIZE = (44, 27)
SIZES = mip_sizes(*SIZE)[:4]
WHOLE = [(0, 0, *size) for size in SIZES]
CODINGS = [
    MapCoding("albedo", "srgb", 3, 8, 0, "none", 0.0, 1.0, None),
    MapCoding("normal", "normal", 3, 8, 3, "none", -1.0, 1.0, None),
    MapCoding("grey", "srgb", 1, 8, 5, "none", 0.0, 1.0, None),
    MapCoding("opacity", "data", 1, 8, 6, "mask", 0.0, 1.0, None),
    MapCoding("flow", "data", 2, 8, 7, "none", 0.0, 1.0, None),
    MapCoding("tint", "linear", 3, 8, 9, "srgb", 0.0, 0.5, None),
    MapCoding("metallic", "data", 1, 8, 12, "none", 0.0, 1.0, (0.25,)),
    MapCoding("glow", "linear", 3, 16, 12, "log", 0.0, 3.0, None),  # wide: in no blocks
]
CHANNELS = 15
NEAR_DB, NEAR_IN_FEW_DB = 0.3, 1.5  # that ours may be worse by: by chance more in a few blocks
FEW_TEXELS = 64


class SharedGpu(SlangpyGpu):
    def close(self):
        pass


@pytest.fixture
def field():
    recipe = TexturesRecipe(bpp=5.0, wrap="clamp", hidden_width=16)
    return rounded_field(build_field(recipe, SIZE, CHANNELS, torch.Generator().manual_seed(3)))


@pytest.fixture
def chains_on(device, field, monkeypatch):
    """Give what decodes maps on the CPU or on the session's GPU, a few rows at a time."""
    monkeypatch.setattr(decodings, "open_gpu", lambda api: SharedGpu(device, owned=False))
    monkeypatch.setattr(gpu_decoder.GpuDecoder.__init__, "__defaults__", (4 * SIZE[0] + 8,))

    def chains(where, blocks, regions=WHOLE):
        decoding = Decoding(field, SIZES, "x.nsh", where)
        return {one.name: one for one in map_chains(decoding, CODINGS, regions, blocks)}

    return chains


def psnr_db(wanted, form, blocks):
    """Return how near blocks are to a level, as it is stored."""
    texels = chain_texels(wanted[0], wanted[1], min(form.channels, 3)).clip(0, 1)
    shown = decompress_blocks(blocks, form, *texels.shape[:2])[..., : texels.shape[2]]
    return 10 * np.log10(1 / max(((shown - texels) ** 2).mean(), 1e-10))


@pytest.mark.slow
@pytest.mark.parametrize(
    "blocks",
    [("bc7", "bc5", "bc4"), ("bc1",), ("bc7",)],
    ids=["usual", "bc1", "bc7"],
)
def test_blocks_show_what_the_cpu_decodes(chains_on, blocks):
    texels, compressed = chains_on("cpu", blocks), chains_on("vulkan", blocks)
    assert list(texels) == list(compressed) == [one.name for one in CODINGS]
    for name, one in texels.items():
        assert not len(one.blocks)
        form = chain_format(one, blocks)
        found = compressed[name]
        assert chain_format(found, blocks) == form
        if not form.compressed_bytes or name in ("metallic", "glow"):
            assert not len(found.blocks)
            for level, other in zip(one.levels, found.levels, strict=True):
                np.testing.assert_allclose(other, level, rtol=1e-4, atol=1e-4)
            continue
        assert [level.shape for level in found.levels] == [level.shape for level in one.levels]
        for level, data in zip(one.levels, found.blocks, strict=True):
            assert len(data) == form.level_bytes(level)
            stored = stored_texels(chain_texels(one, level, min(form.channels, 3)), form)
            ours, theirs = (psnr_db((one, level), form, each)
                            for each in (data, compress_blocks(stored, form)))  # fmt: skip
            near = NEAR_DB if level[..., 0].size > FEW_TEXELS else NEAR_IN_FEW_DB
            assert ours >= theirs - near, (name, level.shape)


@pytest.mark.slow
def test_of_a_region(chains_on):
    region = (8, 4, 20, 16)
    part = chains_on("vulkan", BLOCKS, [region])["normal"]
    whole = chains_on("cpu", ())["normal"].levels[0][4:20, 8:28]
    assert psnr_db((part, whole), chain_format(part, BLOCKS), part.blocks[0]) > 30


@pytest.mark.slow
def test_what_is_not_finite_is_refused(chains_on, field, refusal, same_message):
    field.network.members[-1].bias.data[4] = torch.nan
    same_message(refusal(AssetError, chains_on, "vulkan", BLOCKS), "x.nsh", "numbers")


def test_no_block_is_asked_of_the_cpu(field):
    decoding = Decoding(field, SIZES, "x.nsh", "cpu")
    form = chain_format(next(map_chains(decoding, CODINGS[:1], WHOLE, BLOCKS)), BLOCKS)
    assert decoding.blocks(0, WHOLE[0], [(CODINGS[0], form)]) == {}
