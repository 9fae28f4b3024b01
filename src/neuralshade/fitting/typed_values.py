"""Values of --set: NAME=VALUE pairs as typed, parsed."""

from collections.abc import Sequence
from contextlib import suppress

from neuralshade.errors import ConfigError


def parse_values(pairs: Sequence[str]) -> dict[str, str]:
    """Return the values by name; ConfigError for a pair without =, or a repeated name."""
    values: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise ConfigError(f"set: got {pair!r}, need NAME=VALUE. Write for example "
                              "strength=0.5.")  # fmt: skip
        if name in values:
            raise ConfigError(f"set: got {name} twice, need it once. Leave one out.")
        values[name] = value
    return values


def plain_value(name: str, text: str) -> str | bool | float | list[float]:
    """Return a typed value as numbers, or as the size of a texture: never as a file's path.

    Raises: ConfigError otherwise.
    """
    if name.endswith(".size"):
        return text  # sizes stay text
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    with suppress(ValueError):
        numbers = [_number(part) for part in text.split(",")]
        return numbers[0] if len(numbers) == 1 else numbers
    raise ConfigError(
        f"set: got {name}={text!r}, need a number, or numbers with commas between. "
        f"Write for example {name}=0.5; send a picture beside the task."
    )


def _number(text: str) -> float:
    """Return a number; an int where it has no point. Raises ValueError."""
    try:
        return int(text)
    except ValueError:
        return float(text)
