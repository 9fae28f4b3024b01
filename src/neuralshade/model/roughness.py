"""Smallest width of the microfacet distribution, readable without PyTorch. Device half: none."""

SMALLEST_ALPHA = 1e-3  # a fifth of the sun's radius, in radians
