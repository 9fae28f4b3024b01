"""base/sandbox/wire: what is said comes back as it was; what is no message is refused."""

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuralshade.base.sandbox.wire import DTYPES, LENGTH, BrokenError, receive, send

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
MOST = 10_000


def sent(message, arrays=()):
    stream = io.BytesIO()
    send(stream, message, arrays)
    return stream.getvalue()


@given(st.dictionaries(st.text().filter(lambda name: name != "arrays"), plain, max_size=4),
       st.lists(st.tuples(st.sampled_from(DTYPES), st.lists(st.integers(0, 4), max_size=3))
                , max_size=3))  # fmt: skip
def test_messages_come_back(message, forms):
    arrays = [np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(t) for t, shape in forms]
    data = sent(message, arrays)
    stream = io.BytesIO(data + data)
    for _ in range(2):  # one behind the other
        found, back = receive(stream, MOST)
        assert found == message
        assert [(b.dtype, b.shape) for b in back] == [(a.dtype, a.shape) for a in arrays]
        assert all(map(np.array_equal, back, arrays))


@given(st.binary(max_size=200))
def test_noise_is_refused(noise):
    with pytest.raises(BrokenError):
        receive(io.BytesIO(noise), MOST, 100)


@given(st.data())
def test_a_changed_message_is_refused_or_still_one(data):
    whole = bytearray(sent({"a": [1, 2.5, "text"]}, [np.ones((3, 2), np.float32)]))
    index = data.draw(st.integers(0, len(whole) - 1))
    whole[index] = data.draw(st.integers(0, 255))
    try:
        message, arrays = receive(io.BytesIO(bytes(whole)), MOST, 1000)
    except BrokenError:
        return
    assert isinstance(message, dict) and sum(a.nbytes for a in arrays) <= MOST


@pytest.mark.parametrize("text", [
    b"[]", b"3", b'{"arrays": 3}', b"{}", b'{"arrays": [["float32", [-1]]]}',
    b'{"arrays": [["float32", [1e99]]]}', b'{"arrays": [["object", [1]]]}', b"[" * 90_000,
    b'{"arrays": [["float32", [true]]]}', b'{"arrays": [["float32", [99999, 99999]]]}',
    b'{"arrays": [["uint8", [0, 99999999999999]]]}', b'{"arrays": [], "arrays": []}',
    b'{"arrays": [], "loss": NaN}', b'{"arrays": [], "text": "\\ud800"}',
])  # fmt: skip
def test_odd_messages_are_refused(text):
    with pytest.raises(BrokenError):
        receive(io.BytesIO(len(text).to_bytes(LENGTH, "little") + text), MOST)


def test_no_more_than_was_asked_for_is_read():
    data = sent({}, [np.zeros(MOST + 1, np.uint8)])
    with pytest.raises(BrokenError):
        receive(io.BytesIO(data), MOST)
    assert receive(io.BytesIO(data), MOST + 1)[1][0].size == MOST + 1
