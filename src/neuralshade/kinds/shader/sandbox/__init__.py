"""Sandboxed tasks: a stranger's module compiled and drawn in a process with few rights."""
