"""A process of its own, with few rights, for what a stranger wrote."""
