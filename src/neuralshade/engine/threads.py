"""CPU threads for a step, chosen by timing.

Every product waits for its slowest thread. On a machine where something else runs, one thread
is often far faster than all of them: with one of two cores taken, 3.0 M samples/s against
0.09 M were measured. And a batch of a small network does not feed many: choosing between 16
threads and one on 16 cores, a hash grid ran 11 steps in 5 s. So several counts are
tried, and tried again, because the rest of the machine changes its mind.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from typing import TypeVar

import torch

T = TypeVar("T")
R = TypeVar("R")

PROBE_STEPS = 3
FIRST_WAIT, LONGEST_WAIT = 0.5, 8.0  # seconds until another try of a count not in use
FEW = 4  # threads, tried besides one and all
MOST_BESIDE = 8  # pieces of work done in parallel: each holds some memory
GAIN = 0.95  # another count must be below this share of the current time per step to replace it


class Threads:
    """Runs steps with one, a few or ``most`` threads, whichever was fastest when last tried.

    Thread counts can change the order of sums, and so the last bits of a result: a fit that
    must be repeatable holds on to one count.
    """

    def __init__(self, most: int):
        self.count = most
        self.counts = sorted({1, min(FEW, most), most}, reverse=True)
        self.held = most == 1
        self.seconds_per_step: dict[int, float] = {}
        self.wait, self.next_probe = FIRST_WAIT, 0.0

    def hold(self, count: int) -> None:
        """Use ``count`` threads from now on."""
        self.held, self.count = True, count

    def as_steps(self) -> AbstractContextManager[None]:
        """Let PyTorch use as many threads as steps do inside the block, for similar work."""
        return threads(self.count)

    def run(self, steps: int, step: Callable[[], object]) -> None:
        """Call ``step`` so many times, with the best known number of threads."""
        while steps > 0:
            count, few = self._next(steps)
            self._timed(count, few, step)
            steps -= few

    def _next(self, steps: int) -> tuple[int, int]:
        """Return a number of threads and how many steps to run with it."""
        if self.held:
            return self.count, steps
        times = self.seconds_per_step
        for count in self.counts:
            if count not in times:
                return count, min(PROBE_STEPS, steps)
        best = min(times, key=lambda count: times[count])
        if times[best] < GAIN * times[self.count]:
            self.count, self.wait = best, FIRST_WAIT
        if time.perf_counter() < self.next_probe:
            return self.count, steps
        self.wait = min(2 * self.wait, LONGEST_WAIT)
        self.next_probe = time.perf_counter() + self.wait
        self.counts.append(self.counts.pop(0))  # in turn
        other = next(count for count in self.counts if count != self.count)
        return other, min(PROBE_STEPS, steps)

    def _timed(self, count: int, steps: int, step: Callable[[], object]) -> None:
        with threads(count):
            start = time.perf_counter()
            for _ in range(steps):
                step()
            self.seconds_per_step[count] = (time.perf_counter() - start) / steps


@contextmanager
def threads(count: int) -> Iterator[None]:
    """Let PyTorch use ``count`` threads inside the block."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def side_by_side(do: Callable[[T], R], items: Sequence[T]) -> Iterator[R]:
    """Yield ``do(item)`` of each item in order, in as many threads as PyTorch may use.

    For work too small to share out: inside it PyTorch has one thread.
    """
    workers = min(MOST_BESIDE, torch.get_num_threads(), max(1, len(items)))
    with threads(1):
        if workers == 1:
            yield from map(do, items)
            return
        pool = ThreadPoolExecutor(workers, "neuralshade")
        try:
            yield from pool.map(do, items)
        finally:  # also where the caller stops early
            pool.shutdown(cancel_futures=True)
