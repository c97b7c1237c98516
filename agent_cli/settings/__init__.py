"""Layered settings: schema, files, environment, and where each value comes from."""
