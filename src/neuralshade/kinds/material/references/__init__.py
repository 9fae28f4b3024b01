"""Reference materials: MaterialX documents, stacks of layers, Slang modules, texture sets."""
