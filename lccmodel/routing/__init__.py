"""Routing functions: which channels a header may take next, and whether messages can deadlock."""
