"""Command line of neuralshade."""
