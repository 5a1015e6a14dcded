"""Compiled kernels: how they are declared, kept on disk with a checksum, and run in threads."""
