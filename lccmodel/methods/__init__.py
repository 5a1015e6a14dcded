"""Mapping, routing and exchanging a communication: each a path of the lattice."""
