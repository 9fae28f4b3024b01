"""The search of codes after training, on the GPU."""
