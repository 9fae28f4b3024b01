"""GPU timing of a material and its network."""
