"""Encodings and a loss as a package of its own has them; tests/fixtures/outside.py installs it."""
