"""A page in the browser that shows a fit or an asset, and steers it (docs/live.md)."""
