"""Gaussians' levels as a stream of bytes."""
