"""Permission modes and rules: allow, ask or deny."""
