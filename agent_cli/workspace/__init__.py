"""The user's files and git: paths, reading, atomic writing, ignore rules, instruction files."""
