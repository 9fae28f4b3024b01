"""Assets as functions in the shading languages of renderers, engines and browsers."""
