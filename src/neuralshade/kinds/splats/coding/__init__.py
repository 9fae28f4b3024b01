"""Entropy coding of Gaussians' levels into a stream of bytes."""
