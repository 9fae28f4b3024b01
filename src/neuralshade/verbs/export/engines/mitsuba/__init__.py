"""Mitsuba 3: a Python module that registers a texture or a BSDF."""
