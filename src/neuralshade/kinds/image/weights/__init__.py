"""Importers of networks that other programs trained: one file a format."""
