"""A terminal coding agent whose session never ends."""

__version__ = "0.1.0"
