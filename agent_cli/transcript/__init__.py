"""The append-only JSONL of a session, its lock and its reader."""
