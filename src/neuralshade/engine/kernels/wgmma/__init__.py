"""Networks on Hopper's warpgroup products."""
