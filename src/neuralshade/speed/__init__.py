"""Speed of this machine (`neuralshade bench`)."""
