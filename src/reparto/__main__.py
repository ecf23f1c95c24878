"""`python -m reparto` is `reparto`."""

from reparto.cli import main

main()
