"""Target instructions without a name in Slang: Slang modules, with no Python half."""
