"""Values of members, as they are typed."""

from collections.abc import Sequence

from neuralshade.errors import ConfigError


def parse_values(pairs: Sequence[str]) -> dict[str, str]:
    """Return NAME=VALUE by name; ConfigError where one has no =, or a name comes twice."""
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
