"""Instructions of targets that Slang has no name for: Slang modules, with no Python half."""
