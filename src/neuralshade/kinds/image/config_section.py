"""Configuration section: one JSON object whose keys are taken one by one, the rest refused."""

import logging
import sys
from typing import Any

from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import named, shown
from neuralshade.errors import ConfigError

log = logging.getLogger("neuralshade")
Names = dict[str, str]

LARGEST = {int: 2.0**63, float: sys.float_info.max}  # above every setting's limit
BOUNDED = {int: "int below 2^63", float: "finite float"}


class Section:
    """One JSON object whose keys are taken one by one; ``finish`` refuses the others."""

    def __init__(self, place: str, values: Any):
        if not isinstance(values, dict):
            raise ConfigError(f"{place}: got {type(values).__name__}, need a JSON object. "
                              'Write {"otype": ...}.')  # fmt: skip
        self.place, self.left, self.known = place, dict(values), set[str]()
        self.others: frozenset[str] = getattr(values, "others", frozenset())  # of a parent

    def has(self, key: str) -> bool:
        self.known.add(key)
        return key in self.left

    def take(self, key: str, default: Any) -> Any:
        self.known.add(key)
        return self.left.pop(key, default)

    def number(self, key: str, default: float, kind: type = int) -> Any:
        value = self.take(key, default)
        allowed = (int,) if kind is int else (int, float)
        # NaN and infinity, which JSON as Python reads it may hold, fail the comparison
        if type(value) not in allowed or not abs(value) <= LARGEST[kind]:
            need = BOUNDED[kind] if type(value) in allowed else kind.__name__
            raise ConfigError(f"{self.place}.{key}: got {shown(value)}, need {need}. "
                              f"tiny-cuda-nn's default is {default}.")  # fmt: skip
        return value

    def choice(self, key: str, names: Names, default: str) -> str:
        """Return our name for a value of ``names``, compared without case as theirs are."""
        found = self.take(key, default)
        ours = {theirs.lower(): name for theirs, name in names.items()}
        if not isinstance(found, str) or found.lower() not in ours:
            raise ConfigError(f"{self.place}.{key}: got {shown(found)}, need one of {list(names)}."
                              f"{did_you_mean(str(found), names)}")  # fmt: skip
        return ours[found.lower()]

    def only(self, key: str, value: Any, remedy: str = "Leave it out.") -> None:
        """Refuse the key unless it is absent or has the value that we use anyway."""
        found = self.take(key, value)
        if found != value:
            raise ConfigError(f"{self.place}.{key}: got {shown(found)}, need {value!r}: nothing "
                              f"else is supported here. {remedy}")  # fmt: skip

    def ignore(self, key: str, reason: str) -> None:
        """Log that the key has no effect, where it is present."""
        found = self.take(key, False)
        if found is not False:
            log.warning("%s.%s: got %s, which is passed over: %s.", self.place, key, shown(found),
                        reason)  # fmt: skip

    def finish(self) -> None:
        """Refuse the keys that are left, except those inherited under another otype."""
        others = [key for key in self.left if key in self.others]
        if others:
            log.warning("%s: passed over %s of its parent, which has another otype.", self.place,
                        shown(others))  # fmt: skip
        for key in (key for key in self.left if key not in self.others):
            raise ConfigError(f"{self.place}.{named(key)}: unknown or unsupported key, need one of "
                              f"{sorted(self.known)}.{did_you_mean(key, self.known)}")  # fmt: skip
