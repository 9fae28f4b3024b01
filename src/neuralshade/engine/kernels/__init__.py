"""Kernels of the network trainer, by family."""
