"""Models: encodings, networks and their pieces."""
