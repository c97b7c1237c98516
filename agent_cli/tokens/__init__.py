"""Counting tokens, prices and windows."""
