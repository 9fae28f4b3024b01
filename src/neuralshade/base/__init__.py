"""Small helpers that know nothing of fits."""
