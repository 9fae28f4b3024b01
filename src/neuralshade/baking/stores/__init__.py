"""Where a bake's inputs come from and its outputs go: folders, URLs, and their locks."""
