"""`python -m neuralshade`: the command line, where its script is not on the path."""

from neuralshade.cli import main

main()
