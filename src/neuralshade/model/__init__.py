"""What is trained: encodings, networks and their pieces, each idea one stem."""
