"""How many CPU threads a step should use, found by trying.

Every product waits for its slowest thread. On a machine where something else runs, one thread
is often far faster than all of them: with one of two cores taken, 3.0 M samples/s against
0.09 M were measured. So both are tried, and tried again, because the rest of the machine
changes its mind.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch

PROBE_STEPS = 3
FIRST_WAIT, LONGEST_WAIT = 1.0, 8.0  # seconds between two tries of the count not in use


class Threads:
    """Runs steps with one thread or with ``most``, whichever was faster when last tried.

    Thread counts can change the order of sums, and so the last bits of a result: a fit that
    must be repeatable holds on to one count.
    """

    def __init__(self, most: int):
        self.most = self.count = most
        self.held = most == 1
        self.seconds_per_step: dict[int, float] = {}
        self.wait, self.next_probe = FIRST_WAIT, 0.0

    def hold(self, count: int) -> None:
        """Use ``count`` threads from now on, whatever happens."""
        self.held, self.count = True, count

    def run(self, steps: int, step: Callable[[], object]) -> None:
        """Call ``step`` so many times, with the best number of threads known."""
        due = steps >= 2 * PROBE_STEPS and time.perf_counter() >= self.next_probe
        done = self._probe(step) if due and not self.held else 0
        if done < steps:
            self._timed(self.count, steps - done, step)

    def _probe(self, step: Callable[[], object]) -> int:
        """Time the counts that are unknown or not in use; return how many steps that made."""
        other = 1 if self.count == self.most else self.most
        before = self.count
        tried = [c for c in (before, other) if c == other or c not in self.seconds_per_step]
        for count in tried:
            self._timed(count, PROBE_STEPS, step)
        self.count = min(self.seconds_per_step, key=lambda c: self.seconds_per_step[c])
        self.wait = FIRST_WAIT if self.count != before else min(2 * self.wait, LONGEST_WAIT)
        self.next_probe = time.perf_counter() + self.wait
        return PROBE_STEPS * len(tried)

    def _timed(self, count: int, steps: int, step: Callable[[], object]) -> None:
        with _threads(count):
            start = time.perf_counter()
            for _ in range(steps):
                step()
            self.seconds_per_step[count] = (time.perf_counter() - start) / steps


@contextmanager
def _threads(count: int) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
