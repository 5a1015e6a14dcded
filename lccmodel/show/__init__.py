"""Tables and drawings of what the library answers."""
