"""model/registry: the text that names encodings, read, written and refused."""

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
    "['identity', 'frequency', 'triangle_wave', 'one_blob', 'cell_wave', 'dense_grid', 'hash_grid']"
)
HASH = "['levels', 'features', 'log2_entries', 'coarsest', 'finest']"


@st.composite
def parts(draw):
    kind = draw(st.sampled_from(sorted(ENCODINGS)))
    values = {name: draw(st.integers(*LIMITS[name])) for name in defaults_of(kind)}
    if kind == "hash_grid":
        values["coarsest"] = min(values["coarsest"], values["finest"])
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
                       "finest": 512}),
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
        ("identity:x=1", "encoding identity.x: unknown setting, need one of []."),
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
