"""Checks for encodings and losses: the Slang half against the Python half.

Ours pass it, and those of other packages should: docs/extending.md has an example.
"""

from neuralshade.testing.encodings import check_encoding
from neuralshade.testing.losses import check_loss

__all__ = ["check_encoding", "check_loss"]
