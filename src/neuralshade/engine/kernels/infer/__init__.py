"""Networks evaluated at any position."""
