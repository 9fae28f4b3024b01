"""Where jobs run: local processes or a Ray cluster, and how one job is made there."""
