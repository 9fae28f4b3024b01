"""Counter-based random numbers: a function of the draw's index. Device half: random.slang."""

import numpy as np
import numpy.typing as npt

from neuralshade.errors import ConfigError, ShapeError

Words = npt.NDArray[np.uint32]


def hash_bits(counter: Words) -> Words:
    """Hash four counters to four words of 32 random bits.

    Neighboring counters give unrelated words, so a thread needs no state and no seed table.

    Args:
        counter: uint32 [..., 4].

    Returns:
        uint32 [..., 4].

    Raises: ShapeError for another dtype or shape.
    Source: Jarzynski and Olano 2020, Hash Functions for GPU Rendering, JCGT 9(3), pcg4d.
    """
    if counter.dtype != np.uint32 or counter.shape[-1:] != (4,):
        got = f"{counter.dtype} {list(counter.shape)}"
        raise ShapeError(f"hash_bits.counter: got {got}, need uint32 [..., 4]. Cast it.")
    v = counter * np.uint32(1664525) + np.uint32(1013904223)
    _mix(v)
    v ^= v >> np.uint32(16)
    _mix(v)
    return v


def _mix(v: Words) -> None:
    x, y, z, w = (v[..., i] for i in range(4))
    x += y * w
    y += z * x
    z += x * y
    w += y * z


class Random:
    """Random numbers of the samples of one training step, the same as in kernels.

    ``sample`` uint32 [N] holds the samples' indices in the batch; ``step``, ``seed`` and
    ``draw``, which counts up with each draw, are in 0 .. 2^32 - 1.

    Raises: ShapeError and ConfigError for other inputs.
    """

    def __init__(self, sample: Words, step: int, seed: int):
        if sample.dtype != np.uint32 or sample.ndim != 1:
            got = f"{sample.dtype} {list(sample.shape)}"
            raise ShapeError(f"Random.sample: got {got}, need uint32 [N]. Cast it.")
        for name, value in (("step", step), ("seed", seed)):
            if not 0 <= value < 2**32:
                remedy = f"Pass {name} % 2**32."
                raise ConfigError(f"Random.{name}: got {value}, need 0 .. 2**32 - 1. {remedy}")
        self.sample, self.step, self.seed, self.draw = sample, step, seed, 0

    def next_bits(self) -> Words:
        """Return uint32 [N, 4], four words of 32 random bits for each sample."""
        counter = np.empty((len(self.sample), 4), np.uint32)
        counter[:, 0] = self.sample
        counter[:, 1:] = self.step, self.seed, self.draw
        self.draw += 1
        return hash_bits(counter)

    def next_uniform(self) -> npt.NDArray[np.float32]:
        """Return float32 [N, 4] in [0, 1), multiples of 2^-24: the largest still is below 1."""
        return (self.next_bits() >> np.uint32(8)).astype(np.float32) * np.float32(2.0**-24)
