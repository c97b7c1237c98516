"""One file per wire API, with the scripted and fault-injecting fakes beside the real ones."""
