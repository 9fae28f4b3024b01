"""Assets: trained numbers in one checked safetensors file, never unpickled."""
