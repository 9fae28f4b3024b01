"""Turns of threads at Slang compilers."""

from __future__ import annotations

import threading
from contextvars import ContextVar
from typing import Generic, TypeVar

C = TypeVar("C")

# Place of the current context in the queue: lower ones go first, in order of arrival if equal.
PLACE: ContextVar[int] = ContextVar("compiler_place", default=0)


class CompilerQueue(Generic[C]):
    """Threads that have a compiler, and those that wait for one; ``kept``: unused compilers.

    Another compiler is created for threads that would wait behind ``patience`` others for each
    there is, up to ``most`` compilers.
    """

    def __init__(self, most: int, patience: int):
        self.most, self.patience = most, patience
        self.kept: list[C] = []
        self.waiting: list[tuple[int, int]] = []  # place and arrival of each
        self._changed = threading.Condition()
        self._lent = self._arrivals = 0

    def take(self, place: int) -> C | None:
        """Wait for a turn; return a kept compiler, or None for a turn with a new one."""
        with self._changed:
            self._arrivals += 1
            turn = place, self._arrivals
            self.waiting.append(turn)
            try:
                self._changed.notify_all()  # the first of them may have a new one now
                self._changed.wait_for(lambda: turn == min(self.waiting) and self._is_one_free())
            finally:
                self.waiting.remove(turn)
                self._changed.notify_all()
            self._lent += 1
            return self.kept.pop() if self.kept else None

    def give_back(self, compiler: C | None) -> bool:
        """End a turn; return whether its compiler is kept: for the next thread, or the only one."""
        with self._changed:
            self._lent -= 1
            kept = compiler is not None and len(self.kept) < max(1, len(self.waiting))
            if compiler is not None and kept:
                self.kept.append(compiler)
            self._changed.notify_all()
            return kept

    def _is_one_free(self) -> bool:
        if self.kept or not self._lent:
            return True
        return self._lent < self.most and len(self.waiting) > self.patience * self._lent
