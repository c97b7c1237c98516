"""The headless front end: one prompt in, the answer out."""
