"""Samplers: pixels, pixel lattices, continuous positions, directions."""
