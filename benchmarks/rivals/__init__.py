"""What others would use in place of a fitted material, trained on the same samples."""
