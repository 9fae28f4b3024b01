"""How well a fit does: lights that no step has seen, measures, reports."""
