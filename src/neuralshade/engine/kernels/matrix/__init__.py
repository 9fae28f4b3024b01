"""Networks on matrix units, by cooperative matrices or mma.sync."""
