"""What is fitted: MaterialX documents, stacks of layers, Slang modules, texture sets."""
