"""three.js: ES modules for WebGPURenderer and WebGLRenderer."""
