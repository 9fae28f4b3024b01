"""glTF models: jobs of their materials' textures, and the model with what was fitted."""
