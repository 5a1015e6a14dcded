"""What MPI libraries and NCCL call our algorithms, and which plans are theirs.

    ompi     the tuned component of Open MPI: numbers, the same in versions 4, 5 and 6
    mpich    functions of MPICH 4 and 5
    nccl     names of the tuner; rings and trees along the network, as NCCL lays them out

Only algorithms whose plan is ours are listed: messages of Open MPI 5 were counted, pair by pair
(tests/mpi/test_rules.py). Its trees are numbered otherwise than ours, so they have their own
parents here; its split binary tree and Rabenseifner's reduction send other messages and are left
out. Libraries of MPI know ranks alone: their rings go by rank, whatever the network.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from lccmodel.collectives import trees
from lccmodel.collectives.algorithms import Algorithm, Site
from lccmodel.collectives.collective import algorithm, algorithms_of
from lccmodel.collectives.steps import CollectiveName
from lccmodel.errors import InputError
from lccmodel.ground.arrays import Ints
from lccmodel.ground.words import LIBRARIES as LIBRARIES
from lccmodel.ground.words import Library as Library
from lccmodel.ground.words import checked_word, word_rule

_Words = Mapping[CollectiveName, Mapping[str, str]]

NUMBERS: _Words = MappingProxyType(
    {
        "allreduce": {"recursive-doubling": "3", "ring": "4", "rabenseifner": "6"},
        "broadcast": {
            "chain": "3",
            "binary": "5",
            "binomial": "6",
            "scatter-allgather": "8",
            "scatter-ring": "9",
        },
        "allgather": {
            "bruck": "2",
            "recursive-doubling": "3",
            "ring": "4",
            "neighbour-exchange": "5",
        },
        "reduce-scatter": {"recursive-halving": "2", "ring": "3"},
        "alltoall": {"linear": "1", "pairwise": "2", "bruck": "3"},
        "reduce": {"chain": "3", "binary": "4", "binomial": "5"},
        "barrier": {"dissemination": "4"},
    }
)
"""Open MPI: values of coll_tuned_<collective>_algorithm."""

FUNCTIONS: _Words = MappingProxyType(
    {
        "allreduce": {
            "recursive-doubling": "Allreduce_intra_recursive_doubling",
            "rabenseifner": "Allreduce_intra_reduce_scatter_allgather",
            "ring": "Allreduce_intra_ring",
        },
        "broadcast": {
            "binomial": "Bcast_intra_binomial",
            "scatter-allgather": "Bcast_intra_scatter_recursive_doubling_allgather",
            "scatter-ring": "Bcast_intra_scatter_ring_allgather",
            "chain": "Bcast_intra_pipelined_tree",
            "binary": "Bcast_intra_pipelined_tree",
        },
        "allgather": {
            "bruck": "Allgather_intra_brucks",
            "recursive-doubling": "Allgather_intra_recursive_doubling",
            "ring": "Allgather_intra_ring",
        },
        "reduce-scatter": {
            "recursive-halving": "Reduce_scatter_intra_recursive_halving",
            "pairwise": "Reduce_scatter_intra_pairwise",
        },
        "alltoall": {
            "linear": "Alltoall_intra_scattered",
            "pairwise": "Alltoall_intra_pairwise",
            "bruck": "Alltoall_intra_brucks",
        },
        "reduce": {
            "binomial": "Reduce_intra_binomial",
            "rabenseifner": "Reduce_intra_reduce_scatter_gather",
        },
        "barrier": {"dissemination": "Barrier_intra_k_dissemination"},
    }
)
"""MPICH: functions, MPIR_ left out."""

_NAMES: _Words = MappingProxyType(
    {
        "allreduce": {"ring": "ring", "double-tree": "tree"},
        "broadcast": {"chain": "ring"},
        "reduce": {"chain": "ring"},
        "allgather": {"ring": "ring"},
        "reduce-scatter": {"ring": "ring"},
    }
)

_WORDS: Mapping[Library, _Words] = MappingProxyType(
    {"ompi": NUMBERS, "ompi6": NUMBERS, "mpich": FUNCTIONS, "nccl": _NAMES}
)

CUT: Mapping[Library, frozenset[tuple[str, str]]] = MappingProxyType(
    {
        **{
            kind: frozenset(
                (collective, name)
                for collective in ("broadcast", "reduce")
                for name in ("chain", "binary", "binomial")
            )
            for kind in ("ompi", "ompi6")
        },
        "mpich": frozenset({("broadcast", "chain"), ("broadcast", "binary")}),
        "nccl": frozenset(
            (collective, name) for collective in _NAMES for name in _NAMES[collective]
        ),
    }
)
"""What a library cuts into segments; all else it sends whole."""


def words_of(kind: Library, collective: str) -> Mapping[str, str]:
    """{our name: theirs} of a library.

    Raises:
        InputError: no such collective, or none that the library lets one choose.

    >>> words_of("nccl", "allreduce")
    {'ring': 'ring', 'double-tree': 'tree'}
    """
    algorithms_of(collective)  # a name that there is not is said first
    words = _WORDS[kind].get(collective)  # type: ignore[call-overload]  # of any collective
    if words is None:
        rule = word_rule(collective, _WORDS[kind], f" for {kind}")
        raise InputError("collective", rule, collective)
    numbers: Mapping[str, str] = words
    return numbers


def theirs(kind: Library, collective: str, name: str) -> Algorithm:
    """The algorithm as the library runs it.

    Raises:
        InputError: the library does not have it, or has another plan for it.
    """
    words = words_of(kind, collective)
    checked_word("algorithm", name, words, f" for {kind}")
    ours = algorithm(collective, name)
    if kind == "nccl":
        return ours
    build, covers, needs = ours.build, ours.covers, ours.needs
    tree = collective in ("broadcast", "reduce") and name in ("chain", "binary", "binomial")
    parents = _PARENTS.get((collective, name)) if kind.startswith("ompi") else None
    if parents is not None:
        way = trees.down if collective == "broadcast" else trees.up
        build = lambda site: way(parents(site.ranks), at_once=site.ports == "all")  # noqa: E731 - in place of `ours.build`
    if kind.startswith("ompi") and (collective, name) == ("allreduce", "rabenseifner"):
        # Open MPI folds ranks in halves of the vector where p is not a power of two
        covers, needs = lambda site: site.ranks & (site.ranks - 1) == 0, "p a power of two"
    return replace(
        ours,
        needs=needs,
        build=lambda site: build(_row(site, tree=tree)),
        covers=lambda site: covers(_row(site, tree=tree)),
    )


def _row(site: Site, *, tree: bool) -> Site:
    """Ranks by their numbers alone, in one plan at a time; a tree sends on all ports it has."""
    return Site(site.ranks, (site.ranks,), ports=site.ports if tree else "one", root=site.root)


def _binary(ranks: int) -> Ints:
    """Rank i of a level hangs on rank i mod s of the one above, which has s.

    >>> _binary(11).tolist()
    [0, 0, 0, 1, 2, 1, 2, 3, 4, 5, 6]
    """
    r = np.arange(ranks)
    above = 2 ** np.maximum(np.floor(np.log2(r + 1)).astype(np.int64) - 1, 0)
    parents: Ints = np.where(r > 0, above - 1 + (r - 2 * above + 1) % above, 0)
    return parents


def _binomial(ranks: int) -> Ints:
    """r without its highest set bit.

    >>> _binomial(11).tolist()
    [0, 0, 0, 1, 0, 1, 2, 3, 0, 1, 2]
    """
    return np.array([r - (1 << r.bit_length() - 1) if r else 0 for r in range(ranks)], np.int64)


_PARENTS: Mapping[tuple[str, str], Callable[[int], Ints]] = {
    ("broadcast", "binary"): _binary,
    ("broadcast", "binomial"): _binomial,
    ("reduce", "binary"): _binary,
}
"""Trees of Open MPI that are not ours; its binomial reduction goes up ours."""
