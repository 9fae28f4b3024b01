"""Checks of an exported asset: run here, and compared with PyTorch."""
