"""Babylon.js: an ES module for WebGPU and WebGL."""
