"""Sandbox: a separate process with few rights, for untrusted code."""
