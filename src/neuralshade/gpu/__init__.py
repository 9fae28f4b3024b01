"""Stage 0: open a device, say what it can do, draw random numbers; knows nothing of textures."""
