"""Live page: a browser page that shows and controls fits and assets."""
