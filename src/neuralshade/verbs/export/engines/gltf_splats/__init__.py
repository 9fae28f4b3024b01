"""glTF and PLY of Gaussian splats."""
