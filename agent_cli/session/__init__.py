"""A conversation's life: open, resume, fork."""
