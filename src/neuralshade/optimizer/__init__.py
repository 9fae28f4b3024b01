"""Optimizers: parameters and gradients in, better parameters out."""
