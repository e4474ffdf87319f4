"""Setting the project up on a machine that has Python and make, and nothing else: see `scripts.bootstrap`."""
