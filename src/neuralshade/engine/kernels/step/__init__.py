"""Kernels of a training step besides the network's products."""
