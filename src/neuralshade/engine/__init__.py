"""Who runs the steps of a fit."""
