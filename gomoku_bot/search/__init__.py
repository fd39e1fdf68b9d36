"""Searches: one interface, one file each."""
