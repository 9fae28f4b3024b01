"""Parameters and their gradients in, better parameters out."""
