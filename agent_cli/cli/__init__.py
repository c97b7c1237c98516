"""The Typer entry point and its subcommands."""
