"""Textures as other programs read them: DDS, KTX2, block compression."""
