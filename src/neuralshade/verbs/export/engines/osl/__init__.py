"""Unreal Engine: an include file for the Custom node, and what to write into it."""
