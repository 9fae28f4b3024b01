"""Trained numbers out: one safetensors file, whole, checked, never unpickled."""
