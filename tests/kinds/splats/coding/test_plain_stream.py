"""plain_stream: the same words as constriction's, and the same symbols out of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralshade.kinds.splats.coding import plain_stream, range_coder, stream

KINDS = st.lists(st.sampled_from(["rows", "one", "even"]), max_size=8)


@pytest.fixture
def library():
    return pytest.importorskip("constriction").stream  # no wheel for Linux on ARM


def random_call(kind, rng):
    """Return symbols, what makes their model, and each symbol's parameters or None."""
    count, symbols = int(rng.integers(1, 40)), int(rng.integers(2, 40))
    if kind == "even":
        sizes = rng.integers(2, 2 + 2 ** rng.integers(0, 20), count).astype(np.int32)
        return rng.integers(0, sizes).astype(np.int32), lambda of: of.Uniform(), sizes
    # the twelfth power: some symbols are nearly certain, and their intervals wait for carries
    weights = 1 + (rng.random((count, symbols)) ** 12 * 2 ** rng.integers(1, 30)).astype(np.int64)
    drawn = weights.argmax(axis=1) if rng.random() < 0.7 else rng.integers(0, symbols, count)
    drawn, weights = drawn.astype(np.int32), weights.astype(np.float64)
    if kind == "rows":
        return drawn, lambda of: of.Categorical(perfect=False), weights
    return drawn, lambda of: of.Categorical(weights[0], perfect=False), None


@settings(max_examples=200, deadline=None)
@given(KINDS, st.integers(0, 2**32))
def words_are_alike(library, kinds, seed):
    rng = np.random.default_rng(seed)
    calls = [random_call(kind, rng) for kind in kinds]
    encoders = [which.queue.RangeEncoder() for which in (plain_stream, library)]
    for symbols, made, rows in calls:
        for which, encoder in zip((plain_stream, library), encoders, strict=True):
            encoder.encode(symbols, made(which.model), *([] if rows is None else [rows]))
    ours, theirs = (encoder.get_compressed() for encoder in encoders)
    np.testing.assert_array_equal(ours, theirs)
    assert encoders[0].pos() == encoders[1].pos()
    decoder = plain_stream.queue.RangeDecoder(theirs)
    for symbols, made, rows in calls:
        read = decoder.decode(made(plain_stream.model), len(symbols) if rows is None else rows)
        np.testing.assert_array_equal(read, symbols)


def test_words_are_those_of_the_library(library):
    words_are_alike(library)


@pytest.mark.parametrize("ordered", [False, True])
def test_a_cloud_is_the_same_stream_with_and_without_the_library(library, ordered, monkeypatch):
    rng = np.random.default_rng(3)
    sizes = {"x": 96, "y": 64, "opacity": 16, "scale": 40}
    cloud = {name: rng.integers(0, size, 300) for name, size in sizes.items()}
    theirs = stream.encode(cloud, sizes, ordered)
    read = stream.decode(theirs, 300, sizes, ordered, "a.nsh")
    monkeypatch.setattr(range_coder, "_library", lambda: plain_stream)
    np.testing.assert_array_equal(stream.encode(cloud, sizes, ordered), theirs)
    again = stream.decode(theirs, 300, sizes, ordered, "a.nsh")
    assert all(np.array_equal(again[name], read[name]) for name in sizes)


def test_what_no_encoder_wrote_is_refused():
    decoder = plain_stream.queue.RangeDecoder(np.full(4, 2**32 - 1, np.uint32))
    with pytest.raises(AssertionError, match=r"^got a number outside of the interval, need one"):
        decoder.decode(plain_stream.model.Uniform(3), 100)
