"""A part of a picture."""

Crop = tuple[float, float, float, float]  # u0, v0, u1, v1: u to the right, v down
WHOLE: Crop = (0.0, 0.0, 1.0, 1.0)
