"""Port numbers of the live page."""

from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError


def check_port(port: object) -> None:
    """Raise ConfigError for an invalid port; 0 is any free one."""
    if type(port) is not int or not 0 <= port <= 65535:
        raise ConfigError(f"live.port: got {shown(port)}, need 0 to 65535. Leave it out.")
