"""The network where communications run: the one that is stated, that their files name, or a cube.

It must have as many nodes as the communications, or at least as many as there are ranks; where it
has not, the error names the file and the line that ask for more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from lccmodel.communication.entries import Entry
from lccmodel.errors import FileError, NetworkError
from lccmodel.network import BristledHypercube, Hypercube, Network, parse_network

__all__ = ["network_for", "require_cube"]


class Sized(Protocol):
    """What is sent, as far as the choice of a network looks at it: an `Entry` is one."""

    @property
    def name(self) -> str:
        """What messages call it."""

    @property
    def n(self) -> int:
        """Address bits."""

    @property
    def ranks(self) -> int:
        """Number of ranks."""

    @property
    def network(self) -> str:
        """The network that its file names, or ""."""

    @property
    def network_line(self) -> int:
        """Where it does."""

    @property
    def path(self) -> str:
        """Its file."""

    @property
    def starts_at_one(self) -> bool:
        """Whether rank 0 does nothing."""


def network_for(
    communications: Sequence[Sized],
    word: str | None = None,
    *,
    exact: bool = True,
) -> Network:
    """The network where communications run.

    Args:
        communications: at least one.
        word: such as "cube:8"; "cube" or "origin" alone takes its size from the communications.
            Left out, it is the network that their files name, else the hypercube.
        exact: whether it must have 2^n nodes, as the communications have; else at least as many
            as there are ranks.

    Raises:
        NetworkError: another word, another size, or files that name different networks.
        FileError: what a file names is not a network, or has another size; or the file, with its
            line, names a rank that the network of the word does not have.
    """
    n = max(one.n for one in communications)
    if word is not None:
        network = _sized(word, n)
        fault = _misfit(network, communications, exact)
        if fault:
            raise _refused(network, communications, exact, word)
        return network
    named = [one for one in communications if one.network]
    if not named:
        return parse_network(f"cube:{n}")
    networks = [_named_network(one, communications, exact) for one in named]
    for one, network in zip(named, networks, strict=True):
        if network != networks[0]:
            rule = f"must be stated: {named[0].path} names {named[0].network}, {one.path} another"
            raise NetworkError("network", rule, one.network)
    return networks[0]


def _misfit(network: Network, communications: Sequence[Sized], exact: bool) -> str:
    """What is wrong with the size of a network, or ""."""
    largest = max(communications, key=lambda one: one.ranks)
    if network.size == largest.ranks or (not exact and network.size > largest.ranks):
        return ""
    if exact:
        return f"must have 2^{largest.n} nodes, as {largest.name!r} has"
    rule = f"must have at least {largest.ranks} nodes, for the ranks of {largest.name!r}"
    if largest.ranks == network.size + 1 and largest.starts_at_one:
        rule += f"; ranks 1..{network.size} look numbered from one: subtract 1 from each"
    return rule


def _refused(
    network: Network, communications: Sequence[Sized], exact: bool, word: str
) -> NetworkError | FileError:
    """The error of a network that is too small, with the file and line that ask for more."""
    size = network.size
    for one in communications:
        found = one.first_beyond(size) if isinstance(one, Entry) and one.path else None
        if found is not None:
            rank, line = found
            fault = _misfit(network, [one], exact)
            rule = f"a rank must be in 0..{size - 1} on {network.spec}; the network {fault}"
            return FileError(one.path, line, rule, rank)
    fault = _misfit(network, communications, exact)
    largest = max(communications, key=lambda one: one.ranks)
    if largest.ranks > size and isinstance(largest, Entry) and largest.path:
        return FileError(largest.path, largest.line, f"the network {fault}", word)
    return NetworkError("network", fault, word)


def _sized(word: str, n: int) -> Network:
    kind = word.strip().lower()
    return parse_network(f"{kind}:{n}" if kind in ("cube", "origin") else word)


def _named_network(
    one: Sized,
    communications: Sequence[Sized],
    exact: bool,
) -> Network:
    try:
        network = _sized(one.network, one.n)
    except NetworkError as error:
        raise FileError(one.path, one.network_line, error.rule, one.network) from None
    fault = _misfit(network, communications, exact)
    if fault:
        raise FileError(one.path, one.network_line, f"the network {fault}", one.network)
    return network


def require_cube(network: Network) -> None:
    """Refuse a network on which no mapping is optimised.

    Raises:
        NetworkError: another network.
    """
    if not isinstance(network, (Hypercube, BristledHypercube)):
        rule = "must be cube:N or origin:N, for which mappings are optimised"
        raise NetworkError("network", rule, network.spec)
