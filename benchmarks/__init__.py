"""Measurements: python -m benchmarks.full runs them all."""
