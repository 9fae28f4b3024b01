"""Sample inputs for each kind of fit: files of the package, and computed ones."""
