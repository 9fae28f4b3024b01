"""Where a batch asks: pixels, lattices of pixels, continuous positions."""
