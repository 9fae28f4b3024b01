"""Bidirectional range coder: one description of a stream both writes and reads it.

``Encoder`` and ``Decoder`` have the same methods. Each takes symbols and returns symbols: the
encoder its arguments, the decoder those read, ignoring the arguments. So a format is written
once, as a function of a ``Coder``, and cannot differ between the two.

Weights of symbols are integers. Their sums are exact in float64 in any order, so the library's
tables are the same on every machine.
"""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from neuralshade.errors import AssetError
from neuralshade.kinds.splats.coding import plain_stream

Ints = NDArray[np.int64]
WORD_BYTES = 4


class Coder(Protocol):
    """Interface of ``Encoder`` and ``Decoder``."""

    writes: bool

    def code(self, weights: Ints, symbols: Ints) -> Ints:
        """Code n symbols, each with its row of ``weights``: int64 [n, K] in 1 ... 2**31."""

    def code_alike(self, weights: Ints, symbols: Ints) -> Ints:
        """Code n symbols that share ``weights``: int64 [K] in 1 ... 2**31, K > 1."""

    def code_evenly(self, sizes: Ints, symbols: Ints) -> Ints:
        """Code each symbol as one of ``sizes`` equally likely: int64 [n] in 1 ... 2**20.

        The library's probabilities have 24 bits: near 2**20 a symbol takes up to 0.1 bit more.
        """


class Encoder:
    """Writes symbols; ``to_bytes`` ends it."""

    writes = True

    def __init__(self) -> None:
        self._library = _library()
        self._coder = self._library.queue.RangeEncoder()

    def code(self, weights: Ints, symbols: Ints) -> Ints:
        """Write n symbols and return them."""
        family = self._library.model.Categorical(perfect=False)
        self._coder.encode(symbols.astype(np.int32), family, weights.astype(np.float64))
        return symbols

    def code_alike(self, weights: Ints, symbols: Ints) -> Ints:
        """Write n symbols of one distribution and return them."""
        model = self._library.model.Categorical(weights.astype(np.float64), perfect=False)
        self._coder.encode(symbols.astype(np.int32), model)
        return symbols

    def code_evenly(self, sizes: Ints, symbols: Ints) -> Ints:
        """Write n evenly distributed symbols and return them."""
        open_ = sizes > 1  # the library refuses a symbol without a choice, which takes no bits
        chosen, choices = symbols[open_].astype(np.int32), sizes[open_].astype(np.int32)
        self._coder.encode(chosen, self._library.model.Uniform(), choices)
        return symbols

    def to_bytes(self, last_size: int, last: int) -> NDArray[np.uint8]:
        """Write ``last``, one of ``last_size`` even values, and return the shortest stream."""
        before = self._coder.pos()
        self.code_evenly(np.array([last_size]), np.array([last]))
        stream = _to_bytes(self._coder.get_compressed())
        while True:
            shorter = [cut for cut in _cuts(stream) if self._reads(cut, before, last_size) == last]
            if not shorter:
                return stream
            stream = shorter[0]

    def _reads(self, stream: NDArray[np.uint8], position: Any, size: int) -> int:
        words = _to_words(stream)
        missing = max(0, position[0] + 2 - len(words))  # seeking past the end is refused
        decoder = self._library.queue.RangeDecoder(np.pad(words, (0, missing)))
        decoder.seek(*position)
        try:
            return int(decoder.decode(self._library.model.Uniform(size)))
        except AssertionError:  # the library's error for a number outside of the interval
            return -1


class Decoder:
    """Reads symbols. A damaged stream gives wrong ones: only a checksum detects it.

    Raises: AssetError naming ``place`` where the library refuses the stream.
    """

    writes = False

    def __init__(self, stream: NDArray[np.uint8], place: str) -> None:
        self._place = place
        self._library = _library()
        self._coder = self._library.queue.RangeDecoder(_to_words(stream))

    def code(self, weights: Ints, symbols: Ints) -> Ints:
        """Read as many symbols as ``weights`` has rows."""
        family = self._library.model.Categorical(perfect=False)
        return self._read(family, weights.astype(np.float64))

    def code_alike(self, weights: Ints, symbols: Ints) -> Ints:
        """Read ``len(symbols)`` symbols of one distribution."""
        model = self._library.model.Categorical(weights.astype(np.float64), perfect=False)
        return self._read(model, len(symbols))

    def code_evenly(self, sizes: Ints, symbols: Ints) -> Ints:
        """Read as many evenly distributed symbols as there are sizes."""
        open_ = sizes > 1
        read = np.zeros(len(sizes), np.int64)
        read[open_] = self._read(self._library.model.Uniform(), sizes[open_].astype(np.int32))
        return read

    def _read(self, model: Any, how: Any) -> Ints:
        try:
            return self._coder.decode(model, how).astype(np.int64)
        except AssertionError as error:  # the library's error for an impossible number
            raise damaged(self._place) from error


def damaged(place: str) -> AssetError:
    """Return the error of a damaged stream."""
    return AssetError(f"{place}: got a damaged or truncated stream of Gaussians, need it as it "
                      "was written. Copy the file again.")  # fmt: skip


def _cuts(stream: NDArray[np.uint8]) -> list[NDArray[np.uint8]]:
    """Return streams shorter by a byte or more that may decode alike: the next below and above.

    The decoder reads zeros after the end, so any number of the last interval will do. If the last
    symbol is right, so are all before it: its interval lies within theirs.
    """
    if not len(stream):
        return []
    below = above = stream[:-1]
    while len(above) and above[-1] == 255:
        above = above[:-1]
    return [below, np.append(above[:-1], above[-1:] + np.uint8(1))]


def _to_bytes(words: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Return the words, high bytes first, so that the last bytes matter least."""
    return np.frombuffer(words.astype(">u4").tobytes(), np.uint8)


def _to_words(stream: NDArray[np.uint8]) -> NDArray[np.uint32]:
    padded = np.pad(stream, (0, -len(stream) % WORD_BYTES))
    return np.frombuffer(padded.tobytes(), ">u4").astype(np.uint32)


def _library() -> Any:
    """Return constriction's streams, or the pure-Python ones where it is not installed."""
    try:
        import constriction
    except ImportError:
        return plain_stream
    return constriction.stream
