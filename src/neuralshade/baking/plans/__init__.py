"""What a bake will do: manifests, folders and settings checked, and what is there already."""
