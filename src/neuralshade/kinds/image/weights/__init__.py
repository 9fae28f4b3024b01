"""Networks that other programs trained, as pictures: one file a format."""
