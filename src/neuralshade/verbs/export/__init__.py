"""neuralshade export: an asset as functions in the languages of renderers."""
