"""model/registry: the text that names encodings, read, written and refused."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralshade.errors import ConfigError
from neuralshade.model.registry import (
    ENCODINGS,
    LIMITS,
    build_encoding,
    defaults_of,
    format_encoding,
    parameter_count,
    parse_encoding,
)

KINDS = (
    "['identity', 'frequency', 'triangle_wave', 'one_blob', 'cell_wave', 'dense_grid', "
    "'hash_grid', 'staggered_grid', 'tile_grid']"
)
HASH = "['levels', 'features', 'log2_entries', 'coarsest', 'finest', 'smooth']"


@st.composite
def parts(draw):
    kind = draw(st.sampled_from(sorted(ENCODINGS)))
    values = {name: draw(st.integers(*LIMITS[name])) for name in defaults_of(kind)}
    if kind == "staggered_grid":
        values["levels"] = min(values["levels"], 2)
        values["growth_ppb"] = min(values["growth_ppb"], 16 * 10**9)
    if kind == "hash_grid":
        values["coarsest"] = min(values["coarsest"], values["finest"])
    if kind == "tile_grid":
        values["width"], values["height"] = (min(values[n], 999) for n in ("width", "height"))
        tiles = math.prod(-(-values[n] // values["tile"]) for n in ("width", "height"))
        values["texels"] = min(max(values["texels"], 4 * tiles), 128**2 * tiles)
    return kind, values


@given(st.lists(parts(), min_size=1, max_size=4))
@settings(max_examples=60, deadline=None)
def test_text_round_trip(drawn):
    assert parse_encoding(format_encoding(drawn)) == drawn


def test_every_setting_has_limits_that_its_default_obeys():
    for kind in ENCODINGS:
        for name, default in defaults_of(kind).items():
            low, high = LIMITS[name]
            assert low <= default <= high


def test_settings_left_out_have_their_defaults_and_spaces_do_not_matter():
    text = "  frequency :octaves = 3 ,+identity+hash_grid:levels=2"
    assert parse_encoding(text) == [
        ("frequency", {"octaves": 3}),
        ("identity", {}),
        ("hash_grid", {"levels": 2, "features": 2, "log2_entries": 15, "coarsest": 16,
                       "finest": 512, "smooth": 0}),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text, message",
    [
        ("hashgrid", f"encoding: got 'hashgrid', need one of {KINDS}. Did you mean hash_grid?"),
        ("", f"encoding: got '', need one of {KINDS}."),
        ("identity + ", f"encoding: got '', need one of {KINDS}."),
        ("Identity", f"encoding: got 'Identity', need one of {KINDS}. Did you mean identity?"),
        (
            "identity + hash_grid:level=3",
            f"encoding hash_grid.level: unknown setting, need one of {HASH}. Did you mean levels?",
        ),
        (
            "identity:x=1",
            "encoding identity.x: unknown setting, need one of ['first', 'dimensions'].",
        ),
        (
            "hash_grid:rng=3",
            f"encoding hash_grid.rng: unknown setting, need one of {HASH}.",
        ),
        (
            "hash_grid:levels=0",
            "encoding hash_grid.levels: got '0', need a whole number from 1 to 32. "
            "Write for example levels=1.",
        ),
        (
            "hash_grid:levels=33",
            "encoding hash_grid.levels: got '33', need a whole number from 1 to 32. "
            "Write for example levels=1.",
        ),
        (
            "frequency:octaves=-1",
            "encoding frequency.octaves: got '-1', need a whole number from 1 to 24. "
            "Write for example octaves=1.",
        ),
        (
            "frequency:octaves=--5",
            "encoding frequency.octaves: got '--5', need a whole number from 1 to 24. "
            "Write for example octaves=1.",
        ),
        (
            "frequency:octaves=2.5",
            "encoding frequency.octaves: got '2.5', need a whole number from 1 to 24. "
            "Write for example octaves=1.",
        ),
        (
            "frequency:octaves",
            "encoding frequency.octaves: got '', need a whole number from 1 to 24. "
            "Write for example octaves=1.",
        ),
        (
            "one_blob:bins=" + "9" * 5000,
            f"encoding one_blob.bins: got '{'9' * 79}..., need a whole number from 1 to 1024. "
            "Write for example bins=1.",
        ),
        (
            "hash_grid:levels=2,levels=3",  # nothing that a recipe says is dropped in silence
            "encoding hash_grid.levels: got it twice, need it once. Leave one out.",
        ),
        (
            "hash_grid:lev\nels=2",
            f"encoding hash_grid.'lev\\nels': unknown setting, need one of {HASH}. "
            "Did you mean levels?",
        ),
        (
            "hash_grid:coarsest=64,finest=32",
            "encoding hash_grid.coarsest: got 64, need at most finest=32. Lower coarsest.",
        ),
    ],
)
def test_refusals(text, message):
    with pytest.raises(ConfigError) as caught:
        parse_encoding(text)
    assert str(caught.value) == message


def test_positions_of_other_counts_name_coordinates():
    text = "dense_grid:width=9 + frequency:octaves=4,first=2 + identity + one_blob:dimensions=1"
    parts = parse_encoding(text, 3)
    assert [settings.get("first") for _, settings in parts] == [None, 2, 0, 0]
    assert [settings.get("dimensions") for _, settings in parts] == [None, 1, 3, 1]
    assert parse_encoding(format_encoding(parts), 3) == parts


def test_a_picture_names_coordinates_where_a_part_takes_one():
    text = "identity:first=1 + frequency:octaves=3,dimensions=1 + one_blob:first=0,dimensions=2"
    parts = parse_encoding(text)
    assert parts == [("identity", {"first": 1, "dimensions": 1}),
                     ("frequency", {"octaves": 3, "first": 0, "dimensions": 1}),
                     ("one_blob", {"bins": 16, "wrapped": 0})]  # fmt: skip
    assert parse_encoding(format_encoding(parts)) == parts


def test_a_grid_that_is_not_smooth_has_the_text_of_before():
    text = "dense_grid:levels=1,features=2,coarsest=1,width=4,height=3"
    assert format_encoding(parse_encoding(text)) == text
    assert format_encoding(parse_encoding(text + ",smooth=1")) == text + ",smooth=1"


@pytest.mark.parametrize(
    "text, dimensions, message",
    [
        (
            "frequency:octaves=4,dimensions=3", 2,
            "encoding frequency: got numbers 0 to 2 of a position, need them below 2. "
            "Lower first or dimensions.",
        ),
        (
            "dense_grid:smooth=2", 2,
            "encoding dense_grid.smooth: got '2', need a whole number from 0 to 1. "
            "Write for example smooth=0.",
        ),
        (
            "frequency:octaves=4,first=1", 2,
            "encoding: got no part for number 0 of positions of 2, need one for each. "
            "Add frequency:first=0.",
        ),
        (
            "dense_grid:first=1 + frequency", 3,
            "encoding dense_grid.first: unknown setting, need one of "
            "['levels', 'features', 'coarsest', 'width', 'height', 'smooth'].",
        ),
        (
            "identity:first=1", 3,
            "encoding: got no part for number 0 of positions of 3, need one for each. "
            "Add frequency:first=0.",
        ),
        (
            "dense_grid", 3,
            "encoding: got no part for number 2 of positions of 3, need one for each. "
            "Add frequency:first=2.",
        ),
        (
            "identity + frequency:first=2,dimensions=2", 3,
            "encoding frequency: got numbers 2 to 3 of a position, need them below 3. "
            "Lower first or dimensions.",
        ),
        (
            "identity + one_blob:first=3", 3,
            "encoding one_blob: got numbers 3 to 3 of a position, need them below 3. "
            "Lower first or dimensions.",
        ),
        (
            "hash_grid", 1,
            "encoding hash_grid: got numbers 0 to 1 of a position, need them below 1. "
            "Lower first or dimensions.",
        ),
    ],
)  # fmt: skip
def test_refusals_of_coordinates(text, dimensions, message, refusal):
    assert refusal(ConfigError, parse_encoding, text, dimensions) == message


def test_one_level_needs_no_coarsest():
    assert parse_encoding("hash_grid:levels=1,finest=5")[0][1]["coarsest"] == 16


@pytest.mark.parametrize(
    "text, count",
    [
        ("identity + frequency + one_blob", 0),
        ("dense_grid:levels=3,features=2,coarsest=4,width=16,height=8", 2 * (8 + 32 + 128)),
        ("hash_grid:levels=2,features=4,log2_entries=10,coarsest=3,finest=500", 4 * (16 + 1024)),
        ("dense_grid:width=65536,height=65536,features=64", 64 * 65536**2),  # 1 TB if allocated
    ],
)
def test_parameters_are_counted_without_allocating_them(text, count):
    assert parameter_count(text) == count


def test_the_count_equals_that_of_the_built_encoding(rng):
    for text in ("dense_grid:levels=4,width=19,height=31", "hash_grid:log2_entries=8"):
        built = build_encoding(text, rng)
        assert parameter_count(text) == sum(p.numel() for p in built.parameters())
