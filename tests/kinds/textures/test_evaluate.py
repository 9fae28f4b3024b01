"""kinds/textures/evaluate: the asset beside other ways to keep its maps."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from fixtures.small_textures import small_set

import neuralshade
from neuralshade.kinds.textures.evaluate import (
    MEAN_NOTED,
    TexturesTable,
    _mip_rows,
    half_latents_bytes,
)
from neuralshade.kinds.textures.reference import OTHERS
from neuralshade.measure.map_psnr import EQUAL_DB

VARYING = ["albedo", "normal", "roughness", "flow", "emissive"]


@pytest.fixture(scope="module")
def table(moss, compared):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("neuralshade.kinds.textures.evaluate.compare", lambda *given: compared)
        return neuralshade.evaluate(moss.path, moss.textures)


def test_the_asset_comes_first(moss, table):
    ours = table[0]
    assert ours["section"] == "ways" and ours["name"] == "neuralshade" and ours["random_access"]
    assert ours["bytes"] == moss.path.stat().st_size
    assert ours["bits_per_texel"] == pytest.approx(8 * ours["bytes"] / (24 * 16))
    assert list(ours["psnr_db"]) == VARYING
    assert ours["mean_psnr_db"] == pytest.approx(np.mean(list(ours["psnr_db"].values())))
    assert ours["mean_psnr_db"] == pytest.approx(moss.opened.header.quality["psnr_db"], abs=0.1)
    assert 0 < ours["flip"] < 1 and 0 < ours["lit_l1"] < 0.2
    json.dumps(table, allow_nan=False)


def test_memory_holds_codes_and_a_half_float_decoder(moss, table):
    tensors = moss.opened.tensors
    codes = sum(t.nbytes for name, t in tensors.items() if name.startswith("latents"))
    decoder = sum(t.size for name, t in tensors.items() if name.startswith("decoder"))
    assert table[0]["memory_bytes"] == moss.opened.memory_bytes == codes + 2 * decoder
    latents = moss.opened.numbers - decoder
    assert half_latents_bytes(moss.opened) == 2 * (latents + decoder)
    assert table[0]["half_latents_bytes"] == half_latents_bytes(moss.opened)


def test_others_follow(table):
    ways = {row["name"]: row for row in table.methods}
    assert list(ways)[:5] == ["neuralshade", "BC7, BC5, BC4", "BC7, BC5, BC4 at half size", "JPEG",
                              "WebP"]  # fmt: skip
    full, half = (ways[name] for name in list(ways)[1:3])
    assert full["random_access"] and half["random_access"] and not ways["JPEG"]["random_access"]
    assert full["mean_psnr_db"] > half["mean_psnr_db"] and full["flip"] < half["flip"]
    assert full["lit_l1"] < half["lit_l1"]
    assert half["bytes"] < full["bytes"] == full["memory_bytes"]
    for row in table.methods:
        possible = row["bytes"] is not None
        assert possible == bool(row["psnr_db"]) == (row["mean_psnr_db"] is not None)
        assert possible or "not possible" in row["setting"]
        assert not possible or row["random_access"] or row["bytes"] <= table[0]["bytes"]


def test_every_mip_of_the_asset_is_told(table):
    assert [(row["mip"], row["width"], row["height"]) for row in table.mips] == [
        (0, 24, 16), (1, 12, 8), (2, 6, 4), (3, 3, 2), (4, 1, 1),
    ]  # fmt: skip
    assert table.mips[0]["psnr_db"] == table[0]["psnr_db"]
    assert [*table.methods, *table.mips] == list(table)


def test_means_of_all_mips_are_of_one_kind(moss, capsys):
    """A mip that is better in every map has no lower mean."""
    levels = {name: [40.0, EQUAL_DB, EQUAL_DB] for name in VARYING}
    levels[VARYING[0]] = [30.0, 52.9, EQUAL_DB]
    mips = list(_mip_rows(SimpleNamespace(sizes=[(4, 4), (2, 2), (1, 1)]), levels))
    equal = EQUAL_DB - (EQUAL_DB - 52.9) / len(VARYING)
    assert [row["mean_psnr_db"] for row in mips[1:]] == pytest.approx([equal, EQUAL_DB])
    assert mips[0]["mean_psnr_db"] == pytest.approx(40 - 10 / len(VARYING))
    TexturesTable(VARYING, [], mips, []).print()
    printed = capsys.readouterr().out
    assert ">= 99" in printed and "99.00" not in printed
    assert " ".join(printed.split()).count(MEAN_NOTED) == 1


def test_printed(moss, table, capsys):
    table.print()
    printed = capsys.readouterr().out
    for text in ("GPU bytes", "PSNR of each mip, dB", "24 x 16", "FLIP", "yes",
                 "with half-float latents", "Random access: ",
                 "The same everywhere, and in none of the numbers: metallic."):  # fmt: skip
        assert text in printed, text
    assert OTHERS not in printed


@pytest.mark.slow
def test_maps_with_other_numbers_are_compared_and_it_is_said(moss, table, capsys):
    notices = []
    other = neuralshade.evaluate(moss.path, small_set(seed=5), notice=notices.append)
    assert notices == [f"{moss.path}: fitted to moss, compared with moss: its maps have other "
                       "numbers than those that it was fitted to."]  # fmt: skip
    assert other[0]["mean_psnr_db"] < table[0]["mean_psnr_db"]
    other.print()
    assert OTHERS in capsys.readouterr().out
