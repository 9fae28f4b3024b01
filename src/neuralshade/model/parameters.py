"""Trained numbers in the form that shaders read. Device half: parameters.slang."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neuralshade.base.deprecated import renamed_names
from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError

__getattr__ = renamed_names(__name__, {"SlangHalf": "SlangType"})  # of other packages' encodings
LARGEST_COUNT = 2**32 - 2  # shaders index by 32 bits, and read numbers in pairs


@dataclass(frozen=True)
class SlangType:
    """Name of a type in Slang, the modules to import for it, and declarations that it needs.

    ``uniforms``: values of uniforms among the declarations, by name.
    """

    type: str  # in Slang's syntax: "Frequency<6>"
    modules: frozenset[str]  # imports: {"neuralshade.model.frequency"}
    declarations: str = ""  # structs that the type needs, placed before it
    uniforms: Mapping[str, NDArray[Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Table:
    """Location of one grid level among the trained numbers of an encoding."""

    first: int  # index of its first number in device order
    entries: int  # texels, or vertices of a hash table
    features: int  # numbers per entry, which lie together
    bits: int  # per number in the asset: 4, 8, 16 or 32; 1 to 16 where ``unit``
    unit: bool = False  # numbers are in [0, 1] and stored in 2^bits - 1 even steps: latents
    padding: int = 0  # numbers behind each entry's, which fill it up on the device and stay 0

    @property
    def stride(self) -> int:
        """Return the numbers from one entry to the next."""
        return self.features + self.padding

    @property
    def end(self) -> int:
        """Return the index behind its last number, padding included."""
        return self.first + self.entries * self.stride


def registered_name(place: str, kind: str, known: Iterable[str]) -> str:
    """Return the Slang name of ``kind``: leaky_relu is LeakyRelu.

    Raises: ConfigError, naming ``place``, for a kind that is not among ``known``.
    """
    kinds = list(known)
    if kind not in kinds:
        raise ConfigError(f"{place}: got {shown(kind)}, need one of {kinds}."
                          f"{did_you_mean(kind, kinds)}")  # fmt: skip
    return kind.title().replace("_", "")


def check_count(place: str, count: int) -> None:
    """Raise ConfigError, naming ``place``, if so many trained numbers exceed an index."""
    if count > LARGEST_COUNT:
        raise ConfigError(f"{place}.slang: got {count} trained numbers, need at most "
                          f"{LARGEST_COUNT}. Make the grids smaller.")  # fmt: skip


def pack_halves(values: NDArray[Any]) -> NDArray[Any]:
    """Return the words of ``PackedParameters``: uint32, two float16 each, the first one low.

    Args:
        values: float [N], flattened where it is not; an odd N is filled up by a zero.

    Returns:
        uint32 [(N + 1) // 2].
    """
    halves = np.zeros(values.size + values.size % 2, np.float16)
    halves[: values.size] = values.reshape(-1)
    return halves.view("<u4").astype(np.uint32)
