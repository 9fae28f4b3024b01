"""Faults of a plan, collected: a user mends all of them at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from neuralshade.base.message_text import plural
from neuralshade.errors import ConfigError, NeuralShadeError

SHOWN = 20  # faults that a message lists


class Faults:
    """What is wrong with a bake's source, each with its place."""

    def __init__(self, source: str):
        self.source = source
        self.lines: list[str] = []  # the first ones
        self.count = 0

    def add(self, place: str, fault: object) -> None:
        """Note a fault: ``place`` is where the user wrote it, such as "bake.toml:12"."""
        self.count += 1
        if len(self.lines) < SHOWN:
            self.lines.append(f"{place}: {fault}" if place else str(fault))

    @contextmanager
    def noted(self, place: str) -> Iterator[None]:
        """Note an error of the block in place of raising it."""
        try:
            yield
        except NeuralShadeError as error:
            self.add(place, error)

    def check(self) -> None:
        """Raise ConfigError with all faults, if there are any."""
        if self.count == 1:
            raise ConfigError(self.lines[0])
        if self.count:
            rest = self.count - len(self.lines)
            more = [f"and {rest:,} more"] if rest else []
            lines = "\n".join(f"  {line}" for line in [*self.lines, *more])
            raise ConfigError(f"{self.source}: got {plural(self.count, 'fault')}, need none. "
                              f"Nothing was run.\n{lines}")  # fmt: skip
