"""verbs/export/web/packing: JavaScript reads back what Python packs, and it is small."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from neuralshade.errors import ShapeError
from neuralshade.verbs.export.web.packing import packed

RELAXED = settings(max_examples=40, deadline=None,
                   suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip
TYPES = st.sampled_from([np.uint8, np.uint32, np.float32])
ARRAYS = st.lists(TYPES.flatmap(lambda dtype: arrays(dtype, st.integers(0, 300))), max_size=4)


@pytest.fixture
def random():
    """Give a generator that starts equal in every test."""
    return np.random.default_rng(5)


def equal(found, sent):
    """Return whether arrays are the same, bit for bit: not-a-number too."""
    return [(str(one.dtype), one.tobytes()) for one in found] == [
        (str(one.dtype), one.tobytes()) for one in sent
    ]


@RELAXED
@given(ARRAYS)
def test_arrays_come_back_bit_for_bit(unpacked, sent):
    assert equal(unpacked(packed(*sent)), sent)


@pytest.mark.parametrize("count", [0, 1, 127, 128, 16_384, 2**21 + 1])
def test_lengths_around_those_of_numbers_in_heads(unpacked, random, count):
    sent = [random.integers(0, 2**32, count, np.uint32), np.zeros(count, np.uint8)]
    assert equal(unpacked(packed(*sent)), sent)


def test_noise_costs_its_bytes_and_constants_next_to_nothing(random):
    noise = random.integers(0, 2**32, 10_000, np.uint32)
    assert len(packed(noise)) <= noise.nbytes + 16
    assert len(packed(np.full(10_000, 7, np.uint32))) < 100


def test_levels_cost_their_entropy(random):
    levels = random.binomial(60, 0.5, 7_000).astype(np.uint32)
    _, counts = np.unique(levels, return_counts=True)
    bits = -(counts * np.log2(counts / len(levels))).sum()
    assert len(packed(levels)) < 1.03 * bits / 8 + 150  # Huffman codes, and their table


def test_sorted_places_cost_their_steps(random):
    places = np.sort(random.integers(0, 2**22, 7_000, np.uint32))
    assert len(packed(places)) < 1.4 * 7_000  # 11 bits a place, of 22


def test_numbers_of_one_sign_and_size_pay(random):
    weights = random.uniform(1, 1.9, 4_000).astype(np.float32)
    assert len(packed(weights)) < 0.8 * weights.nbytes  # the first byte is the same


@pytest.mark.parametrize("wrong", [np.zeros((2, 2), np.uint32), np.zeros(3, np.int64)],
                         ids=["shape", "type"])  # fmt: skip
def test_other_arrays_are_refused(wrong, same_message):
    with pytest.raises(ShapeError) as caught:
        packed(wrong)
    same_message(str(caught.value), "packed", "uint32")
