"""Godot: a shader, and a material that holds its numbers."""
