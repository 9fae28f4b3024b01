"""How many fits share a GPU: first by an estimate, then by what the fits of this bake took."""

from __future__ import annotations

from collections.abc import Mapping

FIT_BYTES = 3 * 2**30  # of GPU memory: a fit of small networks and textures, its context included
MARGIN = 1.25  # over the greatest that was measured: the next fit may be larger
LEAST_BYTES = 64 * 2**20  # of a process that uses a GPU: its context alone takes more


class GpuPacking:
    """Number of fits at once on GPUs of so much ``free`` memory, by number.

    Args:
        most: fits at once on all of them: what the cores take, or what the user chose.
        fixed: the user chose it: only a lack of memory changes it.
    """

    def __init__(self, free: Mapping[str, int], most: int, fixed: bool = False):
        self.free, self._most, self._fixed = dict(free), most, fixed
        self._least = min(most, len(free))  # one fit on each GPU, where the user did not say less
        self._largest = 0

    def count(self) -> int:
        """Return how many fits run at once; the GPU of the least free memory decides."""
        if self._fixed:
            return self._most
        fits = min(self.free.values()) // fit_bytes(self._largest)
        return max(self._least, min(self._most, fits * len(self.free)))

    def measured(self, size: int) -> None:
        """Take the GPU memory that a fit took at most."""
        if size >= LEAST_BYTES:
            self._largest = max(self._largest, size)

    def shared(self, free: Mapping[str, int], processes: Mapping[str, int]) -> None:
        """Take the free memory while so many processes run on each GPU, where the memory of each
        is not known: their mean counts."""
        for gpu, number in processes.items():
            if number and gpu in free:
                self.measured((self.free[gpu] - free[gpu]) // number)

    def out_of_memory(self, count: int) -> None:
        """Halve the number after a fit found no memory, which began beside ``count`` - 1 others."""
        self._most = max(self._least, min(self._most, count // 2))


def fit_bytes(largest: int) -> int:
    """Return the memory to keep for a fit: ``largest`` is the most that was measured, or 0."""
    return round(MARGIN * largest) if largest else FIT_BYTES


def gpu_share(gpu_bytes: int, largest: int = 0) -> float:
    """Return the share of a GPU that a fit needs, in (0, 1], in Ray's steps of 1e-4."""
    return min(1.0, max(1, 10_000 * fit_bytes(largest) // gpu_bytes) / 10_000)
