"""An asset as shaders for other engines and for browsers."""
