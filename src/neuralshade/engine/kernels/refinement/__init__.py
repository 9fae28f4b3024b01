"""Refinement of codes after training, on the GPU."""
