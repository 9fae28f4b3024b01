"""One-line repr for large objects."""

from typing import Any


class ShortRepr:
    """What is shown as <Name: ``brief()``>, dataclasses that are derived from it too."""

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        # in the class itself: there ``dataclass`` leaves it alone, an inherited one it replaces
        if "__repr__" not in vars(cls):
            cls.__repr__ = ShortRepr.__repr__  # type: ignore[method-assign]

    def brief(self) -> str:
        """Return what tells it from others, in some words."""
        raise AssertionError(f"{type(self).__name__} has no brief")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.brief()}>"
