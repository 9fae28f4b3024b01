"""Scenes of meshes with fitted materials, path traced."""
