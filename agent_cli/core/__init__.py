"""The nouns that every layer exchanges: messages, entries, events, errors and ports. No I/O."""
