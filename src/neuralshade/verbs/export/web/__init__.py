"""Web page of assets: shaders of its views, data, and the page itself."""
