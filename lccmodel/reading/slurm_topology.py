r"""Slurm's topology: topology.conf, topology.yaml, and the output of `scontrol show topology`.

    SwitchName=s0 Nodes=dev[0-5]                      topology.conf, plugin tree
    SwitchName=s1 Nodes=dev[6-11] LinkSpeed=4         LinkSpeed: of the link to each switch above
    SwitchName=s2 Switches=s[0-1]
    BlockName=b0 Nodes=dev[0-3]                       plugin block
    BlockSizes=4,8                                    every two blocks are joined
    AggregatedBlock=b[0-1] BlockSize=8                the same in scontrol
    RingName=r0 Nodes=dev[0-7]                        plugin ring
    SwitchName=s2 Level=1 LinkSpeed=1 Nodes=dev[0-11] Switches=s[0-1]       scontrol

A tree may have several roots, several switches above one (parallel ways up), and nodes below two
leaves (two ports). Nodes= of a higher switch repeats the nodes below it. Slurm has one link where a
machine may have many, so LinkSpeed states what all of them together carry; Slurm itself does not
use it. A block is no switch: it is modelled as one, with one above each group of blocks of
BlockSizes and one above all. In torus3d the position x + X (y + Y z) varies fastest in x.

[slurm] SchedMD/slurm, doc/man/man5/topology.conf.5 and topology.yaml.5, src/plugins/topology.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod
from typing import Any

from lccmodel.errors import FileError, InputError
from lccmodel.ground.words import word_rule
from lccmodel.reading.description import (
    Cable,
    HostPorts,
    NetworkDescription,
    check_description,
)
from lccmodel.reading.found import SIGNATURE, Format, Found
from lccmodel.reading.hostlist import listed_hosts
from lccmodel.reading.text import Text

_PAIR = re.compile(r"(\w+)\s*=\s*(\"[^\"]*\"|'[^']*'|\S+)")
_BEFORE = re.compile(r"\w+\s*=|include\s|\w+: ", re.IGNORECASE)
"""Lines that may stand before the first switch: they are refused by name, or are of a launcher."""
_OPENERS = ("switchname", "blockname", "ringname", "blocksizes", "torusname", "aggregatedblock")
_SPEED = re.compile(r"(0x[0-9a-f]{1,15}|[0-9]{1,20})([kmgt]?)", re.IGNORECASE)
_SCALE = {"": 1, "k": 1024, "m": 10**6, "g": 10**9, "t": 10**12}


@dataclass
class _Tree:
    """Switches while lines are read: their nodes, children and speeds, by name."""

    nodes: dict[str, list[str]] = field(default_factory=dict)
    children: dict[str, list[str]] = field(default_factory=dict)
    speed: dict[str, Fraction] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)


def is_topology(text: Text) -> bool:
    """Return whether a line is one of topology.conf or of scontrol; lines before have a key, too.

    Messages of srun and an Include line may stand before.
    """
    for line in text.head.splitlines():
        bare = line.partition("#")[0].strip()
        key, equals, _ = bare.partition("=")
        if equals and key.strip().lower() in _OPENERS:
            return True
        if bare and not _BEFORE.match(bare):
            return False
    return False


def read_topology(text: Text) -> Found:
    """Return the network of a topology.conf, or of `scontrol show topology`.

    Raises:
        FileError: a line of neither, a cut line, a switch without a line, a circle of switches.
    """
    notes: list[str] = []
    tree, rings = _Tree(), dict[str, list[str]]()
    blocks = dict[str, list[str]]()
    sizes: list[int] = []
    groups: list[list[str]] = []
    tori: list[tuple[str, tuple[int, ...], list[str]]] = []
    for number, stated in _lines(text):
        names = _names(text, number, stated.get("nodes"))
        if "switchname" in stated:
            _add_switch(text, number, stated, names, tree, notes)
        elif "blockname" in stated:
            _once(text, number, stated["blockname"], blocks)[stated["blockname"]] = names
        elif "ringname" in stated:
            _once(text, number, stated["ringname"], rings)[stated["ringname"]] = names
        elif "torusname" in stated:
            tori.append((stated["torusname"], _sides(text, number, stated.get("dims")), names))
        elif "aggregatedblock" in stated:
            groups.append(_names(text, number, stated["aggregatedblock"]))
        elif not ("blocksizes" in stated or tori):
            raise FileError(text.path, number, "must be a line SwitchName=...", next(iter(stated)))
        if "blocksizes" in stated:
            sizes = _sizes(text, number, stated["blocksizes"].split(","))
    kinds = [kind for kind in (tree.nodes, blocks, rings, tori) if kind]
    if len(kinds) != 1:
        rule = "must have switches, blocks, rings or a torus, and one of them alone"
        raise FileError(text.path, 0, rule, f"{len(kinds)} of them")
    if tree.nodes:
        return _found(text, _of_tree(text, tree, notes), notes)
    if blocks:
        groups = groups or _groups_of_sizes(text, blocks, sizes)
        return _found(text, _of_blocks(text, blocks, groups, notes), notes)
    if rings:
        return _found(text, _of_rings(rings), notes)
    return _found(text, _of_torus(text, *_single(text, tori)), notes)


def _found(text: Text, network: NetworkDescription, notes: Sequence[str]) -> Found:
    checked = check_description(text.path, network)
    return Found("network", "slurm-topology", checked, tuple(notes), str(text.path))


def _lines(text: Text) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield lines with their numbers, as values by lower-case key; a backslash joins two lines."""
    whole, first = "", 0
    for number, line in enumerate([*text.lines, ""], 1):
        first = first if whole else number
        whole += line.partition("#")[0].strip()
        if whole.endswith("\\"):
            whole = whole[:-1] + " "
            continue
        if whole:
            if whole.count("[") > whole.count("]"):
                rule = "is cut in the middle of a list: set SLURM_TOPO_LEN higher, or unset it"
                raise FileError(text.path, first, rule, whole[-20:])
            pairs = {key.lower(): value.strip("\"'") for key, value in _PAIR.findall(whole)}
            if not pairs and re.match(r"s(run|control|lurm\w*): ", whole):
                whole = ""
                continue
            if whole.lower().startswith("include"):
                rule = "must contain the topology itself: give the file that Include names"
                raise FileError(text.path, first, rule, whole)
            if not pairs:
                raise FileError(text.path, first, "must be a line SwitchName=...", line.strip())
            yield first, pairs
        whole = ""


def _names(text: Text, number: int, hosts: str | None) -> list[str]:
    if hosts is None or hosts.lower() in ("", "(null)"):
        return []
    if hosts.lower() == "all":
        rule = "must name the nodes: ALL is all of slurm.conf (scontrol show topology lists them)"
        raise FileError(text.path, number, rule, hosts)
    try:
        return listed_hosts(hosts, "must be names such as node[01-04,07]")
    except InputError as error:
        raise FileError(text.path, number, error.rule, error.value) from None


def _once(text: Text, number: int, name: str, known: dict[str, Any]) -> dict[str, Any]:
    if name in known:
        raise FileError(text.path, number, "must have one line", name)
    return known


def _add_switch(
    text: Text, number: int, stated: dict[str, str], names: list[str], tree: _Tree, notes: list[str]
) -> None:
    switch = stated["switchname"]
    _once(text, number, switch, tree.lines)
    tree.lines[switch] = number
    tree.nodes[switch] = names
    tree.children[switch] = _names(text, number, stated.get("switches"))
    tree.speed[switch] = _speed(text, number, stated.get("linkspeed", "1"), notes)
    for part in (names, tree.children[switch]):
        if len(set(part)) < len(part):
            twice = next(name for name in part if part.count(name) > 1)
            raise FileError(text.path, number, "must name each node and switch once", twice)


def _speed(text: Text, number: int, stated: str, notes: list[str]) -> Fraction:
    if stated.lower() in ("unlimited", "infinite"):
        notes.append(f"LinkSpeed={stated} is read as 1")
        return Fraction(1)
    match = _SPEED.fullmatch(stated)
    base = 10
    if match and match[1][:1] == "0" and len(match[1]) > 1:
        base = 16 if match[1][1] in "xX" else 8
    try:
        value = int(match[1], base) if match else 0
    except ValueError:
        value = 0
    if not match or value < 1:
        raise FileError(text.path, number, "LinkSpeed must be a positive integer", stated)
    suffix = match[2].lower()
    if suffix in ("m", "g", "t"):
        note = f"Slurm takes the suffix k alone: LinkSpeed with {match[2]} is read in units of 10^6"
        if note not in notes:
            notes.append(note)
        return Fraction(value * _SCALE[suffix], 10**6)
    return Fraction(value * _SCALE[suffix])


def _of_tree(text: Text, tree: _Tree, notes: list[str]) -> NetworkDescription:
    for switch, children in tree.children.items():
        for child in children:
            if child not in tree.nodes:
                line = tree.lines[switch]
                raise FileError(text.path, line, "a switch must have a separate line", child)
    below = _below(text, tree)
    ports: dict[str, list[str]] = {}
    for switch, names in tree.nodes.items():
        repeated = {name for child in tree.children[switch] for name in below[child]}
        own = [name for name in names if name not in repeated]
        if tree.children[switch] and own:
            note = f"{own[0]} is linked with {switch}, which has switches below it"
            notes.append(f"{note}; Slurm ignores Switches= beside Nodes=")
        for name in own:
            if name in tree.nodes:
                line = tree.lines[switch]
                raise FileError(text.path, line, "must be a node or a switch, not both", name)
            ports.setdefault(name, []).append(switch)
    place = {switch: k for k, switch in enumerate(tree.nodes)}
    several = [name for name, switches in ports.items() if len(switches) > 1]
    if several:
        first = several[0]
        more = f", and {len(several) - 1} further nodes have several" if len(several) > 1 else ""
        notes.append(
            f"{first} has {len(ports[first])} ports, at {' and '.join(ports[first])}{more}"
        )
    cables = [
        Cable(place[child], place[parent], tree.speed[child], rises=True)
        for child, parent in _uplinks(tree)
    ]
    hosts = [HostPorts(name, tuple(place[s] for s in on)) for name, on in ports.items()]
    return NetworkDescription(tuple(hosts), tuple(place), tuple(cables))


def _uplinks(tree: _Tree) -> Iterator[tuple[str, str]]:
    """Yield every switch with each switch above it, in the order of the file."""
    for switch, children in tree.children.items():
        yield from ((child, switch) for child in children)


def _below(text: Text, tree: _Tree) -> dict[str, set[str]]:
    """Return the nodes at or below every switch.

    Raises:
        FileError: the switches form a circle.
    """
    below: dict[str, set[str]] = {}
    waiting = dict(tree.children)
    while waiting:
        ready = [s for s, children in waiting.items() if all(c in below for c in children)]
        if not ready:
            switch = next(iter(waiting))
            rule = "a switch must not be below itself"
            raise FileError(text.path, tree.lines[switch], rule, switch)
        for switch in ready:
            del waiting[switch]
            below[switch] = {*tree.nodes[switch]}.union(*(below[c] for c in tree.children[switch]))
    return below


def _sizes(text: Text, number: int, stated: Sequence[object]) -> list[int]:
    """Return BlockSizes, each a power of two times the first.

    Raises:
        FileError: they are not.
    """
    words = [str(size).strip() for size in stated]
    sizes = [int(word) if re.fullmatch(r"[0-9]{1,9}", word) else 0 for word in words]
    ratios = [size // sizes[0] if sizes[0] and size % sizes[0] == 0 else 0 for size in sizes]
    if not all(ratio and ratio & (ratio - 1) == 0 for ratio in ratios):
        rule = "BlockSizes must be numbers of nodes, each a power of two times the first"
        raise FileError(text.path, number, rule, ",".join(words))
    return sizes


def _groups_of_sizes(text: Text, blocks: dict[str, list[str]], sizes: list[int]) -> list[list[str]]:
    """Return the blocks that are joined at every level: 2^k neighbours in the order of the file."""
    names = list(blocks)
    groups: list[list[str]] = []
    for size in sorted(set(sizes))[1:]:
        many = size // min(sizes)
        groups += [names[k : k + many] for k in range(0, len(names), many)]
    return groups


def _of_blocks(
    text: Text, blocks: dict[str, list[str]], groups: list[list[str]], notes: list[str]
) -> NetworkDescription:
    """Return a switch for each block, for each group of blocks, and one above all.

    Raises:
        FileError: a group of blocks that are none, or overlap another without being inside it.
    """
    place = {name: k for k, name in enumerate(blocks)}
    for group in groups:
        if unknown := next((name for name in group if name not in place), None):
            raise FileError(text.path, 0, "an aggregated block must be of blocks", unknown)
    sets = {frozenset(place[name] for name in group) for group in groups}
    everything = frozenset(place.values())
    levels = sorted({s for s in sets if 1 < len(s) < len(place)}, key=lambda s: (len(s), min(s)))
    levels += [everything] * (len(place) > 1)
    switches = [*blocks]
    cables: list[Cable] = []
    above = {k: frozenset((k,)) for k in everything}
    here = {frozenset((k,)): k for k in everything}
    for level in levels:
        here[level] = len(switches)
        joined = "+".join(switches[k] for k in (min(level), max(level)))
        name = "top" if level == everything else joined
        switches.append(name if name not in switches else f"above {name}")
        for part in dict.fromkeys(above[k] for k in sorted(level)):
            if not part < level:
                rule = "aggregated blocks must be apart, or one inside the other"
                raise FileError(text.path, 0, rule, switches[-1])
            cables.append(Cable(here[part], here[level], rises=True))
        above |= dict.fromkeys(level, level)
    between = f", {len(levels) - 1} above groups of blocks" if len(levels) > 1 else ""
    model = f"A block is modelled as one switch{between}, with one switch above all blocks"
    notes.append(f"{model}; links are 1")
    hosts = [
        HostPorts(name, (block,)) for block, names in enumerate(blocks.values()) for name in names
    ]
    return NetworkDescription(
        tuple(hosts), tuple(switches), tuple(cables), groups=tuple(map(tuple, blocks.values()))
    )


def _of_rings(rings: dict[str, list[str]]) -> NetworkDescription:
    """Return a network with a router per node, linked with the next; several rings are apart."""
    if len(rings) == 1:
        names = next(iter(rings.values()))
        hosts = tuple(HostPorts(name, (k,)) for k, name in enumerate(names))
        return NetworkDescription(hosts, word=f"torus:{len(names)}" if names else "")
    nodes = [name for names in rings.values() for name in names]
    cables: list[Cable] = []
    first = 0
    for names in rings.values():
        steps = range(len(names) if len(names) > 2 else len(names) - 1)
        cables += [Cable(first + k, first + (k + 1) % len(names)) for k in steps]
        first += len(names)
    hosts = tuple(HostPorts(name, (k,)) for k, name in enumerate(nodes))
    groups = tuple(map(tuple, rings.values()))
    return NetworkDescription(hosts, tuple(nodes), tuple(cables), groups=groups)


def _sides(text: Text, number: int, dims: str | None) -> tuple[int, ...]:
    sides = (dims or "").lower().split("x")
    if not all(side.isascii() and side.isdecimal() and 0 < int(side) < 10**6 for side in sides):
        raise FileError(text.path, number, "Dims must be sides such as 4x4x2", dims)
    return tuple(map(int, sides))


def _single(text: Text, items: Sequence[Any]) -> Any:
    if len(items) > 1:
        rule = "must have one torus; the others are machines of their own"
        raise FileError(text.path, 0, rule, ", ".join(str(item[0]) for item in items))
    return items[0]


def _of_torus(
    text: Text, name: str, sides: tuple[int, ...], nodes: Sequence[str | None]
) -> NetworkDescription:
    """Return a torus whose node at position k has the k-th name; None has no node."""
    if len(nodes) > prod(sides):
        rule = f"{name} must have at most {prod(sides)} nodes"
        raise FileError(text.path, 0, rule, len(nodes))
    hosts = tuple(HostPorts(node, (k,)) for k, node in enumerate(nodes) if node is not None)
    return NetworkDescription(hosts, word="torus:" + "x".join(map(str, sides)))


# -- topology.yaml --------------------------------------------------------------------------------


def is_yaml(text: Text) -> bool:
    """Return whether the first line with text opens a list of topologies."""
    for _, line in text.filled():
        if line.startswith("#"):
            continue
        return bool(re.match(r"---\s*(#.*)?$|-\s*topology\s*:", line)) and "topology" in text.head
    return False


def read_yaml(text: Text, topology: str | None = None) -> Found:
    """Return the network of a topology.yaml.

    Args:
        text: its content.
        topology: the name of one of its topologies; the default of the cluster, or the only one,
            if left out.

    Raises:
        FileError: no such file, several topologies and no default, or one without nodes.
        InputError: PyYAML is not installed.
    """
    try:
        import yaml
    except ImportError:
        rule = "must be installed to read topology.yaml: pip install 'lccmodel[yaml]'"
        raise InputError("PyYAML", rule, "none") from None
    try:  # the base loader leaves every scalar a text: 012 and `no` are names
        document = yaml.load(text.content, yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or type(error).__name__
        line = mark.line + 1 if mark else 0
        raise FileError(text.path, line, "must be YAML", reason) from None
    items = document if isinstance(document, list) else []
    if not items or not all(isinstance(item, dict) and "topology" in item for item in items):
        raise FileError(text.path, 0, "must be a list of `topology: NAME`", type(document).__name__)
    names = [str(item["topology"]) for item in items]
    chosen = _chosen(text, items, names, topology)
    notes = [f"This is topology {chosen['topology']} of {len(items)}"] if len(items) > 1 else []
    if "tree" in chosen:
        network = _of_tree(text, _yaml_tree(text, chosen["tree"], notes), notes)
    elif "block" in chosen:
        blocks = _yaml_lists(text, chosen["block"], "blocks", "block")
        stated = chosen["block"].get("block_sizes", [])
        stated = stated if isinstance(stated, list) else str(stated).split(",")
        groups = _groups_of_sizes(text, blocks, _sizes(text, 0, stated))
        network = _of_blocks(text, blocks, groups, notes)
    elif "ring" in chosen:
        network = _of_rings(_yaml_lists(text, chosen["ring"], "rings", "ring"))
    elif "torus3d" in chosen:
        network = _of_torus(text, *_yaml_torus(text, chosen["torus3d"]))
    else:
        rule = (
            "must have a tree, block, ring or torus3d; flat names no switches: state the network, "
            "such as fattree:4^3"
        )
        raise FileError(text.path, 0, rule, chosen["topology"])
    return _found(text, network, notes)


def _chosen(
    text: Text, items: list[dict[str, Any]], names: list[str], topology: str | None
) -> dict[str, Any]:
    listing = ", ".join(names)
    if topology is not None:
        if topology not in names:
            raise FileError(text.path, 0, f"topology {word_rule(topology, names)}", topology)
        return items[names.index(topology)]
    if len(items) == 1:
        return items[0]
    defaults = [i for i in items if str(i.get("cluster_default", "")).lower() in _TRUE]
    if len(defaults) != 1:
        rule = "has several topologies: choose one by slurm:FILE,topology=NAME"
        raise FileError(text.path, 0, rule, listing)
    return defaults[0]


_TRUE = ("true", "yes", "on", "1")


def _yaml_items(text: Text, section: Any, key: str) -> list[dict[str, Any]]:
    items = section.get(key) if isinstance(section, dict) else None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise FileError(text.path, 0, f"must have a list `{key}:`", key)
    return items


def _yaml_tree(text: Text, section: Any, notes: list[str]) -> _Tree:
    tree = _Tree()
    for item in _yaml_items(text, section, "switches"):
        stated = {
            "switchname": str(item.get("switch", "")),
            **({"switches": str(item["children"])} if item.get("children") else {}),
            **({"linkspeed": str(item["link_speed"])} if item.get("link_speed") else {}),
        }
        if not stated["switchname"]:
            raise FileError(text.path, 0, "must have `switch: NAME`", sorted(item))
        names = _names(text, 0, str(item["nodes"]) if item.get("nodes") else None)
        _add_switch(text, 0, stated, names, tree, notes)
    if not tree.nodes:
        raise FileError(text.path, 0, "must have switches", "none")
    return tree


def _yaml_lists(text: Text, section: Any, key: str, name: str) -> dict[str, list[str]]:
    lists: dict[str, list[str]] = {}
    for item in _yaml_items(text, section, key):
        label = str(item.get(name, ""))
        _once(text, 0, label, lists)
        lists[label] = _names(text, 0, str(item["nodes"]) if item.get("nodes") else None)
    return lists


def _yaml_torus(text: Text, section: Any) -> tuple[str, tuple[int, ...], list[str | None]]:
    torus = _single(
        text, [(str(item.get("name", "")), item) for item in _yaml_items(text, section, "toruses")]
    )[1]
    sides = _triple(text, torus.get("dims"), 1)
    name = str(torus.get("name", "torus"))
    if not torus.get("regions"):
        nodes: list[str | None] = [*_names(text, 0, str(torus.get("nodes", "")) or None)]
        return name, sides, nodes
    places: list[str | None] = [None] * prod(sides)
    for region in _yaml_items(text, torus, "regions"):
        anchor, size = _triple(text, region.get("anchor"), 0), _triple(text, region.get("dims"), 1)
        names = _names(text, 0, str(region.get("nodes", "")) or None)
        if len(names) > prod(size):
            raise FileError(text.path, 0, f"a region must contain its {len(names)} nodes", size)
        for k, node in enumerate(names):
            step = (k % size[0], k // size[0] % size[1], k // (size[0] * size[1]))
            x, y, z = ((a + s) % n for a, s, n in zip(anchor, step, sides, strict=True))
            place = x + sides[0] * (y + sides[1] * z)
            if places[place] is not None:
                raise FileError(text.path, 0, "two nodes are at one place of the torus", node)
            places[place] = node
    return name, sides, places


def _triple(text: Text, value: Any, least: int) -> tuple[int, int, int]:
    numbers = [str(value.get(key, "")) for key in "xyz"] if isinstance(value, dict) else [""]
    if not all(n.isascii() and n.isdecimal() and least <= int(n) < 10**6 for n in numbers):
        raise FileError(text.path, 0, "must have dims and anchors with x, y and z", value)
    x, y, z = map(int, numbers)
    return x, y, z


FORMATS = (
    Format(
        name="slurm-topology",
        kind="network",
        tier=SIGNATURE,
        recognises=is_topology,
        read=read_topology,
        tool="Slurm, to 25.11: topology.conf, scontrol show topology",
        command="--network slurm:{path}",
        lacks="cables between switches: one link represents all of them",
    ),
    Format(
        name="slurm-topology-yaml",
        kind="network",
        tier=SIGNATURE,
        recognises=is_yaml,
        read=read_yaml,
        tool="Slurm 25.05 and later: topology.yaml",
        command="--network slurm:{path}",
        lacks="cables between switches: one link represents all of them",
    ),
)
