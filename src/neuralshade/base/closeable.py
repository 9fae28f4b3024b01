"""Base class of context managers that hold a device or a file open."""

from abc import ABC, abstractmethod
from typing import TypeVar

C = TypeVar("C", bound="Closeable")


class Closeable(ABC):
    """Context manager that closes itself at the end of the block."""

    @abstractmethod
    def close(self) -> None:
        """Release the device; no other method may be called afterwards."""

    def __enter__(self: C) -> C:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
