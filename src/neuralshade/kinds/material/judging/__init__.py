"""Quality of a fit: held-out lights, measures, reports."""
