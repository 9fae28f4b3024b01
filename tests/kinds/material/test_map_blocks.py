"""kinds/material/map_blocks: what a fit trains on is what a GPU samples from its file."""

import dataclasses

import numpy as np
import pytest
import slangpy as spy
import torch
from fixtures.random_materials import material
from fixtures.small_material import PAINT, paint_reference

import neuralshade
from neuralshade import FitOptions
from neuralshade.asset.asset import read_asset, save_asset
from neuralshade.asset.texture.bc7_split import are_split
from neuralshade.asset.texture.block_decompression import decompress_blocks
from neuralshade.asset.texture.texture_format import FORMATS
from neuralshade.errors import AssetError, ConfigError
from neuralshade.gpu.gpu import run_once
from neuralshade.kinds.material.asset import pack_field, stored_field
from neuralshade.kinds.material.batched_maps import map_textures
from neuralshade.kinds.material.block_choice import LINES, block_rows
from neuralshade.kinds.material.field import build_field, encoding_of
from neuralshade.kinds.material.line_fit import LineFit
from neuralshade.kinds.material.map_blocks import round_map, texture_order
from neuralshade.kinds.material.map_rows import BLOCKS, blocks_of_state, codes_of, level_rows
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.schema import level_sides
from neuralshade.sampler.directions import draw_pairs

SMALL = {"size": 32, "batch": 1024, "hidden_width": 16, "steps": 400}
ASK = """
StructuredBuffer<float3> asked;
RWStructuredBuffer<float4> said;

[shader("compute")]
[numthreads(64, 1, 1)]
void ask(uint index : SV_DispatchThreadID)
{
    float4 found[2] = frame_codes(0u, 2u, asked[index].xy, asked[index].z);
    said[2u * index] = found[0];
    said[2u * index + 1u] = found[1];
}
"""


def field_of(side, seed=0, **settings):
    """Return a field of a smooth map of random waves."""
    rng = torch.Generator().manual_seed(seed)
    recipe = MaterialRecipe(size=side, latents="bc7", hidden_width=16, **settings)
    field = build_field(recipe, side, rng)
    encoding = encoding_of(field)
    encoding.set_ends(torch.tensor([-1.5, 2.0])[:, None].expand(2, recipe.features))
    place = torch.stack(torch.meshgrid(*[torch.arange(side) / side] * 2, indexing="ij"), dim=-1)
    waves = torch.rand((2, recipe.features), generator=rng) * 6
    with torch.no_grad():
        encoding.grid.texels.copy_(0.5 + 0.4 * torch.sin(place.view(-1, 2) @ waves))
    return recipe, field


@torch.no_grad()
def light_of(field, count=500):
    rng = torch.Generator().manual_seed(9)
    wi, wo = torch.from_numpy(draw_pairs(count, 0.5, 0.1, 1)).permute(1, 0, 2)
    uv = torch.rand((count, 2), generator=rng) * 2 - 0.5
    at = torch.cat([uv, torch.zeros(count, 1), wi, wo], dim=1)
    return field.network(field.encoding(at))


@pytest.mark.parametrize("side, wrap", [(16, "repeat"), (13, "clamp"), (3, "repeat"), (1, "clamp")])
def test_a_file_holds_what_training_saw(side, wrap):
    """In light, up to float16 of the networks; in codes, to the bit."""
    recipe, field = field_of(side, wrap=wrap)
    blocks = round_map(field)
    tensors = pack_field(field)
    assert blocks is encoding_of(field).blocks and "features" not in tensors
    assert tensors[BLOCKS].nbytes == 16 * 2 * (-(-side // 4)) ** 2
    codes = codes_of(tensors[BLOCKS], side).reshape(side, side, 8)
    for texture in range(2):
        own = decompress_blocks(tensors[BLOCKS][:, texture].tobytes(), FORMATS["bc7"], side, side)
        assert np.array_equal((own * 255).round(), codes[..., 4 * texture : 4 * texture + 4])
    stored = stored_field(recipe, side, tensors)
    assert np.array_equal(encoding_of(stored).grid.codes().reshape(codes.shape), codes)
    seen, read = light_of(field), light_of(stored)
    torch.testing.assert_close(read, seen, rtol=0.02, atol=1e-3)
    assert seen.std() > 1e-4


def test_two_directions_in_blocks_are_kept_unless_a_reader_is():
    """Where a layer is shared, its inputs stay as they are, and each texture loses one of them."""
    errors = []
    for mixes in (True, False):
        _, field = field_of(32)
        encoding, rng = encoding_of(field), torch.Generator().manual_seed(4)
        both = torch.rand((32 * 32, 2), generator=rng) - 0.5
        with torch.no_grad():
            encoding.grid.texels.copy_(0.5 + 0.2 * both @ torch.randn((2, 8), generator=rng))
        encoding.mixes, before = mixes, light_of(field)
        blocks = round_map(field)
        assert torch.equal(blocks.mix, torch.eye(8)) is not mixes
        errors.append((light_of(field) - before).square().mean().sqrt() / before.std())
    assert errors[0] < 0.5 * errors[1]


def test_lines_come_back_and_no_line_is_left_for_a_worse_one():
    weights, rng = torch.tensor([1.0, 0.5, 1.0, 0.2]), torch.Generator().manual_seed(0)
    first, span = torch.rand((2, 16, 1, 4), generator=rng) * 100
    share = torch.randint(16, (16, 16, 1), generator=rng) / 15
    tiles = (first + span * share).view(4, 4, 4, 4, 4).transpose(1, 2).reshape(16, 16, 4)
    codes = codes_of(block_rows(tiles, weights), 16)
    apart = np.abs(codes.reshape(16, 16, 4) - tiles.numpy())
    assert apart.mean() < 1 and apart.max() < 5
    same = codes_of(block_rows(torch.full((5, 5, 4), 128.0), weights), 5)
    assert (np.abs(same.astype(int) - 128) <= 1).all()


def test_a_number_apart_from_a_line_comes_back():
    """Blocks whose numbers vary in two directions lose a quarter of what lines lose."""
    weights, rng = torch.tensor([1.0, 0.6, 0.9, 0.8]), torch.Generator().manual_seed(0)
    first, span = torch.rand((2, 64, 1, 4), generator=rng) * 120
    share, own = torch.rand((2, 64, 16, 1), generator=rng)
    axes = torch.eye(4)[torch.arange(64) % 4][:, None]
    tiles = first + span * share * (1 - axes) + 100 * own * axes
    texels = tiles.view(8, 8, 4, 4, 4).transpose(1, 2).reshape(32, 32, 4)
    blocks = block_rows(texels, weights)
    assert are_split(blocks).mean() > 0.9
    off = (torch.from_numpy(codes_of(blocks, 32)).view(32, 32, 4) - texels) * weights
    line = LineFit(tiles, weights, LINES)
    line.move()
    assert off.square().sum() < 0.25 * line.error.sum()


def test_numbers_share_textures_so_that_these_lose_little():
    """Two textures of a line each are found, whichever way their numbers are dealt out."""
    rng = torch.Generator().manual_seed(5)
    first, span = torch.rand((2, 64, 1, 8), generator=rng) * 100
    share = torch.rand((2, 64, 16, 1), generator=rng)
    dealt = [0, 1, 1, 0, 1, 0, 0, 1]
    tiles = first + span * share[dealt].squeeze(-1).permute(1, 2, 0)
    codes = tiles.view(8, 8, 4, 4, 8).transpose(1, 2).reshape(32, 32, 8)
    order = texture_order(codes, torch.ones(8))
    assert sorted(order) == list(range(8))
    assert {frozenset(order[:4]), frozenset(order[4:])} == {frozenset({0, 3, 5, 6}),
                                                           frozenset({1, 2, 4, 7})}  # fmt: skip
    assert texture_order(codes[..., :4], torch.ones(4)) == [0, 1, 2, 3]


def test_blocks_go_into_a_state_and_come_back():
    _, field = field_of(8)
    blocks = round_map(field)
    again = blocks_of_state({**blocks.state(), "phase": torch.tensor(2)})
    assert np.array_equal(again.rows, blocks.rows)
    assert torch.equal(again.latents(8), blocks.latents(8))
    assert blocks_of_state({"phase": torch.tensor(2)}) is None


@pytest.mark.parametrize("features", [6, 10])
def test_textures_have_four_numbers(features):
    with pytest.raises(ConfigError, match="need a multiple of 4"):
        MaterialRecipe(latents="bc7", features=features)


@pytest.mark.parametrize("size, latents, warns", [
    (6, "bc7", True), (1, "bc7", True), (8, "bc7", False), (6, "plain", False),
])  # fmt: skip
def test_sides_that_not_every_reader_takes_are_said(size, latents, warns):
    said = MaterialRecipe(size=size, latents=latents).block_warning
    assert (said is not None and "multiples of 4" in said) is warns


def fits(folder, **settings):
    """Return the results of equal fits, by latents."""
    return {latents: neuralshade.fit_material(paint_reference(), folder / f"{latents}.nsh",
                                              latents=latents, **SMALL | settings,
                                              options=FitOptions(engine="torch"))
            for latents in ("plain", "bc7")}  # fmt: skip


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """Give the results of fits of a few steps."""
    return fits(tmp_path_factory.mktemp("blocks"), steps=20, sampler=0.0)


@pytest.mark.slow
def test_a_fit_loses_little(tmp_path):
    fitted = fits(tmp_path)
    plain, blocks = (neuralshade.load(one.asset) for one in fitted.values())
    # few texels a stripe: the worst case
    assert fitted["bc7"].psnr_db > fitted["plain"].psnr_db - 4
    assert plain.map_bytes(6) == 8 * (1024 + 256 + 64 + 16 + 4 + 1)
    assert blocks.map_bytes(6) == 32 * (64 + 16 + 4 + 1 + 1 + 1)
    assert plain.memory_bytes - plain.map_bytes(6) == blocks.memory_bytes - blocks.map_bytes(6)
    assert "latents" not in plain.header.recipe and blocks.header.recipe["latents"] == "bc7"
    measured = neuralshade.evaluate(fitted["bc7"].asset, paint_reference())[0]
    assert measured["psnr_db"] == pytest.approx(fitted["bc7"].psnr_db, abs=1e-3)


@pytest.mark.parametrize("change, said", [
    (lambda b: np.where(np.arange(16) == 0, 1 << 5, b).astype(np.uint8), "got BC7 blocks of anot"),
    (lambda b: b[:-1], "blocks"),
    (lambda b: b[:, :1], "blocks"),
])  # fmt: skip
def test_blocks_that_no_fit_makes_are_refused(fitted, tmp_path, change, said):
    asset = read_asset(fitted["bc7"].asset)
    tensors = {**asset.tensors, BLOCKS: np.ascontiguousarray(change(asset.tensors[BLOCKS]))}
    save_asset(tmp_path / "x.nsh", "material", asset.header, tensors)
    with pytest.raises(AssetError, match=said):
        neuralshade.load(tmp_path / "x.nsh")


def test_codes_in_place_of_blocks_are_refused(fitted, tmp_path):
    asset, plain = (read_asset(fitted[latents].asset) for latents in ("bc7", "plain"))
    recipe = {**plain.header.recipe, "latents": "bc7"}
    header = dataclasses.replace(plain.header, recipe=recipe)
    save_asset(tmp_path / "x.nsh", "material", header, plain.tensors)
    with pytest.raises(AssetError, match="blocks"):
        neuralshade.load(tmp_path / "x.nsh")
    assert set(asset.tensors) - set(plain.tensors) == {"blocks"}


@pytest.mark.slow
@pytest.mark.parametrize("engine, share", [("torch", 0.5), ("torch", 0.84), ("torch", 0.92),
                                           ("gpu", 0.84)])  # fmt: skip
def test_a_fit_goes_on(tmp_path, share_device, monkeypatch, engine, share):
    """Before the map is compressed, after that, and while levels are trained."""
    import signal

    share_device(monkeypatch)
    (tmp_path / "paint.slang").write_text(PAINT)
    few = {"size": 8, "batch": 256, "hidden_width": 16, "steps": 100, "latents": "bc7"}

    def fit(name, **how):
        return neuralshade.fit_material(tmp_path / "paint.slang", tmp_path / name, **few, **how)

    whole = fit("whole.nsh", options=FitOptions(engine=engine, deterministic=engine == "gpu"))
    with pytest.raises(neuralshade.FitInterrupted):
        fit("x.nsh", options=FitOptions(engine=engine, deterministic=engine == "gpu"),
            observer=lambda p: p.share >= share and signal.raise_signal(signal.SIGINT))  # fmt: skip
    again = fit("x.nsh", options=FitOptions(engine=engine, deterministic=engine == "gpu",
                                            resume=tmp_path / "x.checkpoint.nsh"))  # fmt: skip
    found, wanted = (neuralshade.load(one.asset) for one in (again, whole))
    assert found.tensors.keys() == wanted.tensors.keys()
    if engine == "torch":
        for name, numbers in wanted.tensors.items():
            np.testing.assert_array_equal(found.tensors[name], numbers, err_msg=name)
    assert again.psnr_db == pytest.approx(whole.psnr_db, abs=0.5)


def test_a_scene_s_textures_are_these_blocks(gpu):
    """Sampled at texels' centers, of all levels; the second of two materials."""
    device = getattr(gpu, "device", None)
    if device is None or not (device.get_format_support(spy.Format.bc7_unorm)
                              & spy.FormatSupport.shader_sample):  # fmt: skip
        pytest.skip("no BC7 textures here")
    one = material(size=6, latents="bc7", hidden_width=16)
    maps = map_textures(device, [one, one])
    codes = level_rows(codes_of(one.tensors[BLOCKS], 6), 6)
    asked, wanted = [], []
    for level, (side, own) in enumerate(zip(level_sides(6), codes, strict=True)):
        for texel, numbers in enumerate(own):
            asked.append(((texel % side + 0.5) / side, (texel // side + 0.5) / side, level))
            wanted.append(numbers / 255)
    asked = np.array(asked, np.float32)
    fill = np.pad(asked, ((0, -len(asked) % 64), (0, 0)))
    said = gpu.buffer(size=32 * len(fill))
    bound = {**maps.variables, "asked": gpu.buffer(fill), "said": said}
    run_once(gpu, [(gpu.kernel(maps.text + ASK, "ask", bound), len(fill) // 64)])
    found = said.read().view(np.float32).reshape(-1, 8)[: len(asked)]
    np.testing.assert_allclose(found, wanted, atol=2e-3)
