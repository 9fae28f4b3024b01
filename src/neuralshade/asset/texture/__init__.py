"""Textures for other programs: DDS, KTX2, block compression."""
