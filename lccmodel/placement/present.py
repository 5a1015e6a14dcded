"""The nodes on which the ranks of a running program are, from what its launcher reports.

Hosts are matched with the nodes of a network by name if it has names, full or short; else by
position, in the order of a list of hosts, or of the ranks that name them first. The ranks of a
host take its slots in their order:

    ranks on n2, n1, n1; network n1 (nodes 0, 1), n2 (nodes 2, 3)     nodes 2, 0, 1
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from lccmodel.errors import FileError, InputError, checked_array
from lccmodel.ground.arrays import Ints
from lccmodel.network import Network
from lccmodel.reading.found import Found
from lccmodel.reading.hostfiles import Hosts, added_up
from lccmodel.reading.placements import needs_hosts, with_hosts
from lccmodel.reading.recognise import read


def present_nodes(
    now: Any, network: Network, ranks: int, hosts: Hosts | None = None
) -> tuple[Ints, tuple[str, ...]]:
    """Return the node of every rank of a running program, int64 of shape (ranks,), and notes.

    Args:
        now: nodes, one for each rank; or a file of any format with a placement (a rankfile,
            --report-bindings, a labelled `hostname`, NCCL's log, ...), or what was read of one.
        network: where the program runs.
        ranks: the number of ranks of the program.
        hosts: hosts with their slots, in the order of the nodes of a network without names; and
            those that a file counts by position, such as MPICH_RANK_ORDER.

    Raises:
        FileError: the file cannot be read or holds no placement; it names fewer ranks than the
            program has, hosts that the network does not have, or more ranks of a host than slots.
        InputError: not a different node for each rank, or hosts that are required.

    >>> from lccmodel.network import Allocation, Mesh
    >>> line = Allocation(Mesh((2,)), [0, 1], ["n1", "n2"])
    >>> present_nodes(Found("placement", "list", ("n2", "n1")), line, 2)[0].tolist()
    [1, 0]
    """
    if isinstance(now, (str, os.PathLike)):
        now = read(now, "placement")
    if not isinstance(now, Found):
        return _checked_nodes(now, network, ranks), ()
    if needs_hosts(now):
        listed = hosts or network.host_slots
        if not listed:
            rule = f"is required for {now.format}, which counts hosts by position"
            raise InputError("hosts", rule, None)
        now = with_hosts(now, listed)
    names: tuple[str, ...] = now.value
    if len(names) < ranks:
        rule = f"must name the host of {ranks} ranks, as the program has"
        raise FileError(now.where, 0, rule, f"{len(names)} ranks")
    notes = list(now.notes)
    if len(names) > ranks:
        notes.append(f"of {len(names)} placed ranks, the last {len(names) - ranks} send nothing")
    nodes_of, more = _nodes_of_hosts(now, network, hosts)
    used: dict[str, int] = {}
    nodes = np.empty(ranks, np.int64)
    for rank, name in enumerate(names[:ranks]):
        slot = used.get(name, 0)
        if slot >= len(nodes_of[name]):
            rule = f"must have at most {len(nodes_of[name])} ranks on {name}, as {network.spec} has"
            raise FileError(now.where, 0, rule, f"{names.count(name)} ranks")
        nodes[rank], used[name] = nodes_of[name][slot], slot + 1
    return nodes, (*notes, *more)


def _nodes_of_hosts(
    now: Found, network: Network, hosts: Hosts | None
) -> tuple[dict[str, list[int]], list[str]]:
    """Return the nodes of every host that a placement names, and notes."""
    own: dict[str, list[int]] = {}
    if network.names:
        for node, name in enumerate(network.names):
            own.setdefault(name, []).append(node)
        return _by_name(now, own, network)
    counts = added_up(tuple((name, 1) for name in now.value))
    if hosts is None:
        per_node = network.per_node
        listed = tuple((name, per_node if per_node > 1 else slots) for name, slots in counts)
        note = f"{network.spec} has no names: hosts are taken in the order in which ranks name them"
    else:
        listed = added_up(hosts)
        note = f"{network.spec} has no names: hosts are taken by position, slot after slot"
    first = 0
    for name, slots in listed:
        own[name] = list(range(first, min(first + slots, network.size)))
        first += slots
    for name, _ in counts:
        if name not in own:
            raise FileError(now.where, 0, "must name hosts of the list of hosts", name)
        if not own[name]:
            rule = f"must name hosts with {network.size} slots together, as {network.spec} has"
            raise FileError(now.where, 0, rule, f"{first} slots")
    return own, [note]


def _by_name(
    now: Found, own: dict[str, list[int]], network: Network
) -> tuple[dict[str, list[int]], list[str]]:
    """Return the nodes by names as the placement has them; short names match if that is unique."""
    short: dict[str, list[str]] = {}
    for name in own:
        short.setdefault(name.partition(".")[0], []).append(name)
    nodes_of: dict[str, list[int]] = {}
    taken: dict[str, str] = {}
    notes: list[str] = []
    for name in dict.fromkeys(now.value):
        alike = [name] if name in own else short.get(name.partition(".")[0], [])
        fits = [other for other in alike if other == name or "." not in name or "." not in other]
        if len(fits) != 1:
            rule = f"must name hosts of {network.spec}, such as {next(iter(own))}"
            raise FileError(now.where, 0, rule, name)
        if taken.setdefault(fits[0], name) != name:
            raise FileError(now.where, 0, f"must name {fits[0]} in one way", name)
        if fits[0] != name and not notes:
            notes.append(f"short and full names are matched, such as {name!r} for {fits[0]!r}")
        nodes_of[name] = own[fits[0]]
    return nodes_of, notes


def _checked_nodes(now: Any, network: Network, ranks: int) -> Ints:
    rule = f"must be {ranks} different nodes in 0..{network.size - 1}, one for each rank"
    nodes = checked_array("now", now, rule)
    if nodes.shape != (ranks,) or len(np.unique(nodes)) != ranks:
        raise InputError("now", rule, now)
    if ranks and not 0 <= int(nodes.min()) <= int(nodes.max()) < network.size:
        raise InputError("now", rule, now)
    return nodes


def moved_ranks(network: Network, before: Ints, after: Ints) -> int:
    """Return how many ranks change their host: another slot of the same one is no move.

    >>> from lccmodel.network import as_network
    >>> import numpy as np
    >>> moved_ranks(as_network("mesh:2*2"), np.array([0, 1, 2]), np.array([1, 0, 3]))
    0
    """
    if network.names:
        names = network.names
        pairs = zip(before.tolist(), after.tolist(), strict=True)
        return sum(names[old] != names[new] for old, new in pairs)
    return int((network.at_router(before) != network.at_router(after)).sum())
