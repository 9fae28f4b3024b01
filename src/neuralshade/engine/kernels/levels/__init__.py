"""Grids in kernels of their own, level by level in group-shared memory."""
