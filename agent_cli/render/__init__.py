"""Events as rich renderables; pure."""
