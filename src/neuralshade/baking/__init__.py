"""Many fits at once: of a manifest, a folder or a glTF model, over processes or a cluster."""
