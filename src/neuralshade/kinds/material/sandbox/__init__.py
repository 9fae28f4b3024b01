"""Sandbox for untrusted MaterialX documents, in a process with few rights."""
