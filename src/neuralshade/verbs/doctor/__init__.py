"""neuralshade doctor: what is there, and the command that brings what is missing."""
