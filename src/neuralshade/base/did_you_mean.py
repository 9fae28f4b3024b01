"""Nearest known name, for error messages."""

import difflib
from collections.abc import Iterable

# names in other tools; used where the name on the right is among the known ones
ELSEWHERE = {
    "bf16": "bfloat16",
    "dx12": "d3d12",
    "fp16": "float16",
    "fp32": "float32",
    "gelu": "hard_gelu",
    "half": "float16",
    "identity": "none",
    "linear": "none",
    "mae": "l1",
    "mse": "l2",
    "swish": "silu",
    "vk": "vulkan",
}
LEAST_LIKE, SHORT_LIKE = 0.6, 0.5  # difflib's ratio; lower for names of 3 or 4 letters


def one_apart(name: str, other: str) -> bool:
    """Return whether one letter is wrong, too many or missing, or two neighbors are swapped."""
    if len(name) > len(other):
        name, other = other, name
    if name == other or len(other) - len(name) > 1:
        return False
    at = next((i for i, (a, b) in enumerate(zip(name, other, strict=False)) if a != b), len(name))
    if len(name) < len(other):
        return name[at:] == other[at + 1 :]
    rest, theirs = name[at:], other[at:]
    swapped = len(rest) > 1 and (rest[1], rest[0], *rest[2:]) == tuple(theirs)
    return rest[1:] == theirs[1:] or swapped


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return ' Did you mean X?' for the nearest known name; empty for none, or where it is no text.

    A name that differs only in letter case is nearest, then one that other tools use.
    """
    if not isinstance(name, str):
        return ""
    names = list(known)
    usual = ELSEWHERE.get(name.casefold())
    likeness = SHORT_LIKE if len(name) in (3, 4) else LEAST_LIKE
    near = [other for other in names if other.casefold() == name.casefold()]
    near = near or [other for other in names if other == usual]
    near = near or difflib.get_close_matches(name, names, n=1, cutoff=likeness)
    return f" Did you mean {near[0]}?" if near else ""
