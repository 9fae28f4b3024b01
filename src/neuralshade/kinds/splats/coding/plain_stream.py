"""Pure-Python range coder: the used part of constriction.stream, where it has no wheel.

It reads and writes the same streams, bit for bit, in up to twice the time. Tests compare the two.
Names and arguments are constriction's.

Source: Bamler 2022, Understanding Entropy Coding With Asymmetric Numeral Systems, and the range
coder of its library: words of 32 bits, a state of 64, probabilities of 24.
"""

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

WORD_BITS, STATE_BITS, SHARE_BITS = 32, 64, 24
WORD, STATE, WHOLE = (1 << WORD_BITS) - 1, (1 << STATE_BITS) - 1, 1 << SHARE_BITS
LEAST_RANGE = 1 << (STATE_BITS - WORD_BITS)
Share: TypeAlias = "tuple[int, int]"  # start and end of a symbol, of WHOLE
Find: TypeAlias = "Callable[[int], tuple[int, int, int]]"  # symbol, begin and end at a quantile


class Categorical:
    """Symbols by their weights: float64 [K], or [n, K] as a parameter of a family."""

    def __init__(self, weights: NDArray[np.float64] | None = None, *, perfect: bool = False):
        assert not perfect, "the slower rounding of shares is not written here"
        self._shares = None if weights is None else _shares(weights[None])[0]

    def finds(self, rows: NDArray[Any] | int) -> Iterator[Find]:
        """Yield for each symbol the function from a quantile to its symbol."""
        if self._shares is None:
            assert isinstance(rows, np.ndarray)
            for shares in _shares(rows):
                yield _found_in(shares)
        else:
            assert isinstance(rows, int)
            find = _found_in(self._shares)
            for _ in range(rows):
                yield find

    def share(self, symbols: NDArray[Any], rows: NDArray[Any] | None) -> Iterator[Share]:
        """Yield for each symbol its share."""
        if self._shares is not None:
            begins, ends = self._shares[symbols], self._shares[symbols + 1]
        else:
            assert rows is not None
            shares, each = _shares(rows), np.arange(len(symbols))
            begins, ends = shares[each, symbols], shares[each, symbols + 1]
        yield from zip(begins.tolist(), ends.tolist(), strict=True)


class Uniform:
    """Symbols below a size that are equally likely; sizes may be parameters of a family."""

    def __init__(self, size: int | None = None):
        self._size = size

    def finds(self, rows: NDArray[Any] | int) -> Iterator[Find]:
        """Yield for each symbol the function from a quantile to its symbol."""
        sizes: list[Any] = [self._size] * rows if isinstance(rows, int) else rows.tolist()
        for size in sizes:
            yield self._found(size)

    def share(self, symbols: NDArray[Any], rows: NDArray[Any] | None) -> Iterator[Share]:
        """Yield for each symbol its share."""
        sizes: list[Any] = [self._size] * len(symbols) if rows is None else rows.tolist()
        for symbol, size in zip(symbols.tolist(), sizes, strict=True):
            yield self._of(symbol, size)

    def _found(self, size: int) -> Find:
        def find(quantile: int) -> tuple[int, int, int]:
            symbol = min(quantile // (WHOLE // size), size - 1)
            return (symbol, *self._of(symbol, size))

        return find

    @staticmethod
    def _of(symbol: int, size: int) -> Share:
        each = WHOLE // size  # the last one also has the remainder
        return symbol * each, WHOLE if symbol == size - 1 else (symbol + 1) * each


class RangeEncoder:
    """Writes symbols into words, the first symbol first."""

    def __init__(self) -> None:
        self._words: list[int] = []
        self._lower, self._range = 0, STATE
        self._held = 0  # words that wait for a carry: the first is _first, the others all ones
        self._first = 0

    def encode(self, symbols: NDArray[Any], model: Any, rows: NDArray[Any] | None = None) -> None:
        """Write symbols of a model, or of a family with a row of parameters each."""
        for begin, end in model.share(symbols, rows):
            self._write(begin, end)

    def pos(self) -> tuple[int, tuple[int, int]]:
        """Return the number of finished words, and the state."""
        return len(self._words) + self._held, (self._lower, self._range)

    def get_compressed(self) -> NDArray[np.uint32]:
        """Return the words, and the fewest more that a decoder needs for the last symbol."""
        if self._range == STATE:
            return np.zeros(0, np.uint32)
        point = (self._lower + LEAST_RANGE - 1) & STATE
        last = point >> WORD_BITS
        words = [*self._words, *self._carried(point < self._lower), last]
        if ((self._lower + self._range) & STATE) >> WORD_BITS == last:
            words.append(0)
        return np.array(words, np.uint32)

    def _write(self, begin: int, end: int) -> None:
        scale = self._range >> SHARE_BITS
        self._range = scale * (end - begin)
        lower = (self._lower + scale * begin) & STATE
        if self._held and self._is_settled(lower):
            self._words += self._carried(lower < self._lower)
            self._held = 0
        self._lower = lower
        if self._range >= LEAST_RANGE:
            return
        word = self._lower >> WORD_BITS
        self._lower, self._range = self._lower << WORD_BITS & STATE, self._range << WORD_BITS
        if self._held:
            self._held += 1
        elif self._is_settled(self._lower):
            self._words.append(word)
        else:
            self._held, self._first = 1, word

    def _is_settled(self, lower: int) -> bool:
        """Return whether no carry can occur: the interval stays below the state's end."""
        return (lower + self._range) & STATE > lower

    def _carried(self, carry: bool) -> list[int]:
        if not self._held:
            return []
        return [(self._first + carry) & WORD] + [0 if carry else WORD] * (self._held - 1)


class RangeDecoder:
    """Reads what the encoder wrote, followed by zeros."""

    def __init__(self, words: NDArray[np.uint32]):
        self._words = words.tolist()
        self.seek(0, (0, STATE))

    def seek(self, position: int, state: tuple[int, int]) -> None:
        """Seek to an encoder's ``pos``."""
        self._next = position
        self._lower, self._range = state
        self._point = self._word() << WORD_BITS
        self._point |= self._word()

    def decode(self, model: Any, rows: Any = None) -> Any:
        """Read a symbol, ``rows`` of them, or one for each row of a family's parameters."""
        found = [self._read(find) for find in model.finds(1 if rows is None else rows)]
        return found[0] if rows is None else np.array(found, np.int32)

    def _read(self, find: Find) -> int:
        scale = self._range >> SHARE_BITS
        quantile = ((self._point - self._lower) & STATE) // scale
        if quantile >= WHOLE:
            raise AssertionError("got a number outside of the interval, need one of an encoder")
        symbol, begin, end = find(quantile)
        self._lower = (self._lower + scale * begin) & STATE
        self._range = scale * (end - begin)
        if self._range < LEAST_RANGE:
            self._lower, self._range = self._lower << WORD_BITS & STATE, self._range << WORD_BITS
            self._point = (self._point << WORD_BITS & STATE) | self._word()
        return symbol

    def _word(self) -> int:
        self._next += 1
        return self._words[self._next - 1] if self._next <= len(self._words) else 0


def _shares(weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the start of each symbol's share, and the end: int64 [n, K + 1].

    Each symbol gets one of WHOLE, and a part of the rest by its weight. Weights are integers, whose
    sums are exact.
    """
    count = weights.shape[1]
    before = np.cumsum(weights, axis=1) - weights
    scale = (WHOLE - count) / weights.sum(axis=1, keepdims=True)
    shares = np.full((len(weights), count + 1), WHOLE, np.int64)
    shares[:, :-1] = (before * scale).astype(np.int64) + np.arange(count)
    return shares


def _found_in(shares: NDArray[np.int64]) -> Find:
    def find(quantile: int) -> tuple[int, int, int]:
        symbol = int(shares.searchsorted(quantile, "right")) - 1
        return symbol, int(shares[symbol]), int(shares[symbol + 1])

    return find


queue = SimpleNamespace(RangeEncoder=RangeEncoder, RangeDecoder=RangeDecoder)
model = SimpleNamespace(Categorical=Categorical, Uniform=Uniform)
