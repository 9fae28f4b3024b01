"""Engines: what an asset is exported to besides languages, one folder each."""
