"""Plain JSON data for pages and programs, without NaN or infinity."""

import math
from collections.abc import Mapping
from typing import Any


def finite(value: Any) -> Any:
    """Return plain JSON data, with None in place of numbers that JSON lacks."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    return value
