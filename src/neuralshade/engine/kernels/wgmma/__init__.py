"""Warpgroup-product kernels for networks, on Hopper."""
