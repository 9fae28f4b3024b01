"""What every fit does, whatever is fitted."""
