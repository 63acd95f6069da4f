"""python -m secateur: the same as the command."""

from secateur.cli import main

main()
