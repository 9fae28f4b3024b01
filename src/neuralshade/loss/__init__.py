"""Losses: one number per sample, and its gradient."""
