"""What runs an exported asset here, and compares it with the asset as PyTorch has it."""
