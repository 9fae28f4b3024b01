"""neuralshade doctor: installed parts, and commands that install the rest."""
