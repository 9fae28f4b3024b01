"""Version of this package; pyproject.toml has it too."""

VERSION = "0.1.0"
