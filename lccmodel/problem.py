"""What is asked: a program on a network, with where it was read. Words and files are read here.

    Problem.read("trace.csv", "torus:8x6")           a file, on a network by its word
    Problem.read(["bit-reverse", "y0 = x1; y1 = x0"], "cube:2")       several, one program
    Problem.read([(0, 1), (1, 2)], Mesh((4,)))       anything `Program.of` takes

The network is the one that is stated, or that a file names, or the hypercube of the size. One that
is too small for a file is refused with the file and the line that ask for more.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from lccmodel.communication.lcc import LCC
from lccmodel.communication.program import Entry, Phase, Program
from lccmodel.communication.recognition import Recognition, analyse
from lccmodel.communication.traffic import Traffic
from lccmodel.errors import CommunicationError, FileError, InputError, NetworkError
from lccmodel.ground.numbers import Number, as_fraction, as_number
from lccmodel.network import Network, as_network, parse_network
from lccmodel.reading.programs import bits_of, read_typed

_KINDS = ("cube", "origin")
"""Words that take their size from what is sent."""

_ASSUMED = "Assumed network: {}, a hypercube. Specify yours with --network."

_MOST_EXTENDED = 1 << 22
"""Most messages among which a matrix is looked for when they are read."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A program on a network, and where it was read.

    Attributes:
        program: what is sent.
        network: where.
        origin: what was read, with name, file, line and notes, one entry a phase; () of a value.
        single: whether one communication was given, by itself and not in a list or a file.
        extensions: for every phase that was read, the y = Ax + b to which its messages extend, if
            they are not all of it; else None. () of a value.
        assumed: whether messages were given without a network, so that a hypercube is assumed.
    """

    program: Program
    network: Network
    origin: tuple[Entry, ...] = ()
    single: bool = False
    extensions: tuple[Recognition | None, ...] = ()
    assumed: bool = False

    def phase(self, k: int) -> Problem:
        """The k-th phase alone, with its notes."""
        program = self.program
        notes = self.origin[k].notes if self.origin else program.notes
        alone = Program(program.phases[k : k + 1], None, program.network, notes)
        origin, extensions = self.origin[k : k + 1], self.extensions[k : k + 1]
        return Problem(alone, self.network, origin, True, extensions, self.assumed)

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on which every result rests: how files were read, columns that were ignored.

        >>> Problem.read([(0, 1), (1, 0)]).notes
        ()
        """
        read = (note for entry in self.origin for note in entry.notes)
        assumed = (_ASSUMED.format(self.network.spec),) if self.assumed else ()
        return tuple(dict.fromkeys((*assumed, *read, *self.program.notes, *self.network.notes)))

    @property
    def read_as(self) -> str:
        """The forms in which the messages were described; "" of a value.

        >>> Problem.read(["bit-reverse", "y0 = x1; y1 = x0"]).read_as
        'catalog: bit-reverse; equations'
        """
        return "; ".join(dict.fromkeys(entry.read_as for entry in self.origin if entry.read_as))

    @property
    def weights(self) -> tuple[Number, ...]:
        """How often every phase runs, times what each of its messages carries.

        Raises:
            CommunicationError: they do not all carry the same.
        """
        return tuple(
            as_number(as_fraction(phase.weight) * as_fraction(phase.traffic.uniform_volume))
            for phase in self.program
        )

    @property
    def extends(self) -> bool:
        """Whether every phase is, or extends to, y = Ax + b."""
        if self.extensions:
            known = zip(self.program, self.extensions, strict=True)
            return all(phase.lcc is not None or extension is not None for phase, extension in known)
        return all(phase.lcc is not None or _extension(phase) is not None for phase in self.program)

    @classmethod
    def read(cls, what: Any, network: Network | str | None = None, nodes: Any = None) -> Problem:
        """The problem that something describes.

        Args:
            what: a word (a catalogue name such as "bit-reverse", equations, a process grid such as
                "grid:4x4:rings", a pattern such as "uniform", a file name; "-" is standard input),
                several in a list or tuple, anything `Program.of` takes, or a problem.
            network: a network or its word; "cube" or "origin" alone takes its size from what is
                sent. Left out, the network that the files name, else the hypercube.
            nodes: those of the network that the job gets, if not all (`as_network`).

        Raises:
            CommunicationError, FileError, NodeError: see `read_typed` and `Program.of`.
            NetworkError, FileError: see `network_for`; a catalogue name without any size.

        >>> Problem.read("bit-reverse", "mesh:4x4").network
        Mesh((4, 4))
        >>> Problem.read(["bit-reverse", "grid:4x4:rings:8,1"], "cube:4").program.ranks
        16
        """
        if nodes is not None:
            named = what.network if isinstance(what, Problem) and network is None else network
            network = as_network(named, nodes)
        if isinstance(what, Problem):
            return (
                what
                if network is None
                else replace(what, network=as_network(network), assumed=False)
            )
        if not (isinstance(network, str) and network.strip().lower() in _KINDS):
            network = None if network is None else as_network(network)
        target = network if isinstance(network, Network) else None
        if target is not None and isinstance(what, (LCC, Traffic)):
            return cls(Program.of(what), target, (), True)
        what = list(what) if isinstance(what, Iterator) else what
        words = _words(what)
        if not words:
            nodes = target.size if target and callable(what) and not isinstance(what, LCC) else None
            program = Program.of(what, nodes)
            if target is None:
                n = max(phase.traffic.n for phase in program)
                target = _named(str(network or program.network or "cube"), n)
            return cls(program, target, (), not _several(what))
        try:
            bits = None if target is None else bits_of(target.size)
            entries = read_typed(words, bits, sides=None if target is None else sides_of(target))
        except CommunicationError as error:
            if error.argument != "n" or error.value is not None:
                raise
            names = ", ".join(os.fspath(word) for word in words)
            rule = f"is required, e.g. cube:8, since {names} exists for any n"
            if target is not None:
                rule = f"must have 2^n nodes for {names}; there are {target.size}"
            raise NetworkError("network", rule, target and target.spec) from None
        target = network_for(entries, network)
        single = not isinstance(what, (list, tuple)) and not (entries[0].path or entries[0].grid)
        program = Program.of(entries)
        extensions = tuple(_extension(phase, _MOST_EXTENDED) for phase in program)
        recorded = any(entry.path or entry.grid for entry in entries)
        assumed = network is None and recorded and not any(entry.network for entry in entries)
        return cls(program, target, entries, single, extensions, assumed)


def sides_of(network: Network) -> tuple[int, ...]:
    """Nodes along every axis of a network; all of them in one row where it has no axes.

    >>> [sides_of(as_network(word)) for word in ("torus:4x2", "cube:3", "fattree:2^3")]
    [(4, 2), (2, 2, 2), (8,)]
    """
    sides = network.geometry.sides if network.geometry.is_grid else ()
    return tuple(sides) if prod(sides) == network.size else (network.size,)


def _extension(phase: Phase, most: int | None = None) -> Recognition | None:
    """The y = Ax + b to which messages extend that are not all of it, if they are few enough."""
    if phase.lcc is not None:
        return None
    many = len(phase.traffic)
    if not 0 < many <= (most or many):
        return None
    try:
        analysis = analyse(phase.traffic)
    except InputError:
        return None
    return analysis if analysis.determined else None


def _words(what: Any) -> Sequence[str | os.PathLike[str]]:
    """What is to be read; () where a value is given."""
    if isinstance(what, (str, os.PathLike)):
        return (what,)
    texts = isinstance(what, (list, tuple)) and all(isinstance(w, (str, os.PathLike)) for w in what)
    return what if texts else ()


def _several(what: Any) -> bool:
    """Whether something describes the phases of a program."""
    members = (Phase, LCC, Traffic, Entry)
    several = isinstance(what, (list, tuple)) and bool(what) and isinstance(what[0], members)
    return isinstance(what, Program) or several


def network_for(
    entries: Sequence[Entry], network: Network | str | None = None, *, exact: bool = False
) -> Network:
    """The network where what was read runs.

    Args:
        entries: at least one.
        network: the network or its word, or a word without size; left out, the one that the
            entries name, else the hypercube.
        exact: whether it must have 2^n nodes, as the entries have; else at least as many as there
            are ranks.

    Raises:
        NetworkError: another word, another size, or files that name different networks.
        FileError: what a file names is not a network, or has another size; or the file, with its
            line, names a rank that the network does not have.
    """
    n = max(entry.n for entry in entries)
    if network is not None:
        chosen = _named(network, n) if isinstance(network, str) else network
        if _misfit(chosen, entries, exact):
            raise _refused(chosen, entries, exact, network)
        return chosen
    named = [entry for entry in entries if entry.network]
    if not named:
        return parse_network(f"cube:{n}")
    networks = [_named_in_file(entry, entries, exact) for entry in named]
    for entry, other in zip(named, networks, strict=True):
        if other != networks[0]:
            rule = f"is required: {named[0].path} names {named[0].network}, {entry.path} another"
            raise NetworkError("network", rule, entry.network)
    return networks[0]


def _named(word: str, n: int) -> Network:
    kind = word.strip().lower()
    return parse_network(f"{kind}:{n}" if kind in _KINDS else word)


def _named_in_file(entry: Entry, entries: Sequence[Entry], exact: bool) -> Network:
    try:
        network = _named(entry.network, entry.n)
    except NetworkError as error:
        raise FileError(entry.path, entry.network_line, error.rule, entry.network) from None
    fault = _misfit(network, entries, exact)
    if fault:
        raise FileError(entry.path, entry.network_line, f"the network {fault}", entry.network)
    return network


def _misfit(network: Network, entries: Sequence[Entry], exact: bool) -> str:
    """What is wrong with the size of a network, or ""."""
    largest = max(entries, key=lambda entry: entry.ranks)
    if exact:
        fits = network.size == 1 << largest.n
        return "" if fits else f"must have 2^{largest.n} nodes, as {largest.name!r} has"
    if network.size >= largest.ranks:
        return ""
    rule = f"must have at least {largest.ranks} nodes, for the ranks of {largest.name!r}"
    if network.names and network.whole_network is network:
        slots = -(-largest.ranks // network.size)
        rule += f"; *{slots} after the file gives every host {slots} slots"
    if largest.ranks == network.size + 1 and largest.starts_at_one:
        rule += f"; ranks 1..{network.size} look numbered from one: subtract 1 from each"
    return rule


def _refused(
    network: Network, entries: Sequence[Entry], exact: bool, stated: Network | str
) -> NetworkError | FileError:
    """The error of a network that is too small, with the file and line that ask for more."""
    word = stated if isinstance(stated, str) else stated.spec
    for entry in entries:
        beyond = entry.first_beyond(network.size) if entry.path else None
        if beyond is not None:
            rank, line = beyond
            fault = _misfit(network, [entry], exact)
            rule = f"a rank must be in 0..{network.size - 1} on {network.spec}; the network {fault}"
            return FileError(entry.path, line, rule, rank)
    fault = _misfit(network, entries, exact)
    largest = max(entries, key=lambda entry: entry.ranks)
    if largest.ranks > network.size and largest.path:
        return FileError(largest.path, largest.line, f"the network {fault}", word)
    return NetworkError("network", fault, word)
