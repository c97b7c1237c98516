"""Composition root: the only place that knows concrete classes."""
