"""The compiled core: a position that knows its line patterns, and what networks see of it."""
