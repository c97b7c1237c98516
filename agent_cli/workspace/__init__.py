"""The user's files: one path resolver, careful reading and writing, ignore rules, instruction files. No subprocess."""
