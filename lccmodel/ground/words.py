"""The words of the library: one table for parsers, checks, help, completion and suggestions.

A word is a value that a user types: the kind of a network, a traffic pattern, an objective, a
collective, the value of an option. The library's types and the command line's choices are both
made from the tables here. This module loads nothing, so `--help` and completion stay fast.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, get_args

from lccmodel.errors import InputError

# -- networks -------------------------------------------------------------------------------


class NetworkWord(NamedTuple):
    """A kind of network: how its word is typed, and an example of it."""

    usage: str
    example: str


NETWORKS: Mapping[str, NetworkWord] = MappingProxyType(
    {
        "cube": NetworkWord("cube:N", "cube:8"),
        "origin": NetworkWord("origin:N", "origin:5"),
        "mesh": NetworkWord("mesh:AxB", "mesh:16x16"),
        "torus": NetworkWord("torus:AxB", "torus:8x6x4"),
        "fattree": NetworkWord("fattree:K^N", "fattree:4^3"),
        "dragonfly": NetworkWord("dragonfly:P,A,H", "dragonfly:2,4,2"),
        "hyperx": NetworkWord("hyperx:AxB", "hyperx:8x8"),
        "twisted": NetworkWord("twisted:Kx2K", "twisted:4x8"),
        "slimfly": NetworkWord("slimfly:Q", "slimfly:5"),
        "rails": NetworkWord("rails:N,K", "rails:4,8"),
        "graph": NetworkWord("graph:FILE", "graph:FILE"),
        "levels": NetworkWord("levels:FILE", "levels:FILE"),
        "slurm": NetworkWord("slurm:FILE", "slurm:FILE"),
    }
)
"""The kinds of networks by the word before the colon."""

NETWORK_ALIASES: Mapping[str, str] = MappingProxyType({"hypercube": "cube", "bristled": "origin"})

# -- traffic --------------------------------------------------------------------------------

PATTERNS: Mapping[str, str] = MappingProxyType(
    {
        "uniform": "uniform",
        "tornado": "tornado",
        "neighbor": "neighbor",
        "hotspot": "hotspot:NODE,SHARE",
        "randperm": "randperm:SEED",
    }
)
"""The traffic patterns, and how they are typed."""

CorrectionOrder = Literal["ascending", "descending"]
CountingMethod = Literal["auto", "formula", "walk"]
IdleNodes = Literal["unknown", "stay"]
Split = Literal["paths", "hops"]
SHAPES = ("matrix", "messages", "counts")
"""Interpretations of rows of numbers; "counts" is a matrix of message numbers."""

# -- placement ------------------------------------------------------------------------------

SetObjective = Literal["max-max", "max-sum", "sum-sum"]
SET_OBJECTIVES: tuple[SetObjective, ...] = get_args(SetObjective)
Objective = Literal["max-max", "max-sum", "sum-sum", "joint"]
OBJECTIVES: tuple[Objective, ...] = get_args(Objective)
Over = Literal["orders", "linear", "placements"]

# -- collectives ----------------------------------------------------------------------------

CollectiveName = Literal[
    "allreduce",
    "reduce-scatter",
    "allgather",
    "broadcast",
    "reduce",
    "alltoall",
    "barrier",
    "scatter",
    "gather",
]
COLLECTIVES: tuple[CollectiveName, ...] = get_args(CollectiveName)
ROOTED: tuple[CollectiveName, ...] = ("broadcast", "reduce", "scatter", "gather")
"""Those in which one rank has the data, or the result."""

AllOrOne = Literal["one", "all"]
Library = Literal["ompi", "ompi6", "mpich", "nccl"]
LIBRARIES: tuple[Library, ...] = get_args(Library)
"""Decision files: Open MPI 4 and 5, Open MPI 6, MPICH, the CSV of NCCL's tuner."""

# -- pipelining, permutations, simulation, output -------------------------------------------

Model = Literal["load", "lower-bound", "paper", "schedule"]
MODELS: tuple[Model, ...] = get_args(Model)
"""The models, from what no schedule beats to what a schedule does."""

ExchangeOrder = Literal["reverse", "natural"]
PINGPONGS = ("ping-pong", "exchange")
NumberingName = Literal["shuffled-row-major", "row-major", "snake-like"]
NUMBERINGS: tuple[NumberingName, ...] = get_args(NumberingName)
MODES = ("simd", "m-simd", "mimd")
"""Models of self-routing."""
VARIANTS = ("lsb", "msb")
Engine = Literal["auto", "message", "flit"]
Rates = Literal["equal", "volume"]
TieRule = Literal["lowest-input", "highest-input", "oldest", "random"]
TIE_RULES: tuple[TieRule, ...] = get_args(TieRule)
Service = Literal["arrival", "turns"]
SERVICES: tuple[Service, ...] = get_args(Service)
Format = Literal["table", "json", "csv", "markdown", "latex"]
FORMATS: tuple[Format, ...] = get_args(Format)

# -- the nearest word -----------------------------------------------------------------------


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return a question that offers the nearest known word, or an empty text.

    >>> suggestion("butterfy", ("butterfly", "shift"))
    "did you mean 'butterfly'?"
    """
    import difflib

    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.5)
    return f"did you mean {near[0]!r}?" if near else ""


def checked_word(
    argument: str,
    value: Any,
    known: Collection[str],
    more: str = "",
    kind: type[InputError] = InputError,
) -> str:
    """Return a word if it is known.

    Args:
        argument: the name of the argument.
        value: of the argument.
        known: the words.
        more: what the refusal says behind them.
        kind: of the error.

    Raises:
        InputError: another value; the error offers the nearest word.

    >>> checked_word("objective", "max-mx", SET_OBJECTIVES)
    Traceback (most recent call last):
    ...
    lccmodel.errors.InputError: objective: must be one of max-max, max-sum, sum-sum; did you mean \
'max-max'?; got 'max-mx'
    """
    if isinstance(value, str) and value in known:
        return value
    raise kind(argument, word_rule(value, known, more), value)


def word_rule(value: Any, known: Collection[str], more: str = "") -> str:
    """Return the rule of a refusal: the words, and the nearest one to the value.

    >>> print(word_rule("al", ("one", "all")))
    must be "one" or "all"; did you mean 'all'?
    """
    words = " or ".join(f'"{word}"' for word in known)
    rule = f"must be {words}" if len(known) == 2 else f"must be one of {', '.join(known)}"
    hint = suggestion(value, known) if isinstance(value, str) else ""
    return f"{rule}{more}; {hint}" if hint else rule + more
