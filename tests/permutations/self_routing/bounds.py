"""The steps of HL on a mesh, by formula [boppana, Theorem 2]."""

from lccmodel.network import Mesh


def all_port_steps(network: Mesh) -> int:
    """Σ (2^(n_a) - 1) over the axes: every bit takes its distance."""
    return sum(length - 1 for length in network.shape)


def one_port_steps(network: Mesh) -> int:
    """Σ (2 (2^(n_a) - 1) - n_a): 2h - 1 for every bit, where every node moves every bit."""
    return sum(2 * (length - 1) - (length.bit_length() - 1) for length in network.shape)
