"""Engines: training steps in PyTorch or on the GPU."""
