"""Quality metrics, baselines at equal bytes, and report pages."""
