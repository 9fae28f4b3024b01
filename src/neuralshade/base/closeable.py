"""Base class of context managers that hold a device or a file open."""

from abc import ABC, abstractmethod
from typing import TypeVar

C = TypeVar("C", bound="Closeable")


class Closeable(ABC):
    """Closes itself at the end of a with block."""

    @abstractmethod
    def close(self) -> None:
        """Give the device back; nothing else may be asked afterwards."""

    def __enter__(self: C) -> C:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
