"""The version of this package, for files and pages that name it; pyproject.toml has it too."""

VERSION = "0.1.0"
