"""One-line repr for large objects."""

from typing import Any


class ShortRepr:
    """Base class with a repr <Name: ``brief()``>, also for derived dataclasses."""

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        # set on the class itself: ``dataclass`` keeps it there, but replaces an inherited one
        if "__repr__" not in vars(cls):
            cls.__repr__ = ShortRepr.__repr__  # type: ignore[method-assign]

    def brief(self) -> str:
        """Return a few words that identify it."""
        raise AssertionError(f"{type(self).__name__} has no brief")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.brief()}>"
