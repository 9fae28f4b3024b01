"""kinds/image/code_refinement: codes move to where the picture is nearer, never away."""

import math
import signal
from itertools import pairwise

import numpy as np
import pytest
import torch
from fixtures.searched_codes import assert_threads_agree
from hypothesis import given
from hypothesis import strategies as st

import neuralshade
from neuralshade.asset.tensors import SCALE, pack_field, unpack_nibbles
from neuralshade.engine import code_refinement
from neuralshade.engine.code_bands import centered
from neuralshade.engine.kernels.refinement.refinement import GpuRefinement
from neuralshade.errors import ConfigError, DeviceError
from neuralshade.fitting.time_plan import Deadline
from neuralshade.kinds.image.budget import passes_of
from neuralshade.kinds.image.code_refinement import PicturePixels, levels_of, refine_codes
from neuralshade.kinds.image.field import build_field, stored_field
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.model.quantize import LEVELS
from neuralshade.source.picture import picture_from_array

GRID = "dense_grid:levels={},features={},coarsest=2,width={},height={}"
ENCODINGS = [
    GRID.format(1, 2, 7, 5),
    GRID.format(2, 3, 8, 6) + " + frequency:octaves=2 + " + GRID.format(1, 1, 13, 9),
    GRID.format(2, 2, 9, 7) + ",smooth=1 + one_blob:bins=4,first=1",
    GRID.format(1, 4, 1, 1) + " + " + GRID.format(1, 1, 40, 30),  # more texels than pixels
]


def case_of(encoding, size, seed=0, **settings):
    """Return a recipe, an untrained field's tensors and a picture of soft blobs."""
    settings = {"hidden_width": 8, "loss": "l2", "grid_bits": 4} | settings
    recipe = ImageRecipe(encoding=encoding, **settings)
    rng = torch.Generator().manual_seed(seed)
    field = build_field(recipe, 3, rng)
    with torch.no_grad():
        for texels in field.encoding.parameters():
            texels.normal_(0, 0.5, generator=rng)
        if not recipe.hidden_layers:  # about as bright as the picture: nothing is clamped
            field.network.layers[0].weight.mul_(0.1)
            field.network.layers[0].bias.fill_(0.5)
    height, width = size
    v, u = np.meshgrid(np.arange(height) / height, np.arange(width) / width, indexing="ij")
    waves = [0.5 + 0.2 * np.sin(9 * u + k * v) + 0.1 * np.cos(23 * v * u + k) for k in range(3)]
    return recipe, pack_field(field), picture_from_array(np.stack(waves, 2).astype(np.float32))


def squared_error(recipe, tensors, picture):
    field = stored_field(recipe, tensors, 3, "asset")
    height, width = picture.height, picture.width
    v, u = torch.meshgrid((torch.arange(height) + 0.5) / height,
                          (torch.arange(width) + 0.5) / width, indexing="ij")  # fmt: skip
    with torch.no_grad():
        drawn = field(torch.stack([u, v], 2).reshape(-1, 2)).clamp(0, 1).numpy()
    wanted = picture.as_float().reshape(-1, 3)
    return float(np.square(drawn.astype(np.float64) - wanted).sum())


@pytest.mark.slow
@given(
    st.sampled_from(ENCODINGS), st.sampled_from([(1, 1), (9, 14), (24, 17)]),
    st.sampled_from([4, 8]), st.sampled_from(["relu", "sine", "silu"]), st.integers(0, 99),
    st.sampled_from([20, 10**6]),
)  # fmt: skip
def test_the_error_never_rises_and_only_codes_change(encoding, size, bits, activation, seed, band):
    recipe, tensors, picture = case_of(encoding, size, seed, grid_bits=bits, activation=activation)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(code_refinement, "BAND_PIXELS", band)  # one pixel row, or all
        found, _, told = refine_codes(recipe, tensors, picture, 2)
    before = squared_error(recipe, tensors, picture)
    assert squared_error(recipe, found, picture) <= before * (1 + 1e-5)
    changed = {name for name in tensors if not np.array_equal(tensors[name], found[name])}
    assert all(name.startswith("encoding") and not name.endswith(SCALE) for name in changed)
    assert {n: (v.dtype, v.shape) for n, v in found.items()} == {
        n: (v.dtype, v.shape) for n, v in tensors.items()
    }
    assert bool(changed) == bool(told.moved) and told.ended


@pytest.mark.slow
def test_no_code_of_a_linear_decoder_would_gain_by_one(monkeypatch):
    """There the linear picture is the decoder itself: every code is tried by brute force."""
    recipe, tensors, picture = case_of(ENCODINGS[0], (9, 14), hidden_layers=0)
    monkeypatch.setattr(code_refinement, "BAND_PIXELS", 40)
    found, _, _ = refine_codes(recipe, tensors, picture, 40)
    wanted = squared_error(recipe, found, picture)
    assert wanted < 0.8 * squared_error(recipe, tensors, picture)
    field = stored_field(recipe, found, 3, "asset")
    levels = levels_of(field, found, (9, 14))
    for level in levels:
        for place in np.ndindex(*level.codes.shape):
            errors = []
            for step in (-1, 1):
                tried = level.codes.clone()
                tried[place] += step
                inside = LEVELS[4].low <= float(tried[place]) <= LEVELS[4].high
                kept, level.codes = level.codes, tried
                errors.append(squared_error(recipe, found | {level.name: level.packed()}, picture)
                              if inside else math.inf)  # fmt: skip
                level.codes = kept
            # a damped step of a half and less is none: what it would gain is a share of the bend
            bend = sum(errors) - 2 * wanted
            least = (
                code_refinement.DAMPING / 2 * bend
                if math.isfinite(bend)
                else code_refinement.DAMPING * wanted
            )
            assert min(errors) >= wanted - least - 1e-6


def test_codes_are_those_of_the_field(monkeypatch):
    recipe, tensors, picture = case_of(ENCODINGS[1], (24, 17))
    field = stored_field(recipe, tensors, 3, "asset")
    levels = levels_of(field, tensors, (24, 17))
    for level in levels:
        assert np.array_equal(level.packed(), tensors[level.name])
        codes = unpack_nibbles(tensors[level.name], level.texels.shape[2])
        assert np.array_equal(codes, level.codes)
        shown = level.texels.detach().clone()
        with torch.no_grad():
            level.apply(slice(None))
        assert torch.equal(level.texels, shown)
    asked = field.network, levels, [PicturePixels(field, picture)]
    with torch.no_grad():
        assert code_refinement.descend_codes(*asked, 3, stopped=lambda: True) == 0
        assert code_refinement.descend_codes(*asked, 1) > 0
    found = stored_field(recipe, tensors | {v.name: v.packed() for v in levels}, 3, "asset")
    for ours, theirs in zip(field.parameters(), found.parameters(), strict=True):
        assert torch.equal(ours, theirs)


@pytest.mark.parametrize("end", ["", ",smooth=1"])
def test_axes_mix_as_the_grid_does(end):
    recipe, tensors, _ = case_of(GRID.format(1, 2, 7, 5) + end, (9, 14))
    field = stored_field(recipe, tensors, 3, "asset")
    [level] = levels_of(field, tensors, (9, 14))
    [(along, down)] = level.axes
    every = slice(None)
    with torch.no_grad():
        rows = along.lerp_stencil(every).spread(level.texels).mT
        found = down.lerp_stencil(every).spread(rows).mT
        u, v = (torch.arange(14) + 0.5) / 14, (torch.arange(9) + 0.5) / 9
        torch.testing.assert_close(found, field.encoding.on_lattice(u, v), atol=1e-5, rtol=0)


@pytest.mark.slow
def test_threads_find_the_same(monkeypatch):
    recipe, tensors, picture = case_of(GRID.format(1, 2, 30, 50), (100, 60))
    monkeypatch.setattr(code_refinement, "BAND_PIXELS", 600)  # ten bands, of which five at a time
    assert_threads_agree(recipe, tensors, picture, passes=3)


@given(st.integers(1, 60), st.integers(1, 60))
def test_every_texel_has_one_band(texels, bands):
    edges = [index / bands for index in range(bands + 1)]
    owned = [centered(texels, *pair) for pair in pairwise(edges)]
    assert [i for own in owned for i in range(own.start, own.stop)] == list(range(texels))


def test_a_fit_is_nearer_by_it_and_says_so(tmp_path):
    pixels = np.random.default_rng(1).random((4, 5, 3), np.float32)
    pixels = np.asarray(torch.nn.functional.interpolate(
        torch.from_numpy(pixels).permute(2, 0, 1)[None], (40, 50), mode="bicubic"
    )[0].permute(1, 2, 0).clamp(0, 1))  # fmt: skip
    options = neuralshade.FitOptions(engine="torch")
    results = [
        neuralshade.fit_image(pixels, tmp_path / f"{passes}.nsh", options=options, steps=60,
                              encoding=ENCODINGS[0], hidden_width=16, polish=passes)
        for passes in (0, 4, -1)
    ]  # fmt: skip
    without, found, usual = results
    assert without.search is None
    assert found.psnr_db == usual.psnr_db > without.psnr_db + 0.05
    assert found.search.gain_db == pytest.approx(found.psnr_db - without.psnr_db, abs=2e-3)
    assert found.psnr_db == neuralshade.info(found.asset)["quality"]["psnr_db"]
    gain, seconds = found.search.gain_db, found.search.seconds
    assert str(found.search) == f"refined after training: +{gain:.2f} dB in {seconds:.1f} s"


@pytest.mark.parametrize("settings, size, passes", [
    ({}, (8, 8), 4),
    ({"polish": 9}, (8, 8), 9),
    ({"polish": 0}, (8, 8), 0),
    ({}, (2100, 1000), 3),
    ({}, (4200, 2100), 0),
    ({"grid_bits": 16}, (8, 8), 0),
    ({"loss": "l1"}, (8, 8), 0),
    ({"sampling": "positions"}, (8, 8), 0),
    ({"encoding": "identity"}, (8, 8), 0),
])  # fmt: skip
def test_passes_by_size_and_use(settings, size, passes):
    recipe = ImageRecipe(**{"encoding": ENCODINGS[0], "loss": "l2"} | settings)
    picture = picture_from_array(np.zeros((*size, 3), np.uint8))
    assert passes_of(recipe, picture, on_gpu=False) == passes


def test_a_gpu_searches_larger_pictures():
    recipe = ImageRecipe(encoding=ENCODINGS[0], loss="l2")
    picture = picture_from_array(np.zeros((4200, 2100, 1), np.uint8))
    assert passes_of(recipe, picture, on_gpu=True) == 4


@pytest.mark.parametrize("settings, why", [
    ({"grid_bits": 32}, "grid_bits=32, need 4 or 8: there are no codes"),
    ({"loss": "l1"}, "loss=l1, need l2, which is what it lowers"),
    ({"sampling": "positions"},
     "sampling=positions, need lattice or pixels: it looks at their centres"),
    ({"encoding": "identity"}, "encoding='identity', need dense or tile grids: there are no codes"),
])  # fmt: skip
def test_a_search_in_vain_is_refused(settings, why):
    recipe = ImageRecipe(**{"encoding": ENCODINGS[0], "loss": "l2", "polish": 2} | settings)
    with pytest.raises(ConfigError) as caught:
        passes_of(recipe, picture_from_array(np.zeros((8, 8, 3), np.uint8)), False)
    assert str(caught.value) == f"ImageRecipe.polish: got 2 beside {why}. Leave it out."


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_long_picture_is_looked_up_as_any_other(encoding, monkeypatch):
    """By products of a lattice, or pixel by pixel where a side is long."""
    recipe, tensors, picture = case_of(encoding, (11, 14))
    pixels = PicturePixels(stored_field(recipe, tensors, 3, "a"), picture)
    rows = torch.tensor([3, 9, 10])
    with torch.no_grad():
        usual = pixels.encoded(rows)
        monkeypatch.setattr("neuralshade.kinds.image.code_refinement.LONGEST", 13)
        torch.testing.assert_close(pixels.encoded(rows), usual, atol=1e-5, rtol=1e-5)


def test_a_very_long_picture_is_searched():
    """One of 65,536 x 1 took 13 GB, and minutes; see test_grid_axis.py, too."""
    recipe, tensors, picture = case_of(GRID.format(1, 2, 20_000, 1), (1, 50_000))
    _, _, search = refine_codes(recipe, tensors, picture, 1)
    assert search.moved > 1000 and search.gain_db > 0


def test_the_gpu_finds_what_the_cpu_finds(gpu):
    recipe, tensors, picture = case_of(ENCODINGS[1], (13, 17), 3)
    here, _, told = refine_codes(recipe, tensors, picture, 2)
    there, _, also = refine_codes(recipe, tensors, picture, 2, gpu)
    assert told.moved > 20 and also.moved == pytest.approx(told.moved, rel=0.05)
    assert also.gain_db == pytest.approx(told.gain_db, abs=0.05) and also.failed is None
    apart = sum(int((here[name] != there[name]).sum()) for name in tensors)
    assert apart <= 0.05 * told.moved


def test_a_gpu_without_memory_leaves_the_codes_and_says_so(gpu, monkeypatch):
    def refused(*args):
        raise DeviceError("memory: got none.")

    monkeypatch.setattr(GpuRefinement, "__init__", refused)
    recipe, tensors, picture = case_of(ENCODINGS[0], (9, 14))
    found, _, told = refine_codes(recipe, tensors, picture, 2, gpu)
    assert all(np.array_equal(found[name], tensors[name]) for name in tensors)
    assert told.failed == ("code refinement did not finish, so quality is lower: "
                           "memory: got none.")  # fmt: skip
    assert str(told).endswith(" s, ended by an error")


def test_an_interruption_of_the_search_is_told(tmp_path, monkeypatch, caplog):
    """At once, as a report takes seconds after it; and what one more would do."""

    def interrupted(*given):
        signal.raise_signal(signal.SIGINT)
        return 0

    monkeypatch.setattr("neuralshade.kinds.image.code_refinement._searched", interrupted)
    said = "code refinement ended early; writing the asset"
    page = tmp_path / "x.html"
    for report, more in ((None, ""), (page, " and the report; Ctrl-C again leaves the report out")):
        caplog.clear()
        options = neuralshade.FitOptions(engine="torch", report=report)
        found = neuralshade.fit_image(np.full((8, 9, 3), 0.5, np.float32), tmp_path / "x.nsh",
                                      options=options, steps=2, polish=1, hidden_width=8,
                                      encoding=ENCODINGS[0])  # fmt: skip
        assert said + more in caplog.messages
        assert not found.search.ended
    assert page.exists()


def test_a_deadline_ends_the_search():
    recipe, tensors, picture = case_of(ENCODINGS[0], (9, 14))
    found, _, told = refine_codes(recipe, tensors, picture, 2, over=Deadline(0.0))
    assert all(np.array_equal(found[name], tensors[name]) for name in tensors)
    assert (
        told.ended and told.timed_out and str(told).endswith(" s, ended by its share of --seconds")
    )
