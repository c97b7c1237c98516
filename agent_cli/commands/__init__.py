"""Slash commands as data: name, help, run."""
