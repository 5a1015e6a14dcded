"""The question that a certificate answers, read from the certificate alone, and its name.

A question has a network, an objective, ranks, messages, their volume, a routing and a program. The
program is written as lines of ASCII text, so that anybody can compute its hash, the first 12 digits
of SHA-256 in hexadecimal:

    ranks 4
    phase
    0 1 3/2
    2 3 1

After the number of ranks, each phase has the line `phase` and one line for each pair of ranks that
exchange something: source, destination, and all volume between them times the weight of the phase,
as an integer or p/q in lowest terms. The lines are in ascending order of source and destination.
Messages of a rank to itself and of volume 0 use no channel and have no line. Every line ends with
a line feed. A communication y = Ax + b among more than 2^16 ranks has its matrix in place of its
messages, and tasks, collectives and pipelined algorithms have their parameters.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import zip_longest
from typing import Any

from lccmodel.certificates.cubes import LinearSent, network_bits
from lccmodel.certificates.grids import StatedAxes, StatedTree, network_stated
from lccmodel.certificates.parser import need, rank_of, read_bits, read_matrix

MOST_BITS = 16
"""The most bits of a communication y = Ax + b whose messages are listed."""

Message = tuple[int, int, Fraction]


@dataclass(frozen=True)
class Question:
    """What was asked.

    Attributes:
        network: its description; equal networks have equal descriptions.
        objective: what is minimised.
        ranks: how many.
        routing: the routes of messages.
        lines: the program (see the module).
        messages, volume: pairs of ranks that exchange something, phase by phase, and all volume
            times weight; None if the program has no list of messages.
        per_message: whether the answer counts messages, so that their volume is not part of it.
    """

    network: str
    objective: str
    ranks: int
    routing: str
    lines: tuple[str, ...]
    messages: int | None = None
    volume: Fraction | None = None
    per_message: bool = False

    @property
    def program(self) -> str:
        """The hash of the program."""
        text = "".join(f"{line}\n" for line in self.lines)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def __str__(self) -> str:
        sent = ""
        if self.messages is not None:
            sent = f"{self.messages} messages of total volume {self.volume}, "
        return (
            f"{self.network}, objective {self.objective}, {self.ranks} ranks, {sent}"
            f"routing {self.routing}, program {self.program}"
        )


def difference(certified: Question, asked: Question) -> str | None:
    """The first difference between two questions, or None if they are one."""
    if certified.per_message:
        asked = _counted(asked)
    pairs = [
        ("ranks", certified.ranks, asked.ranks),
        ("routing", certified.routing, asked.routing),
        ("volume", certified.volume, asked.volume),
    ]
    sizes = [(q.messages, q.network) for q in (certified, asked)]
    if sizes[0] != sizes[1]:
        first, second = (
            f"for {'this' if count is None else count} {'program' if count is None else 'messages'}"
            f" on {network}"
            for count, network in sizes
        )
        return f"certified {first}, asked {second}"
    if certified.objective != asked.objective and not _alone(certified, asked):
        return f"certified for the objective {certified.objective}, asked for {asked.objective}"
    for name, first_value, second_value in pairs:
        if first_value != second_value:
            return f"certified for {name} {first_value}, asked for {second_value}"
    for line, other in zip_longest(certified.lines, asked.lines, fillvalue="nothing more"):
        if line != other:
            return f'certified for "{line}" in the program, asked for "{other}"'
    return None


def _alone(*questions: Question) -> bool:
    """Whether both have one phase, whose busiest channel max-max and joint both mean."""
    same = all(q.objective in ("max-max", "joint") for q in questions)
    return same and all(q.lines.count("phase") == 1 for q in questions)


def _counted(question: Question) -> Question:
    """The same question with a volume of 1 for each message, if all have one volume."""
    parts = [_WEIGHED.fullmatch(line) for line in question.lines]
    volumes = {part[2] for part in parts if part}
    if len(volumes) != 1 or question.lines.count("phase") != 1:
        return question
    rows = zip(question.lines, parts, strict=True)
    lines = tuple(f"{part[1]} 1" if part else line for line, part in rows)
    return replace(question, lines=lines, volume=Fraction(question.messages or 0))


_WEIGHED = re.compile("([0-9]+ [0-9]+|gather|scatter) ([0-9/]+)")
"""A line with a volume."""


# -- Programs --------------------------------------------------------------------------------------


Program = tuple[tuple[str, ...], int, Fraction]
"""Lines, how many messages they list, and their total volume."""


def program_lines(ranks: int, phases: Iterable[Iterable[Message]]) -> Program:
    """The lines of a program; volumes are multiplied by the weight of their phase."""
    lines, messages, total = [f"ranks {ranks}"], 0, Fraction(0)
    for phase in phases:
        sums: dict[tuple[int, int], Fraction] = {}
        for source, destination, volume in phase:
            if source != destination and volume:
                pair = source, destination
                sums[pair] = sums.get(pair, Fraction(0)) + volume
        lines.append("phase")
        lines += [f"{s} {d} {volume}" for (s, d), volume in sorted(sums.items())]
        messages += len(sums)
        total += sum(sums.values(), Fraction(0))
    return tuple(lines), messages, total


def linear_lines(n: int, phases: Iterable[tuple[Mapping[str, Any], Fraction]]) -> Program:
    """The same for communications y = Ax + b, each with what a message carries."""
    listed = list(phases)
    if n <= MOST_BITS:
        return program_lines(1 << n, (_messages(LinearSent(c, n, 0), w) for c, w in listed))
    lines, messages, total = [f"ranks {1 << n}"], 0, Fraction(0)
    for c, weight in listed:
        rows, b = read_matrix(c["A"], n, n), read_bits(c["b"], n)
        lines += [
            "phase",
            f"{c['sends']} {weight}",
            *(f"row {row}" for row in c["A"]),
            f"b {c['b']}",
        ]
        still = [row ^ 1 << i for i, row in enumerate(rows)]
        rank = rank_of(still)
        solvable = rank_of([row | (b >> i & 1) << n for i, row in enumerate(still)]) == rank
        moving = (1 << n) - (1 << n - rank if solvable else 0)
        messages, total = messages + moving, total + moving * weight
    return tuple(lines), messages, total


def _messages(sent: LinearSent, weight: Fraction) -> Iterable[Message]:
    columns = [sum((row >> j & 1) << i for i, row in enumerate(sent.A)) for j in range(sent.n)]
    image = [sent.b]
    for column in columns:  # of 0..2^j - 1, then with bit j as well
        image += [y ^ column for y in image]
    pairs = enumerate(image) if sent.gather else ((y, x) for x, y in enumerate(image))
    return ((s, d, weight) for s, d in pairs)


# -- Networks --------------------------------------------------------------------------------------


def network_name(network: StatedAxes | StatedTree) -> str:
    """The name of a network; networks with equal links and routes have one name.

    >>> axes = {"sides": [4, 1, 2], "rings": [True, False, True], "seats": 2}
    >>> network_name(network_stated(axes | {"bandwidths": [1, 1, 3]}))
    'torus:4x2*2,bandwidth=1:3'
    >>> cube = {"sides": [2, 2], "rings": [True, False], "seats": 1, "bandwidths": [1, 1]}
    >>> network_name(network_stated(cube))
    'cube:2'
    """
    if isinstance(network, StatedTree):
        down, up = ("x".join(map(str, part)) for part in (network.down, network.up))
        name = f"fattree:{down}/{up}" if up else f"fattree:{down}"
        return name + (",routing=s-mod-k" if network.by_source else "")
    axes = [
        (side, ring, width)
        for side, ring, width in zip(network.sides, network.rings, network.widths, strict=True)
        if side > 1
    ]
    seats = f"*{network.seats}" if network.seats > 1 else ""
    widths = ":".join(str(width) for *_, width in axes)
    bandwidth = "" if all(width == 1 for *_, width in axes) else f",bandwidth={widths}"
    if axes and all(side == 2 for side, *_ in axes):
        return f"cube:{len(axes)}{seats}{bandwidth}"
    sides = "x".join(str(side) for side, *_ in axes) or "1"
    rings = [str(axis) for axis, (_, ring, _) in enumerate(axes) if ring]
    large = [side for side, *_ in axes if side > 2]
    wrap = f",wrap={':'.join(rings)}" if 0 < len(rings) < len(large) else ""
    return f"{'torus' if rings else 'mesh'}:{sides}{seats}{bandwidth}{wrap}"


def routing_name(network: StatedAxes | StatedTree, half: str = "in the + direction") -> str:
    """How messages are routed."""
    if isinstance(network, StatedTree):
        return "s-mod-k" if network.by_source else "d-mod-k"
    rings = zip(network.sides, network.rings, strict=True)
    halves = any(ring and side % 2 == 0 for side, ring in rings)
    return "dimension order, axis 0 first" + (f", half a ring {half}" if halves else "")


def cube_name(problem: Any) -> tuple[int, str]:
    """The bits of an address, and the name of cube:n or of origin:n, which is cube:(n-1)*2."""
    n, inside = network_bits(problem)
    seats = "*2" if inside else ""
    return n, f"cube:{n - inside}{seats}" if n > inside else f"mesh:1{seats}"


# -- Of every kind of certificate ------------------------------------------------------------------


def question_of(kind: str, problem: Any) -> Question:
    """The question of a certificate that was checked."""
    kinds: dict[str, Callable[[Any], Question]] = {
        "linear": _linear,
        "orders": _orders,
        "placement": _placement,
        "schedule": _schedule,
        "degree": _degree,
        "collective": _collective,
    }
    return kinds[kind](problem)


_ECUBE = "dimension order, axis 0 first"


def _linear(problem: Any) -> Question:
    n, name = cube_name(problem)
    lines, messages, volume = linear_lines(n, [(problem, Fraction(1))])
    return Question(name, "max-max", 1 << n, _ECUBE, lines, messages, volume, per_message=True)


def _orders(problem: Any) -> Question:
    n, name = cube_name(problem)
    phases = [(c, Fraction(c["weight"])) for c in problem["communications"]]
    lines, messages, volume = linear_lines(n, phases)
    return Question(name, problem["objective"], 1 << n, _ECUBE, lines, messages, volume)


def _placement(problem: Any) -> Question:
    network = network_stated(problem["network"])
    phases = (
        ((s, d, Fraction(phase["weight"]) * Fraction(volume)) for s, d, volume in phase["messages"])
        for phase in problem["phases"]
    )
    lines, messages, volume = program_lines(problem["ranks"], phases)
    ranks, objective = problem["ranks"], problem["objective"]
    name, routing = network_name(network), routing_name(network)
    return Question(name, objective, ranks, routing, lines, messages, volume)


def _schedule(problem: Any) -> Question:
    network = StatedAxes(problem["network"])
    return task_question(network, problem["i"], problem["M"], problem["ports"])


def task_question(network: StatedAxes, i: int, M: int, ports: str) -> Question:
    """The question for the shortest schedule of a task ⟨i,M⟩."""
    lines = (f"task {i} {M}", f"ports {ports}")
    routing = "along one axis, either way half a ring"
    return Question(
        network_name(network), f"steps with {_ports(ports)}", network.size, routing, lines
    )


def _collective(problem: Any) -> Question:
    network = network_stated(problem["network"])
    name, root, ports = (problem[key] for key in ("collective", "root", "ports"))
    return collective_question(network, name, root, ports, problem["node_of"])


def collective_question(
    network: StatedAxes | StatedTree, name: str, root: int, ports: str, node_of: Iterable[int]
) -> Question:
    """The question for the best plan of a collective."""
    places = " ".join(map(str, node_of))
    rooted = (f"root {root}",) if name in ("broadcast", "reduce") else ()
    lines = (f"collective {name}", *rooted, f"ports {ports}", f"places {places}")
    half = "in the + direction from even coordinates"
    ranks = places.count(" ") + 1
    routing = routing_name(network, half)
    objective = f"start-ups and data with {_ports(ports)}"
    return Question(network_name(network), objective, ranks, routing, lines)


def _ports(ports: str) -> str:
    return "one port" if ports == "one" else "all ports"


def _degree(problem: Any) -> Question:
    network = mesh_stated(problem["network"])
    steps, pieces = problem["steps"], problem["pieces"]
    shallow = " ".join(map(str, steps["shallow"]))
    lines = (
        f"items {problem['N']}",
        f"ports {problem['ports']}",
        f"model {problem['model']}",
        f"steps {shallow} A {steps['A']} B {steps['B']}",
        f"barrier {problem['barrier']}",
        *(f"up to {'inf' if up is None else up} alpha {a} tau {t}" for up, a, t in pieces),
    )
    routing = "along one axis, either way half a ring"
    objective = f"time by the model {problem['model']} with {_ports(problem['ports'])}"
    return Question(network_name(network), objective, network.size, routing, lines)


_MESH = re.compile("(mesh|torus):([1-9][0-9]{0,6}(?:x[1-9][0-9]{0,6}){0,19})")


def mesh_stated(word: Any) -> StatedAxes:
    """The network of a word such as "mesh:4x8" or "torus:16"."""
    stated = _MESH.fullmatch(word) if isinstance(word, str) else None
    need(stated is not None, "the network of a degree must be mesh:AxB... or torus:AxB...")
    assert stated is not None
    sides = [int(side) for side in stated[2].split("x")]
    rings = [stated[1] == "torus"] * len(sides)
    widths = [1] * len(sides)
    return StatedAxes({"sides": sides, "rings": rings, "bandwidths": widths, "seats": 1})
