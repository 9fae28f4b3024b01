"""Textures on a lit plane that recedes to the horizon, and their mip filters."""
