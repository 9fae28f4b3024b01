"""range_coder: what one end writes the other reads, in hardly more bytes than it is worth."""

import sys

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralshade.kinds.splats.coding.range_coder import Decoder, Encoder

LAST = 1 << 16
KINDS = st.lists(st.sampled_from(["code", "code_alike", "code_evenly"]), max_size=6)


def random_call(kind, rng):
    """Return a method's first argument, symbols that it may code, and their bits."""
    count = int(rng.integers(0, 12))
    if kind == "code_evenly":
        sizes = rng.integers(1, 1 + 2 ** rng.integers(0, 21), count)
        return sizes, rng.integers(0, sizes), np.log2(sizes).sum()
    # the eighth power: some symbols are nearly certain, others nearly impossible
    weights = 1 + (rng.random(int(rng.integers(2, 40))) ** 8 * 2**24).astype(np.int64)
    symbols = rng.choice(len(weights), count, p=weights / weights.sum())
    bits = -np.log2(weights[symbols] / weights.sum()).sum()
    return (np.tile(weights, (count, 1)) if kind == "code" else weights), symbols, bits


@settings(max_examples=200, deadline=None)
@given(KINDS, st.integers(0, 2**32), st.integers(0, LAST - 1))
def test_decoding_undoes_encoding(kinds, seed, last):
    rng = np.random.default_rng(seed)
    calls = [(kind, *random_call(kind, rng)) for kind in kinds]
    encoder = Encoder()
    for kind, how, symbols, _ in calls:
        assert getattr(encoder, kind)(how, symbols) is symbols
    stream = encoder.to_bytes(LAST, last)
    assert stream.dtype == np.uint8
    bits = 16 + sum(call[-1] for call in calls)
    # 0.01: tables and even shares have 24 bits; and a byte that is begun
    assert len(stream) <= 1.01 * bits / 8 + 1.1

    decoder = Decoder(stream, "a.nsh")
    for kind, how, symbols, _ in calls:
        read = getattr(decoder, kind)(how, np.zeros_like(symbols))
        assert read.dtype == np.int64
        np.testing.assert_array_equal(read, symbols)
    assert decoder.code_evenly(np.array([LAST]), np.zeros(1, np.int64)) == last


def test_both_ways_need_no_library(monkeypatch):
    monkeypatch.setitem(sys.modules, "constriction", None)
    test_decoding_undoes_encoding()
