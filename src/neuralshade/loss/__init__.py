"""One number per sample, and its gradient."""
