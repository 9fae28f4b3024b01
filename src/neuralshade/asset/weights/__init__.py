"""Readers of weight files of other programs."""
