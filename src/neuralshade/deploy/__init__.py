"""What ships with an asset or shows it: shaders for other engines, the live page."""
