"""Matrix-unit kernels for networks, by cooperative matrices or mma.sync."""
