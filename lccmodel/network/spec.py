"""Networks as one word: "cube:8", "torus:8x6*4", "fattree:4^3,routing=s-mod-k".

cube:N, origin:N           hypercube, bristled hypercube of 2^N nodes
mesh:AxBx..., torus:...    any sides and number of axes
fattree:K^N                k-ary n-tree: N levels of switches with K children
fattree:AxBxC/DxE          XGFT: children of the levels, lowest first / parents of all but the last

dragonfly:P,A,H            P nodes at each of A routers of a group with H global links each
hyperx:AxBx...             a grid where every two routers of a line are linked
twisted:Kx2K..., slimfly:Q twisted torus of sides K and 2K; slim fly of 2 Q^2 routers
graph:FILE                 any network from a file (`network.described`)
rails:N,K                  N nodes with K GPUs and NICs, the i-th NIC on switch i; node=FILE is
                           NCCL's topology file of a node, which states the bandwidths
levels:FILE                a network, and the levels inside its nodes (`network.node_hierarchy`)
slurm:FILE                 Slurm's topology (`network.described`)

...*P                      P nodes at every router; P slots in every node (`network.slots`)
...*P/G                    the P are slots in G groups inside a node; *8/2/2 in two groups of two
...,inside=50:100          what their links carry, outermost first (with *P/G; rails: bandwidth=)
...,bandwidth=2:1          what a link of each axis carries at a time (mesh, torus, hyperx)
...,wrap=0:2               the axes that wrap around (torus; all if left out)
...,ties=split             half-way round a ring + from even coordinates, - from odd ones (torus)
...,routing=s-mod-k        fat trees: by destination (d-mod-k) or by source; dragonflies: minimal or
                           valiant; graphs: shortest, shortest-first or updown
...,arrangement=relative   dragonflies: where global links lead, absolute, relative or circulant
...,hosts=2                what the port of a host carries at a time; hosts=off (not of graph:)
...,nodes=3-17:44          the nodes that a job gets, of any network
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

from lccmodel.errors import NetworkError
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.words import NETWORK_ALIASES, NETWORKS, suggestion
from lccmodel.network.allocation import Allocation
from lccmodel.network.base import Network
from lccmodel.network.concentrated import BristledHypercube, Concentrated
from lccmodel.network.fattree import FatTree
from lccmodel.network.hypercube import Hypercube
from lccmodel.network.mesh import Mesh, Torus

_CLASSES: dict[str, type[Network]] = {
    "cube": Hypercube,
    "origin": BristledHypercube,
    "mesh": Mesh,
    "torus": Torus,
    "fattree": FatTree,
}
"""Networks by rule: of their words a shape and options are read."""

_MOST_NODES = 1 << 20

_INSIDE = re.compile(r"(?P<word>[^*]+)\*(?P<many>[0-9/]*/[0-9/]*)(?P<options>(?:,[^*]*)?)")
_SLOTTED = re.compile(
    r"(?P<word>(?:fattree|dragonfly|rails):[^*]+)\*(?P<slots>[^*/,]*)(?P<options>(?:,[^*]*)?)",
    re.IGNORECASE,
)
"""A network that has nodes at its routers by its own word, and slots in these."""
_HOSTS = re.compile(r",\s*hosts=(?P<width>[^,*]*)", re.IGNORECASE)
"""The ports of hosts, which any network may state."""
_NUMBER = re.compile(r"[0-9]{1,20}")
_SIDES_ALONE = re.compile(r"[0-9]+(?:(?:x[0-9]+)+|(?P<tree>\^[0-9]+))(?:\*[0-9]+)?(?:,.*)?")
"""The sides of a network without its kind."""
_OPTIONS: dict[type[Network], tuple[str, ...]] = {
    Mesh: ("bandwidth",),
    Torus: ("bandwidth", "wrap", "ties"),
    FatTree: ("routing",),
}


@typed_arguments
def parse_network(text: str) -> Network:
    """Read a network from the word that `Network.spec` writes.

    Args:
        text: `cube:N` (or `hypercube:N`), `origin:N` (or `bristled:N`), `mesh:AxBx...`,
            `torus:AxBx...` or `fattree:K^N`, with what the module's table adds; upper and lower
            case are the same.

    Raises:
        NetworkError: another word, a number that is not one, or a misfit of the network.
        SizeLimitError: more than 2^64 nodes.

    >>> parse_network("cube:8"), parse_network("torus:8x8x8"), parse_network("mesh:8x6*4")
    (Hypercube(8), Torus((8, 8, 8)), Concentrated(Mesh((8, 6)), 4))
    >>> parse_network("fattree:4^3"), parse_network("torus:4x4,wrap=0")
    (FatTree((4, 4, 4)), Torus((4, 4), wrap=(True, False)))
    >>> parse_network("mesh:4x0")
    Traceback (most recent call last):
    ...
    lccmodel.errors.NetworkError: network mesh:4x0, shape[1]: must be at least 1; got 0
    """
    if not isinstance(text, str):
        raise NetworkError("network", "must be a name such as cube:8 or mesh:16x16", text)
    is_graph = text.strip()[:6].lower() == "graph:"  # there hosts= are nodes at a router
    if not is_graph and (hosts := _HOSTS.search(text)):
        plain = parse_network(text[: hosts.start()] + text[hosts.end() :])
        if _HOSTS.search(text, hosts.end()):
            raise NetworkError("network", "hosts may be given once", text)
        width = hosts["width"].strip().lower()
        try:
            return plain.with_hosts(0 if width == "off" else Fraction(width or "0") or -1)
        except (ValueError, ZeroDivisionError):
            rule = "hosts must be a positive number, the bandwidth of a host's port, or off"
            raise NetworkError("network", rule, text) from None
        except NetworkError as error:
            raise NetworkError("network", f"hosts {error.rule}", text) from None
    if text.strip().partition(":")[0].lower() in ("graph", "slurm"):
        return _described(text)
    whole, stated, nodes = text.strip().rpartition(",nodes=")
    if stated:
        return Allocation(parse_network(whole), _listed(nodes, text))
    if match := _INSIDE.fullmatch(text.strip()):
        return _inside(match, text)
    kind, colon, rest = text.strip().partition(":")
    kind = NETWORK_ALIASES.get(kind.lower(), kind.lower())
    if slotted := _SLOTTED.fullmatch(text.strip()):
        from lccmodel.network.slots import with_slots

        slots = _number(slotted["slots"], text, "slots of a node")
        return with_slots(parse_network(slotted["word"] + slotted["options"]), slots, text.strip())
    if colon and kind in _TABLES:
        return _TABLES[kind](text.strip())
    if not colon or kind not in _CLASSES:
        if sides := _SIDES_ALONE.fullmatch(text.strip()):
            kinds = ("fattree",) if sides["tree"] else ("torus", "mesh")
            meant = " or ".join(f"{kind}:{text.strip()}" for kind in kinds)
            raise NetworkError("network", f"must begin with its kind; did you mean {meant}?", text)
        *most, last = (NETWORKS[name].usage for name in _CLASSES)
        others = (word.usage for name, word in NETWORKS.items() if name not in _CLASSES)
        rule = f"must be {', '.join(most)} or {last}; or {', '.join(others)}"
        hint = suggestion(kind, {*NETWORKS, *_TABLES} - {kind})
        raise NetworkError("network", f"{rule}; {hint}" if hint else rule, text)
    return _of_kind(kind, rest.lower(), text)


@lru_cache(256)
def _of_kind(kind: str, rest: str, text: str) -> Network:
    """A network of which the word says all: made once, as it never changes."""
    shape, *options = rest.split(",")
    shape, star, many = shape.partition("*")
    try:
        network = _built(_CLASSES[kind], shape, options, text)
        return Concentrated(network, _number(many, text, "nodes a router")) if star else network
    except NetworkError as error:
        if error.argument == "network" and error.value == text:
            raise
        where = f"network {text.strip()}, {error.argument}"
        raise type(error)(where, error.rule, error.value) from None


@typed_arguments
def as_network(network: Any, nodes: Any = None) -> Network:
    """Return a network, given as one or by its word; or the nodes of it that a job gets.

    Args:
        network: a network or a word.
        nodes: of the job, if not all: numbers, a text such as "3-17,44" or "node[01-04]", or a
            file of them (`network.allocation`).

    Raises:
        NetworkError: neither.
        NodeError, FileError: nodes that it does not have.

    >>> as_network("cube:3"), as_network(Hypercube(3))
    (Hypercube(3), Hypercube(3))
    """
    network = parse_network(network) if isinstance(network, str) else network
    if not isinstance(network, Network):
        rule = "must be a network such as Hypercube(8), or its word such as cube:8"
        raise NetworkError("network", rule, network)
    if nodes is not None:
        from lccmodel.network.jobs import job_on

        return job_on(network, nodes)
    return network


def cube_or_mesh(network: Any, n: int) -> Hypercube | Mesh:
    """A hypercube, mesh or torus of 2^n nodes, given as one or by its word.

    Raises:
        NetworkError: another network, or another size.

    >>> cube_or_mesh("mesh:4x2", 3)
    Mesh((4, 2))
    """
    if isinstance(network, str):
        network = parse_network(network)
    if not isinstance(network, (Hypercube, Mesh)):
        raise NetworkError("network", "must be a Hypercube, Mesh or Torus", network)
    if network.size != 1 << n:
        shape = (1 << n - n // 2, 1 << n // 2)
        rule = f"must have 2^{n} nodes, such as Hypercube({n}) or Mesh({shape})"
        raise NetworkError("network", rule, network)
    return network


def _built(kind: type[Network], shape: str, options: list[str], text: str) -> Network:
    stated = _stated(options, _OPTIONS.get(kind, ()), text, "a comma")
    if kind in (Hypercube, BristledHypercube):
        return kind(_number(shape, text, "N"))
    if issubclass(kind, Mesh):
        return _grid(kind, _numbers(shape, text, "side length"), stated, text)
    return _fat_tree(shape, stated, text)


def _grid(kind: type[Mesh], sides: list[int], stated: dict[str, str], text: str) -> Mesh:
    arguments: dict[str, Any] = {}
    if "bandwidth" in stated:
        arguments["bandwidth"] = stated["bandwidth"].split(":")
    if "wrap" in stated:
        named = [part for part in stated["wrap"].split(":") if part]
        around = [_number(part, text, "axis") for part in named]
        if any(axis >= len(sides) for axis in around):
            rule = f"the axes of wrap must be in 0..{len(sides) - 1}"
            raise NetworkError("network", rule, text)
        arguments["wrap"] = [axis in around for axis in range(len(sides))]
    if "ties" in stated:
        arguments["ties"] = stated["ties"]
    return kind(tuple(sides), **arguments)


def _fat_tree(shape: str, stated: dict[str, str], text: str) -> FatTree:
    routing = stated.get("routing", "d-mod-k")
    if "^" in shape:
        arity, _, levels = shape.partition("^")
        count = _number(levels, text, "number of levels")
        if count > 64:
            raise NetworkError("network", "a fat tree has at most 64 levels", text)
        return FatTree([_number(arity, text, "arity")] * count, routing=routing)
    children, slash, parents = shape.partition("/")
    down = _numbers(children, text, "number of children")
    up = _numbers(parents, text, "number of parents") if slash and parents else None
    return FatTree(down, up, routing)


def _listed(nodes: str, text: str) -> list[int]:
    """Numbers and ranges, "3-17:44".

    Raises:
        NetworkError: not such a list, or more than 2^20 numbers.
    """
    numbers: list[int] = []
    for part in nodes.split(":"):
        low, dash, high = part.partition("-")
        first = _number(low, text, "a node")
        last = _number(high, text, "a node") if dash else first
        if not first <= last < first + _MOST_NODES - len(numbers):
            rule = f"a range of nodes goes upwards, and there are at most {_MOST_NODES} nodes"
            raise NetworkError("network", rule, text)
        numbers += range(first, last + 1)
    return numbers


def _options(text: str, numbers: int, known: tuple[str, ...]) -> tuple[list[int], dict[str, str]]:
    """What stands after the colon: so many numbers, and options by name."""
    parts = text.lower().partition(":")[2].split(",")
    values = [_number(part, text, "what comes first") for part in parts[:numbers]]
    if len(values) < numbers:
        raise NetworkError("network", f"takes {numbers} numbers", text)
    return values, _stated(parts[numbers:], known, text)


def _stated(
    options: list[str], known: tuple[str, ...], text: str, after: str = "the numbers"
) -> dict[str, str]:
    """Options as key=value, each once."""
    stated: dict[str, str] = {}
    for option in options:
        key, equals, value = (part.strip() for part in option.partition("="))
        if not equals or key not in known or key in stated:
            rule = f"after {after}, {' or '.join(f'{k}=...' for k in known)} may be given once"
            rule = rule if known else "this kind of network takes nothing after a comma"
            raise NetworkError("network", rule, text)
        stated[key] = value
    return stated


def _described(text: str) -> Network:
    """A network of a file, which may name the nodes that a job gets."""
    from lccmodel.network.described import read_network

    network, nodes = read_network(text.strip(), parse_network)
    return Allocation(network, _listed(nodes, text)) if nodes else network


def _dragonfly(text: str) -> Network:
    from lccmodel.network.topologies import dragonfly

    (p, a, h), stated = _options(text, 3, ("routing", "arrangement", "seed"))
    seed = _number(stated.pop("seed", "0"), text, "seed")
    return dragonfly(p, a, h, **stated, seed=seed)


def _stated_sides(text: str, known: tuple[str, ...]) -> tuple[str, int | None, dict[str, str]]:
    """What stands after the colon: sides, nodes at a router if said, and options."""
    sides, *options = text.lower().partition(":")[2].split(",")
    stated = _stated(options, known, text)
    sides, star, many = sides.partition("*")
    return sides, _number(many, text, "nodes a router") if star else None, stated


def _hyperx(text: str) -> Network:
    from lccmodel.network.topologies import hyperx

    sides, many, stated = _stated_sides(text, ("bandwidth",))
    width = stated["bandwidth"].split(":") if stated else None
    return hyperx(_numbers(sides, text, "side length"), 1 if many is None else many, width)


def _twisted(text: str) -> Network:
    from lccmodel.network.topologies import twisted_torus

    sides, many, _ = _stated_sides(text, ())
    return twisted_torus(_numbers(sides, text, "side length"), 1 if many is None else many)


def _slim_fly(text: str) -> Network:
    from lccmodel.network.topologies import slim_fly

    q, many, _ = _stated_sides(text, ())
    return slim_fly(_number(q, text, "q"), many)


def _inside(match: re.Match[str], text: str) -> Network:
    """`torus:8x8*4/2,inside=50:100`: slots in groups inside a node."""
    from lccmodel.network.node_hierarchy import slots_in_groups, with_inside

    options = [option for option in match["options"].split(",") if option]
    stated = [
        option.strip()[7:] for option in options if option.strip().lower().startswith("inside=")
    ]
    slots, *groups = [
        _number(option, text, "slots of a node") for option in match["many"].split("/")
    ]
    counts = slots_in_groups(slots, groups, text)
    if len(stated) > 1:
        raise NetworkError("network", "inside may be given once", text)
    widths = stated[0].split(":") if stated else []
    more = [option for option in options if not option.strip().lower().startswith("inside=")]
    return with_inside(
        parse_network(",".join([match["word"], *more])), counts, widths, text.strip()
    )


def _rails(text: str) -> Network:
    from lccmodel.network.node_hierarchy import rails, rails_of_nodes

    word, stated_file, rest = text.partition(",node=")
    (nodes, nics), stated = _options(word, 2, ("bandwidth",))
    widths = stated["bandwidth"].split(":") if stated else []
    if len(widths) not in (0, 2):
        raise NetworkError("network", "bandwidth must be two, inside and of a NIC", text)
    if stated_file:
        return rails_of_nodes(nodes, nics, rest, widths, text)
    return rails(nodes, nics, *widths)


def _levels(text: str) -> Network:
    from lccmodel.network.node_hierarchy import read_levels

    return read_levels(text.partition(":")[2], text, parse_network)


_TABLES: dict[str, Callable[[str], Network]] = {
    "dragonfly": _dragonfly,
    "hyperx": _hyperx,
    "twisted": _twisted,
    "slimfly": _slim_fly,
    "rails": _rails,
    "levels": _levels,
}
"""Networks by their routes: each is read from its whole word."""


@typed_arguments
def add_network_word(kind: str, read: Callable[[str], Network]) -> None:
    """Let `parse_network` read a word of your own, in every function that takes a network.

    Args:
        kind: what stands before the colon; lower case.
        read: from the whole word to the network.

    Raises:
        NetworkError: no name, or one that is taken.

    >>> from lccmodel.network import Mesh
    >>> add_network_word("square", lambda text: Mesh((int(text[7:]), int(text[7:]))))
    >>> parse_network("square:4")
    Mesh((4, 4))
    """
    taken = {*NETWORKS, *NETWORK_ALIASES, *_TABLES}
    if not kind.isidentifier() or kind != kind.lower() or kind in taken:
        raise NetworkError("kind", "must be a new name in lower case", kind)
    _TABLES[kind] = read


def _numbers(digits: str, text: str, what: str) -> list[int]:
    return [_number(part, text, what) for part in digits.split("x")]


def _number(digits: str, text: str, what: str) -> int:
    if not _NUMBER.fullmatch(digits.strip()) or not digits.isascii():
        raise NetworkError("network", f"{what} must be a positive integer, not {digits!r}", text)
    return int(digits)
