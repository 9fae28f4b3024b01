"""Texture comparison on a lit plane that recedes to the horizon, and mip filters."""
