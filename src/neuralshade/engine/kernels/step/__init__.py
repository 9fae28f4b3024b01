"""What every training step does besides the network's products."""
