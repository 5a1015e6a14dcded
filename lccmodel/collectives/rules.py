"""Decision files: what Open MPI, MPICH and NCCL read to choose an algorithm by size.

    kind     read by                                       what it is
    ompi     Open MPI 4 and 5, coll_tuned_dynamic_rules_filename    numbers in lines
    ompi6    Open MPI 6, the same parameter                JSON
    mpich    MPICH, MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE       JSON, one entry of its file
    nccl     NCCL's example tuner, NCCL_TUNER_CONFIG_FILE  CSV

Algorithms that the library has are compared, as it runs them (`collectives.libraries`). What it
sends whole has one segment here, too; where it cuts, the bytes of a segment are m / Q at the
lower end of a stretch, stated anew at every factor of two. A threshold is the first whole byte
at which an algorithm is the fastest. The rules are for p ranks and the sizes that were asked:
elsewhere the library goes by its own, but MPICH, which takes an algorithm that is always right,
and for smaller and larger sizes the nearest rule.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from lccmodel._arguments import typed_arguments
from lccmodel.collectives.algorithms import AllOrOne, hosts_of
from lccmodel.collectives.choice import envelope_of
from lccmodel.collectives.libraries import CUT, KINDS, Library, theirs, words_of
from lccmodel.collectives.ranking import Asked, Question
from lccmodel.collectives.steps import CollectiveName
from lccmodel.errors import InputError
from lccmodel.network import Network
from lccmodel.pipelining.message_cost import Linear, exact

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

    >>> RulesFile("ompi", "allreduce", 8, 8, (SizeRule(0, 99, "ring", 0),)).rules[0].last
    99
    """

    kind: Library
    collective: CollectiveName
    ranks: int
    nodes: int
    rules: tuple[SizeRule, ...]

    @property
    def text(self) -> str:
        """What the library reads."""
        return rules_text([self])


@typed_arguments
def rules_text(files: Sequence[RulesFile]) -> str:
    """One decision file for several collectives.

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
    **options: Any,
) -> RulesFile:
    """The decision file of a library: its fastest algorithm for every size from low to high.

    Args:
        kind: "ompi" (Open MPI 4 and 5), "ompi6" (Open MPI 6), "mpich", or "nccl" (the tuner's
            CSV).
        collective, machine, network, ports, hop, add, inside, options: as for `envelope`.
        low, high: sizes in bytes, low <= high.
        only: names of algorithms that the library has; all that it has if left out.

    Raises:
        InputError: an algorithm or collective that the library does not have, or as for `envelope`.

    >>> from lccmodel.pipelining import Linear
    >>> found = rules_file("ompi", "allreduce", Linear(5, "1/1000"), 1, 10**6, "torus:4x4")
    >>> [(rule.first, rule.algorithm) for rule in found.rules]
    [(1, 'recursive-doubling'), (9412, 'rabenseifner')]
    """
    if kind not in KINDS:
        raise InputError("kind", f"must be one of {', '.join(KINDS)}", kind)
    start, end = exact("low", low), exact("high", high)
    if start > end:
        raise InputError("low, high", "must not be upside down", (str(start), str(end)))
    if kind == "mpich" and end > MOST:
        raise InputError("high", f"must be at most {MOST} for MPICH, which reads no more", str(end))
    told = (collective, machine, network, ports, only, (), hop, add, inside)
    question = Question.of(*told, **options)
    asked = _asked(kind, question)
    one = asked.all_of[0]
    ends = (Fraction(0),) * 2 if collective == "barrier" else (start, end)
    rules = tuple(_rules(kind, asked, *ends))
    used = len(set(hosts_of(question.network, one.node_of).tolist()))
    return RulesFile(kind, collective, one.plan.ranks, used, rules)


def _asked(kind: Library, question: Question) -> Asked:
    """The library's algorithms that cover the ranks; those that are asked for by name must."""
    collective = question.collective
    names = question.only or tuple(words_of(kind, collective))
    found = question.made(theirs(kind, collective, name) for name in names)
    if not found:
        rule = f"no {collective} of {kind} covers it"
        raise InputError("network", rule, question.network.spec)
    sent_whole = {name for name in names if (collective, name) not in CUT[kind]}
    return Asked(question, found, sent_whole)


def _rules(kind: Library, asked: Asked, start: Fraction, end: Fraction) -> Iterator[SizeRule]:
    """One rule a stretch of sizes, and where a library cuts one a factor of two."""
    found = envelope_of(asked, start, end)
    firsts = [math.ceil(size) for size in found.ends[:-1]] + [math.floor(end) + 1]
    for name, first, after in zip(found.algorithms, firsts[:-1], firsts[1:], strict=True):
        told: list[SizeRule] = []
        while first < after:
            cut = kind != "nccl" and (found.collective, name) in CUT[kind]
            segment = _segment(asked, name, first) if cut and first else 0
            up_to = min(after, 1 << first.bit_length()) if cut else after
            if told and told[-1].segment == segment:
                first = told.pop().first
            told.append(SizeRule(first, up_to - 1, name, segment))
            first = up_to
        yield from told


def _segment(asked: Asked, name: str, size: int) -> int:
    """Bytes of a segment; 0 if one is best."""
    options = asked.at(Fraction(size)).options
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
        told: dict[str, Any] = {"alg": int(words[rule.algorithm])}
        if file.collective != "barrier":
            told = {"msg_size_min": rule.first, "msg_size_max": rule.last, **told}
        if rule.segment:
            told["seg_size"] = rule.segment
        if (file.collective, rule.algorithm) == ("allgather", "bruck"):
            told["faninout"] = 2  # the radix
        rules.append(told)
    name = {"broadcast": "bcast", "reduce-scatter": "reducescatter"}.get(file.collective)
    entry = {"comm_size_min": file.ranks, "comm_size_max": file.ranks, "rules": rules}
    return name or file.collective, [entry]


_Tree = dict[str, Any]

_ALWAYS = {
    "allreduce": "Allreduce_intra_recursive_doubling",
    "broadcast": "Bcast_intra_binomial",
    "reduce": "Reduce_intra_binomial",
    "allgather": "Allgather_intra_brucks",
    "reduce-scatter": "Reduce_scatter_intra_recursive_doubling",
    "alltoall": "Alltoall_intra_pairwise",
    "barrier": "Barrier_intra_k_dissemination",
}
"""MPICH: right for every communicator and operation."""

_BETWEEN = {
    "allreduce": "Allreduce_inter_reduce_exchange_bcast",
    "broadcast": "Bcast_inter_remote_send_local_bcast",
    "reduce": "Reduce_inter_local_reduce_remote_send",
    "allgather": "Allgather_inter_local_gather_remote_bcast",
    "reduce-scatter": "Reduce_scatter_inter_remote_reduce_local_scatter",
    "alltoall": "Alltoall_inter_pairwise_exchange",
    "barrier": "Barrier_inter_bcast",
}
"""MPICH: for intercommunicators."""


def _mpich(files: Sequence[RulesFile]) -> str:
    return json.dumps(dict(map(_mpich_entry, files)), indent=2) + "\n"


def _mpich_entry(file: RulesFile) -> tuple[str, _Tree]:
    always = _guarded(file.collective, _ALWAYS[file.collective])
    tree: _Tree = {}
    what = "total" if file.collective in ("allgather", "reduce-scatter") else "avg"
    parts = file.ranks if file.collective == "alltoall" else 1
    for rule in file.rules[:-1]:
        tree[f"{what}_msg_size<={rule.last // parts}"] = _call(file, rule)
    last = _call(file, file.rules[-1]) if file.rules else always
    tree = {**tree, f"{what}_msg_size=any": last} if tree else last
    intra = {
        f"comm_size<={file.ranks - 1}": always,
        f"comm_size<={file.ranks}": tree,
        "comm_size=any": always,
    }
    name = {"broadcast": "bcast", "reduce-scatter": "reduce_scatter"}.get(file.collective)
    both = {"comm_type=intra": intra, "comm_type=inter": _function(_BETWEEN[file.collective])}
    return f"collective={name or file.collective}", both


def _call(file: RulesFile, rule: SizeRule) -> _Tree:
    """The function of a rule, where MPICH allows it."""
    function = words_of("mpich", file.collective)[rule.algorithm]
    if function != "Bcast_intra_pipelined_tree":
        return _guarded(file.collective, function)
    children = 1 if rule.algorithm == "chain" else 2
    size = rule.segment or rule.last + 1
    flags = ("is_non_blocking=0", f"chunk_size={size}", "recv_pre_posted=0")
    return _function(function, "tree_type=kary", f"k={children}", *flags)


def _guarded(collective: str, function: str) -> _Tree:
    call, always = _function(function), _function(_ALWAYS[collective])
    if collective == "alltoall":
        inside = _function("Alltoall_intra_pairwise_sendrecv_replace")
        return {"is_sendbuf_inplace=yes": inside, "is_sendbuf_inplace=no": call}
    if call == always:
        return call
    if function.endswith(("reduce_scatter_allgather", "reduce_scatter_gather")):
        enough = {"count<pow2": always, "count=any": call}
        return {"is_op_built_in=no": always, "is_op_built_in=yes": enough}
    if collective in ("allreduce", "reduce-scatter"):
        return {"is_commutative=yes": call, "is_commutative=no": always}
    return call


def _function(name: str, *parameters: str) -> _Tree:
    """An algorithm and its parameters."""
    told = ("k=2",) if name == "Barrier_intra_k_dissemination" else parameters
    return {f"algorithm=MPIR_{name}": {parameter: {} for parameter in told}}


def _nccl(files: Sequence[RulesFile]) -> str:
    """Protocol and channels: simple, and NCCL's default; rows are for these ranks and nodes."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    header = "collective_type,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks"
    target.write(f"# {header}\n")
    for file in files:
        words = words_of(file.kind, file.collective)
        nodes = -1 if file.nodes == file.ranks else file.nodes
        for rule in file.rules:
            ends = (file.collective.replace("-", ""), rule.first, rule.last)
            writer.writerow((*ends, words[rule.algorithm], "simple", -1, nodes, file.ranks))
    return target.getvalue()
