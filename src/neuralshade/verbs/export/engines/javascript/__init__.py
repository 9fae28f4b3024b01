"""ES modules: what the engines of the web share."""
