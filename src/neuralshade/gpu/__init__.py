"""GPUs: devices and their features, kernels, random numbers; no knowledge of textures."""
