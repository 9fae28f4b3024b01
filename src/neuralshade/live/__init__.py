"""A page in the browser that shows fits and assets, and steers them."""
