"""The name that was probably meant."""

import difflib
from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ' Did you mean X?' for the nearest known name, or nothing.

    A name that differs in letter case alone is nearest of all.
    """
    names = list(known)
    near = [other for other in names if other.casefold() == name.casefold()]
    near = near or difflib.get_close_matches(name, names, n=1)
    return f" Did you mean {near[0]}?" if near else ""
