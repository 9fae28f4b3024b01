"""Files of numbers that other programs trained."""
