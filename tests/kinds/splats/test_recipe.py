"""kinds/splats/recipe: settings are refused in time, and a cloud's schedule keeps its promises."""

import dataclasses
import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralshade.asset.asset import Asset, Header
from neuralshade.base.toml_file import read_toml
from neuralshade.errors import ConfigError
from neuralshade.fitting.recipe import from_dict
from neuralshade.fitting.recipe_text import recipe_toml
from neuralshade.kinds.splats.build import background_of, compositing_of
from neuralshade.kinds.splats.coding.stream import ATTRIBUTE_LEVELS
from neuralshade.kinds.splats.fit import splats_recipe, unusual
from neuralshade.kinds.splats.opened import OpenedSplats
from neuralshade.kinds.splats.recipe import SplatsRecipe
from neuralshade.kinds.splats.schedule import (
    MOST_LEVELS,
    SplatFit,
    free_ranges,
    stored_range,
    stored_steps,
)
from neuralshade.kinds.splats.stream_scale import entropy_bits
from neuralshade.model.gaussian import COLOR, COMPOSITINGS
from neuralshade.source.picture import picture_from_array

WIDTH, HEIGHT = 60, 40
PICTURE = picture_from_array(
    np.random.default_rng(0).integers(0, 256, (HEIGHT, WIDTH, 3), dtype=np.uint8)
)


def refusal(call, *arguments, **named):
    with pytest.raises(ConfigError) as caught:
        call(*arguments, **named)
    return str(caught.value)


def test_a_recipe_without_an_end_is_refused(same_message):
    same_message(refusal(SplatsRecipe, seconds=None), "SplatsRecipe.steps", "Set")


def test_count_and_bytes_are_refused_together(same_message):
    same_message(refusal(SplatsRecipe, count=7, bytes=5000), "SplatsRecipe.bytes", "Leave")


@pytest.mark.parametrize("given, message", [
    ({"compositing": "oven"}, "SplatsRecipe.compositing: got 'oven', need one of ['over', 'sum', "
                              "'normalized']. Did you mean over?"),
    ({"strongest": 33}, "SplatsRecipe.strongest: got 33, need 1 to 32. The default is 10."),
    ({"count": -1}, "SplatsRecipe.count: got -1, need 0 to 1000000. The default is 0."),
    ({"loss": 2}, "SplatsRecipe.loss: got 2, need str. The default is 'l2'."),
])  # fmt: skip
def test_settings_are_refused_one_by_one(given, message):
    assert refusal(from_dict, SplatsRecipe, given) == message


@pytest.mark.parametrize("background", ["red", "0.5,0.5", "0.5,0.5,nan", "1,2,3,4", "", "1e39,0,0"])
def test_a_background_that_is_no_color_of_the_picture_is_refused(background):
    assert refusal(background_of, SplatsRecipe(background=background), PICTURE) == (
        f"SplatsRecipe.background: got {background!r}, need mean or 3 numbers joined by commas, "
        "as the picture has channels. Write for example 0.5,0.5,0.5."
    )


def test_background_is_the_mean_or_as_given():
    mean = background_of(SplatsRecipe(background="mean"), PICTURE)
    assert mean.dtype == np.float32
    np.testing.assert_allclose(mean, PICTURE.pixels.reshape(-1, 3).mean(0) / 255, rtol=1e-6)
    color = background_of(SplatsRecipe(background="0.5, -1,2e1"), PICTURE)
    assert color.tolist() == [0.5, -1.0, 20.0]


def test_compositing_is_the_recipes():
    together = compositing_of(SplatsRecipe(compositing="over", strongest=4, cutoff=2.0))
    assert (together.kind, together.strongest, together.cutoff) == ("over", 4, 2.0)


@settings(deadline=None)
@given(st.fixed_dictionaries({}, optional={
    "bytes": st.integers(1, 10**6), "compositing": st.sampled_from(COMPOSITINGS),
    "background": st.sampled_from(["mean", "0,0,0"]), "color_rate": st.floats(0, 1),
    "seconds": st.one_of(st.none(), st.floats(0.01, 99)), "steps": st.just(5),
    "seed": st.integers(0, 9),
}))  # fmt: skip
def test_unusual_settings_read_back_the_same(given):
    recipe = splats_recipe({"steps": 3, **given})
    kept = unusual(recipe)
    assert from_dict(SplatsRecipe, kept) == recipe
    usual = {field.name: field.default for field in dataclasses.fields(SplatsRecipe)}
    assert all(value != usual[name] for name, value in kept.items() if name != "bpp")
    assert ("bpp" in kept) == (recipe.bytes is None)


def test_bits_per_pixel_are_kept_where_they_chose_the_count():
    """The usual ones too: who reads the file is to see what its size was asked for by."""
    assert unusual(splats_recipe({"bpp": 1.0, "seconds": 4.0})) == {"bpp": 1.0, "seconds": 4.0}
    assert unusual(splats_recipe({"seconds": 4.0})) == {"bpp": 1.0, "seconds": 4.0}
    assert unusual(splats_recipe({"count": 20})) == {"count": 20}
    assert unusual(splats_recipe({"bytes": 900})) == {"bytes": 900}


def test_what_becomes_of_hidden_color_is_kept_where_there_may_be_some():
    """A file without it is older and kept such color."""
    recipe = splats_recipe({"count": 20})
    assert unusual(recipe, straight_alpha=True) == {"count": 20, "keep_hidden_color": False}
    kept = splats_recipe({"count": 20, "keep_hidden_color": True})
    assert unusual(kept) == {"count": 20, "keep_hidden_color": True}


@pytest.mark.parametrize("sized", [{"bpp": 1.0}, {"bpp": 0.5}, {"count": 20}, {"bytes": 900}, {}])
def test_what_info_prints_asks_for_the_same_fit_again(sized, tmp_path):
    recipe = splats_recipe({"seconds": 4.0, **sized})
    header = Header(unusual(recipe), {}, {}, {"channels": 3}, {})
    kept = from_dict(SplatsRecipe, header.recipe)
    opened = OpenedSplats(Asset("splats", header, {}, path="x.nsh"), kept)
    told = tmp_path / "x.toml"
    told.write_text(recipe_toml(opened.recipe, "fit splats", opened.recipe_flags()))
    assert splats_recipe(read_toml(told)) == recipe


def test_an_end_that_is_given_replaces_the_usual_one():
    assert splats_recipe({"steps": 5}).seconds is None
    assert splats_recipe({"seconds": 5.0}).seconds == 5.0
    assert splats_recipe({}) == SplatsRecipe()


@pytest.mark.parametrize("compositing, channels", [("over", 3), ("sum", 1), ("normalized", 4)])
def test_there_is_a_range_and_a_step_for_each_attribute(compositing, channels):
    recipe = SplatsRecipe(compositing=compositing)
    free = free_ranges(recipe, WIDTH, HEIGHT, channels)
    steps = stored_steps(recipe, 0.01, channels)
    assert len(free) == len(steps) == COLOR + channels + (compositing == "over")
    assert (free["low"] < free["high"]).all() and (free["levels"] == 0).all()
    assert free["high"][:2].tolist() == [WIDTH, HEIGHT]
    finer = stored_steps(recipe, 0.0025, channels)
    assert all(0 < fine < coarse for fine, coarse in zip(finer, steps, strict=True))


@settings(deadline=None, max_examples=200)
@given(
    count=st.integers(1, 40), center=st.booleans(), seed=st.integers(0, 10**6),
    spread=st.sampled_from([0.0, 1e-3, 1.0, 300.0]), middle=st.sampled_from([0.0, -2.0, 30.0]),
    step=st.floats(1e-3, 20),
)  # fmt: skip
def test_stored_ranges_hold_their_values(count, center, seed, spread, middle, step):
    """Also one value, equal values, and so many levels that the outermost are given up."""
    values = np.float32(middle + spread * np.random.default_rng(seed).standard_cauchy(count))
    free = free_ranges(SplatsRecipe(), WIDTH, HEIGHT, 3)[0 if center else COLOR]
    values = values.clip(free["low"], free["high"])
    got = stored_range(free, values, step, center=center)
    low, high, levels = (float(got[name]) for name in ("low", "high", "levels"))
    step = float(np.float32(step))
    slack = 1e-6 * max(abs(low), abs(high), step)
    assert got["rate"] == free["rate"] and levels == round(levels) >= 1
    assert high - low == pytest.approx((levels - 1) * step, abs=slack)
    assert low / step == pytest.approx(round(low / step), abs=slack / step)
    inside = (values >= low - slack) & (values <= high + slack)
    if center:
        assert low == 0 and free["high"] - slack <= high < free["high"] + step + slack
    if center or np.ptp(values) < (MOST_LEVELS - 2) * step:
        assert inside.all()
    else:
        assert levels <= MOST_LEVELS


def test_one_value_far_off_does_not_cost_the_others():
    values = np.linspace(0, 1, 1000, dtype=np.float32)
    values[17] = 1e6  # as far as a color may go
    got = stored_range(free_ranges(SplatsRecipe(), 9, 9, 1)[COLOR], values, 0.01, center=False)
    assert ((values >= got["low"]) & (values <= got["high"])).sum() >= 999


def test_no_attribute_has_more_levels_than_the_file_can_hold():
    assert MOST_LEVELS <= ATTRIBUTE_LEVELS


class Cloud:
    """Stands for an engine: keeps values and ranges, and trains nothing."""

    def __init__(self, recipe, count, trained=9):
        rng = np.random.default_rng(1)
        self.width, self.height, self.channels, self.capacity = WIDTH, HEIGHT, 3, 300
        self.layout, self.trained_tiles = SimpleNamespace(tiles=9), trained
        self.form = SimpleNamespace(attributes=COLOR + 3 + (recipe.compositing == "over"))
        self.kept = rng.random((self.form.attributes, count)).astype(np.float32)

    count = property(lambda self: self.kept.shape[1])

    def set_ranges(self, ranges):
        self.ranges = ranges.copy()

    def draw(self):
        return np.full((HEIGHT, WIDTH, 3), 0.5, np.float32)

    def values(self):
        return self.kept

    def levels(self, ranges=None):
        return np.zeros(self.kept.shape, np.int32)

    def weights(self):
        return np.arange(self.count, dtype=np.float32)

    def replace(self, kept, added, *, first=False):
        self.kept = np.concatenate([self.kept[:, kept], added], axis=1)


def fit_of(recipe, count, budget=None, weigh=lambda kept, _: (10 * kept.shape[1], 100), trained=9):
    engine = Cloud(recipe, max(1, round(recipe.begin * count)), trained)
    together = compositing_of(recipe)
    return SplatFit(engine, recipe, PICTURE.as_float(), together, count, budget, weigh)


SHARES = [(0.35, 0.55), (0.0, 0.0), (1.0, 0.2), (0.3, 1.0), (0.7, 0.1), (1.0, 1.0)]


@pytest.mark.parametrize("grow_until, round_from", SHARES)
def test_stages_come_one_after_the_other(grow_until, round_from):
    fit = fit_of(SplatsRecipe(grow_until=grow_until, round_from=round_from), 50)
    shares = [share for share, _ in fit.stages]
    assert shares == sorted(shares) and shares[0] >= 0 and shares[-1] <= 1


@pytest.mark.parametrize("compositing", COMPOSITINGS)
@pytest.mark.parametrize("grow_until, round_from", SHARES)
def test_a_cloud_grows_to_its_count_and_is_rounded_in_the_end(compositing, grow_until, round_from):
    recipe = SplatsRecipe(count=120, compositing=compositing, grow_until=grow_until,
                          round_from=round_from, begin=0.25)  # fmt: skip
    fit, counts = fit_of(recipe, 120), [30]
    assert fit.engine.count == 30 and (fit.engine.ranges["levels"] == 0).all()
    for share in np.linspace(0, 1, 41):
        assert fit.due(share) > share or share == 1
        counts.append(fit.engine.count)
    assert counts == sorted(counts) and counts[-1] == 120
    ranges = fit.engine.ranges
    assert (ranges["levels"] >= 1).all() and (ranges["rate"][:COLOR] == 0).all()
    fit.settle()
    assert fit.engine.count == 120 and (fit.engine.ranges == ranges).all()


@pytest.mark.parametrize("share", [0.0, 0.2, 0.6, 0.8])
def test_a_fit_that_ends_early_is_rounded_and_not_added_to(share):
    fit = fit_of(SplatsRecipe(count=120), 120)
    fit.due(share)
    count, fixed = fit.engine.count, fit.engine.ranges["levels"] > 0
    ranges = fit.engine.ranges[fixed]
    fit.settle()
    assert fit.engine.count == count and (fit.engine.ranges["levels"] >= 1).all()
    assert (fit.engine.ranges[fixed] == ranges).all()  # what is rounded already stays so


@pytest.mark.parametrize("longer", [8.0, 12.0, 25.0])
def test_the_count_follows_what_gaussians_take(longer):
    """A stream is about as much longer than its entropy whatever the count."""

    def weigh(levels, ranges):
        return math.ceil(longer * entropy_bits(levels, ranges["levels"], ordered=False) / 8), 100

    fit = fit_of(SplatsRecipe(bytes=1100), 100, 1100, weigh)
    fit.due(1.0)
    fit.settle()
    stream, other = weigh(fit.engine.levels(), fit.engine.ranges)
    assert 0.95 * 1100 <= stream + other <= 1100


def test_those_that_make_up_the_least_go_where_the_file_is_too_large():
    fit = fit_of(SplatsRecipe(bytes=600, begin=1.0), 100, budget=600)
    kept = fit.engine.kept[:, 50:]
    fit.settle()
    np.testing.assert_array_equal(fit.engine.kept, kept)


def test_one_gaussian_is_left_however_small_the_file():
    fit = fit_of(SplatsRecipe(bytes=1), 100, budget=1)
    fit.settle()
    assert fit.engine.count == 1


@pytest.mark.parametrize("trained", [9, 5, 0])
def test_growth_is_rarer_where_a_step_trains_few_tiles(trained, monkeypatch):
    """Knowing where the picture is wrong takes all tiles."""
    fit, grown = fit_of(SplatsRecipe(count=100), 100, trained=trained), []
    monkeypatch.setattr(fit.engine, "replace", lambda *_, **__: grown.append(1))
    for share in np.linspace(0, 1, 200):
        fit.due(float(share))
    assert len(grown) == round(16 * trained / 9)


@pytest.mark.parametrize("given, flag", [
    ({}, "--bpp"), ({"bytes": 3000}, "--bytes"), ({"count": 9}, "--count"),
])  # fmt: skip
def test_what_lets_a_file_have_more_is_what_sized_it(given, flag):
    assert SplatsRecipe(**given).larger == f"A larger {flag}"
