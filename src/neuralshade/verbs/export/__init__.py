"""Export (`neuralshade export`): an asset as functions in shading languages."""
