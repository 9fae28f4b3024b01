"""Public functions of the package, one file each; the command line calls them."""
