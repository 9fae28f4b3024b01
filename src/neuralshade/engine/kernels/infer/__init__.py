"""Inference kernels: networks evaluated at any position."""
