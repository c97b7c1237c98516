"""One turn: loop, step, dispatch, gate, limits, stop."""
