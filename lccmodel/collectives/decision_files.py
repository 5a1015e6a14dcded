"""Decision files: what Open MPI, MPICH and NCCL read to choose an algorithm by size.

    kind     read by                                       what it is
    ompi     Open MPI 4 and 5, coll_tuned_dynamic_rules_filename    numbers in lines
    ompi6    Open MPI 6, the same parameter                JSON
    mpich    MPICH, MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE       JSON, a whole table
    nccl     NCCL's example tuner, NCCL_TUNER_CONFIG_FILE  CSV

Algorithms that the library has are compared, as it runs them (`collectives.libraries`). What it
sends whole has one segment here, too; where it cuts, the bytes of a segment are m / Q at the
lower end of a stretch, stated anew at every factor of two. A threshold is the first whole byte
at which an algorithm is the fastest. The rules are for p ranks and the sizes that were asked:
elsewhere the library goes by its own. MPICH has no word for its own choice, so its file is the
table of the version that is used (`base`), with the rules where they apply. Where nodes have
several ranks, MPICH sends inside nodes first and then between the roots of nodes: their
communicator has rules of its own. An NCCL of which no rule holds has the plugin's one channel.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from lccmodel.collectives.algorithms import AllOrOne
from lccmodel.collectives.choice import envelope_of
from lccmodel.collectives.libraries import CUT, LIBRARIES, Library, theirs, words_of
from lccmodel.collectives.mpich_tables import MpichTable, read_mpich_table
from lccmodel.collectives.ranking import PricedProblem, RankingCache, sizes_of
from lccmodel.collectives.steps import CollectiveName
from lccmodel.errors import InputError
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.words import checked_word
from lccmodel.network import Network
from lccmodel.pipelining.message_cost import Linear

MOST = 2**31 - 1
"""The largest size that MPICH reads."""

_IDS = {
    "allgather": 0,
    "allreduce": 2,
    "alltoall": 3,
    "barrier": 6,
    "broadcast": 7,
    "reduce": 11,
    "reduce-scatter": 12,
}
"""Open MPI's numbers of collectives."""


class SizeRule(NamedTuple):
    """An algorithm for sizes first..last in bytes, in segments of so many bytes; 0: whole.

    >>> SizeRule(0, 1023, "recursive-doubling", 0).algorithm
    'recursive-doubling'
    """

    first: int
    last: int
    algorithm: str
    segment: int


@dataclass(frozen=True)
class RulesFile:
    """A decision file.

    Attributes:
        kind: "ompi", "ompi6", "mpich" or "nccl".
        collective: of which the rules are.
        ranks: p; the rules are for communicators of this size.
        nodes: on which the ranks are.
        rules: sizes that follow one another.
        roots: of MPICH, those for the communicator of the first ranks of all nodes.
        base: of MPICH, the table that holds for everything else.

    >>> RulesFile("ompi", "allreduce", 8, 8, (SizeRule(0, 99, "ring", 0),)).rules[0].last
    99
    """

    kind: Library
    collective: CollectiveName
    ranks: int
    nodes: int
    rules: tuple[SizeRule, ...]
    roots: tuple[SizeRule, ...] = ()
    base: MpichTable | None = None

    @property
    def text(self) -> str:
        """What the library reads."""
        return rules_text([self])


@typed_arguments
def rules_text(files: Sequence[RulesFile]) -> str:
    """Return one decision file for several collectives.

    Args:
        files: of one library, each of another collective.

    Raises:
        InputError: none, two of one collective, or of several libraries.

    >>> from lccmodel.pipelining import Linear
    >>> asked = ("allreduce", "broadcast")
    >>> two = [rules_file("nccl", name, Linear(5, 1), 1, 9, "torus:4") for name in asked]
    >>> [line.split(",")[0] for line in rules_text(two).splitlines()]
    ['# collective_type', 'allreduce', 'broadcast']
    """
    kinds, names = {file.kind for file in files}, [file.collective for file in files]
    if len(kinds) != 1:
        raise InputError("files", "must be at least one, all of one library", sorted(kinds))
    if len(set(names)) < len(names):
        raise InputError("files", "must be of different collectives", names)
    write = {"ompi": _ompi, "ompi6": _ompi6, "mpich": _mpich, "nccl": _nccl}[kinds.pop()]
    return write(files)


@typed_arguments
def rules_file(
    kind: Library,
    collective: CollectiveName,
    machine: Any,
    low: Any,
    high: Any,
    network: Network | str | None = None,
    *,
    ports: AllOrOne | None = None,
    only: Sequence[str] = (),
    hop: Any = 0,
    add: Any = 0,
    inside: Linear | None = None,
    base: str | os.PathLike[str] | MpichTable | None = None,
    **options: Any,
) -> RulesFile:
    """Return the decision file of a library: its fastest algorithm for every size from low to high.

    Args:
        kind: "ompi" (Open MPI 4 and 5), "ompi6" (Open MPI 6), "mpich", or "nccl" (the tuner's
            CSV).
        collective, machine, network, ports, hop, add, inside, options: as for `envelope`.
        low, high: sizes in bytes, low <= high.
        only: names of algorithms that the library has; all that it has if left out.
        base: of MPICH, the tuning file of the version that is used, or its library; see
            `read_mpich_table`.

    Raises:
        InputError: an algorithm or collective that the library does not have, or as for `envelope`.

    >>> from lccmodel.pipelining import Linear
    >>> rules = rules_file("ompi", "allreduce", Linear(5, "1/1000"), 1, 10**6, "torus:4x4")
    >>> [(rule.first, rule.algorithm) for rule in rules.rules]
    [(1, 'recursive-doubling'), (9412, 'rabenseifner')]
    """
    checked_word("kind", kind, LIBRARIES)
    start, end = sizes_of(low, high)
    if kind == "mpich" and end > MOST:
        raise InputError("high", f"must be at most {MOST} for MPICH, which reads no more", str(end))
    if base is not None and kind != "mpich":
        raise InputError("base", "requires mpich", str(base))
    table = base if base is None or isinstance(base, MpichTable) else read_mpich_table(base)
    prices = {"hop": hop, "add": add, "inside": inside}
    problem = PricedProblem.of(
        collective, machine, network, ports, **prices, only=only, also=(), **options
    )
    known = None if table is None else table.functions
    cache = _cache_of(kind, problem, known)
    ends = (Fraction(0),) * 2 if collective == "barrier" else (start, end)
    rules = tuple(_rules(kind, cache, *ends))
    used = len(np.unique(problem.hosts))
    roots: tuple[SizeRule, ...] = ()
    if kind == "mpich" and collective in _BY_ROOTS and 1 < used < problem.ranks:
        roots = tuple(_rules(kind, _cache_of(kind, _of_roots(problem), known), *ends))
    return RulesFile(kind, collective, problem.ranks, used, rules, roots, table)


_BY_ROOTS = ("allreduce", "broadcast", "reduce", "barrier")
"""Where nodes have several ranks, MPICH does these inside nodes and between their roots."""


def _of_roots(problem: PricedProblem) -> PricedProblem:
    """The same, of the first rank of every node."""
    _, first = np.unique(problem.hosts, return_index=True)
    first = np.sort(first)
    root = int(np.flatnonzero(problem.hosts[first] == problem.hosts[problem.root])[0])
    return replace(problem, node_of=problem.nodes[first], root=root)


def _cache_of(
    kind: Library, problem: PricedProblem, known: frozenset[str] | None = None
) -> RankingCache:
    """The library's algorithms that cover the ranks; those that are asked for by name must.

    Of MPICH, those whose functions this version knows, if that is known.
    """
    collective = problem.collective
    words = words_of(kind, collective)
    names = problem.only or tuple(n for n in words if known is None or words[n] in known)
    for name in problem.only:
        if known is not None and name in words and words[name] not in known:
            raise InputError("base", f"has no MPIR_{words[name]}; omit {name}", name)
    plans = problem.plans_of(theirs(kind, collective, name) for name in names)
    if not plans:
        rule = f"no {collective} of {kind} covers it"
        raise InputError("network", rule, problem.network.spec)
    sent_whole = {name for name in names if (collective, name) not in CUT[kind]}
    return RankingCache(problem, plans, sent_whole)


def _rules(
    kind: Library, cache: RankingCache, start: Fraction, end: Fraction
) -> Iterator[SizeRule]:
    """One rule a stretch of sizes, and where a library cuts one a factor of two."""
    envelope = envelope_of(cache, start, end)
    firsts = [math.ceil(size) for size in envelope.ends[:-1]] + [math.floor(end) + 1]
    for name, first, after in zip(envelope.algorithms, firsts[:-1], firsts[1:], strict=True):
        sizes: list[SizeRule] = []
        while first < after:
            cut = kind != "nccl" and (envelope.collective, name) in CUT[kind]
            segment = _segment(cache, name, first) if cut and first else 0
            up_to = min(after, 1 << first.bit_length()) if cut else after
            if sizes and sizes[-1].segment == segment:
                first = sizes.pop().first
            sizes.append(SizeRule(first, up_to - 1, name, segment))
            first = up_to
        yield from sizes


def _segment(cache: RankingCache, name: str, size: int) -> int:
    """Bytes of a segment; 0 if one is best."""
    options = cache.at(Fraction(size)).options
    parts = next(option.segments for option in options if option.name == name)
    return 0 if parts == 1 else -(-size // parts)


# -- what each library reads ----------------------------------------------------------------


def _ompi(files: Sequence[RulesFile]) -> str:
    about = ", ".join(f"{file.collective} on {file.ranks} ranks" for file in files)
    head = [f"# {about}: size in bytes, algorithm, fan, segment", f"{len(files)} # collectives"]
    return "\n".join(head + [line for file in files for line in _ompi_lines(file)]) + "\n"


def _ompi_lines(file: RulesFile) -> list[str]:
    """Algorithm 0 is the library's own choice; sizes are listed by where they begin."""
    words = words_of(file.kind, file.collective)
    lines = [(0, "0", 0, 0)] if file.rules and file.rules[0].first else []
    for rule in file.rules:
        lines.append((rule.first, words[rule.algorithm], 0, rule.segment))
    if file.collective != "barrier" and file.rules:
        lines.append((file.rules[-1].last + 1, "0", 0, 0))
    sizes = [(file.ranks, lines), (file.ranks + 1, [(0, "0", 0, 0)])]
    if file.ranks > 1:
        sizes.insert(0, (1, [(0, "0", 0, 0)]))
    text = [
        f"{_IDS[file.collective]} # {file.collective}",
        f"{len(sizes)} # sizes of communicators",
    ]
    for ranks, rows in sizes:
        text += [f"{ranks} # ranks", f"{len(rows)} # sizes of messages"]
        text += [" ".join(map(str, row)) for row in rows]
    return text


def _ompi6(files: Sequence[RulesFile]) -> str:
    entries = dict(map(_ompi6_entry, files))
    whole = {"rule_file_version": 3, "module": "tuned", "collectives": entries}
    return json.dumps(whole, indent=2) + "\n"


def _ompi6_entry(file: RulesFile) -> tuple[str, list[dict[str, Any]]]:
    words = words_of(file.kind, file.collective)
    rules = []
    for rule in file.rules:
        rule_entry: dict[str, Any] = {"alg": int(words[rule.algorithm])}
        if file.collective != "barrier":
            rule_entry = {"msg_size_min": rule.first, "msg_size_max": rule.last, **rule_entry}
        if rule.segment:
            rule_entry["seg_size"] = rule.segment
        if (file.collective, rule.algorithm) == ("allgather", "bruck"):
            rule_entry["faninout"] = 2  # the radix
        rules.append(rule_entry)
    name = {"broadcast": "bcast", "reduce-scatter": "reducescatter"}.get(file.collective)
    entry = {"comm_size_min": file.ranks, "comm_size_max": file.ranks, "rules": rules}
    return name or file.collective, [entry]


_Tree = dict[str, Any]


def _mpich(files: Sequence[RulesFile]) -> str:
    """The table of the user's MPICH, in which the rules stand where they apply."""
    [*bases] = {file.base for file in files}
    if len(bases) != 1 or bases[0] is None:
        rule = (
            "must be the tuning file of your MPICH, or its library libmpi.so, which has it inside: "
            "MPICH stops where a collective has no rule"
        )
        raise InputError("base", rule, None)
    table = dict(bases[0].table)
    for file in files:
        name = {"broadcast": "bcast", "reduce-scatter": "reduce_scatter"}.get(file.collective)
        key = f"collective={name or file.collective}"
        table[key] = _mpich_entry(file, table[key])
    text = json.dumps(table, indent=2) + "\n"
    return text + "\n" * (len(text.encode()) % PAGE == 0)  # MPICH needs a byte behind the last


PAGE = 4096
"""MPICH maps the file and reads to a zero byte, which a file of whole pages does not have."""


def _mpich_entry(file: RulesFile, base: _Tree) -> _Tree:
    """MPICH's own choice, but for communicators of our sizes, and of the roots of our nodes."""
    inside: _Tree = base.get("comm_type=intra", base)
    made: dict[int, _Tree] = {file.ranks: _by_size(file, file.rules, file.ranks, inside)}
    if file.roots:
        roots = _by_size(file, file.roots, file.nodes, inside)
        made[file.nodes] = {"comm_hierarchy=node_roots": roots, "comm_hierarchy=any": inside}
    tree: _Tree = {}
    for size in sorted(made):
        if size > 1:
            tree[f"comm_size<={size - 1}"] = inside
        tree[f"comm_size<={size}"] = made[size]
    tree["comm_size=any"] = inside
    return {**base, "comm_type=intra": tree} if "comm_type=intra" in base else tree


def _by_size(file: RulesFile, rules: Sequence[SizeRule], ranks: int, own: _Tree) -> _Tree:
    """The rules for their sizes, and MPICH's own choice for smaller and larger ones."""
    if file.collective == "barrier":
        return _call(file, rules[0], own) if rules else own
    what = "total" if file.collective in ("allgather", "reduce-scatter") else "avg"
    parts = ranks if file.collective == "alltoall" else 1
    tree: _Tree = {}
    if rules and rules[0].first > parts:
        tree[f"{what}_msg_size<={(rules[0].first - 1) // parts}"] = own
    for rule in rules:
        tree[f"{what}_msg_size<={rule.last // parts}"] = _call(file, rule, own)
    return {**tree, f"{what}_msg_size=any": own} if tree else own


def _call(file: RulesFile, rule: SizeRule, own: _Tree) -> _Tree:
    """The function of a rule where MPICH allows it, else MPICH's own choice."""
    name = words_of("mpich", file.collective)[rule.algorithm]
    if name == "Bcast_intra_pipelined_tree":
        children = 1 if rule.algorithm == "chain" else 2
        size = rule.segment or rule.last + 1
        flags = ("is_non_blocking=0", f"chunk_size={size}", "recv_pre_posted=0")
        return _function(name, "tree_type=kary", f"k={children}", *flags)
    call = _function(name)
    if file.collective == "alltoall":
        return {"is_sendbuf_inplace=yes": own, "is_sendbuf_inplace=no": call}
    if name.endswith(("reduce_scatter_allgather", "reduce_scatter_gather")):
        enough = {"count<pow2": own, "count=any": call}
        return {"is_op_built_in=no": own, "is_op_built_in=yes": enough}
    if file.collective in ("allreduce", "reduce-scatter"):
        return {"is_commutative=yes": call, "is_commutative=no": own}
    return call


def _function(name: str, *parameters: str) -> _Tree:
    """An algorithm and its parameters."""
    names = ("k=2",) if name == "Barrier_intra_k_dissemination" else parameters
    return {f"algorithm=MPIR_{name}": {parameter: {} for parameter in names}}


def _nccl(files: Sequence[RulesFile]) -> str:
    """Protocol and channels: simple, and as many channels as NCCL takes by itself.

    The plugin presets one channel and leaves -1 alone; a 0 it hands on, and NCCL takes its own.
    """
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    header = "collective_type,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks"
    target.write(f"# {header}\n")
    for file in files:
        words = words_of(file.kind, file.collective)
        nodes = -1 if file.nodes == file.ranks else file.nodes
        for rule in file.rules:
            ends = (file.collective.replace("-", ""), rule.first, rule.last)
            writer.writerow((*ends, words[rule.algorithm], "simple", 0, nodes, file.ranks))
    return target.getvalue()
