"""The context engine: ledger → request. Pure functions of messages, plus one Provider port for summaries."""
