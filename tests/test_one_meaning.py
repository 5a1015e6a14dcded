"""One word, one meaning: a public class, type or function has its name to itself."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import lccmodel

HOUSE = Path(lccmodel.__file__).parent

THE_SAME = {
    "Bytes": "an array of small numbers",
    "Counters": "an array that is counted into",
    "Entries": "what a list holds, in its order",
    "Facts": "what is known: above a table, of a family's parameters",
    "Message": "source, destination and what is sent",
    "Parts": "pieces of a whole: of a version, of a word",
    "Piece": "a part of a function on an interval",
    "Program": "phases of messages: with networks, or as a certificate has them",
    "Rule": "what is allowed: options of a command, the next bit of a path",
    "Run": "one go: of annealing, of a benchmark in a log",
    "Segment": "a straight part of a piecewise function",
    "Tree": "levels of switches; what stays the same in a tree search",
    "Wiring": "channels as arrays: of a network, of the simulator's wires",
    "added_up": "equal keys together: messages, hosts",
    "contention": "loads of channels: of a problem, of a family for every n",
    "digits_of": "a number in mixed radix",
    "eliminated": "a matrix or facts after elimination",
    "grid_of": "the grid that is seen in coordinates, in a table of routes",
    "grouped": "things put together by what they share",
    "hosts_of": "hosts: of a network's nodes, of a file, of a collective's site",
    "is_topology": "whether a text is a topology: of GPUs, of Slurm",
    "network_of": "the network that a value stands for",
    "optimal_reordering": "the best order: for one n, for every n",
    "rank_file": "the file that makes a launcher place ranks",
    "rounds": "least rounds of a collective",
    "Nodes": "node numbers as an array",
    "stated_network": "the network that a user states",
    "table_of": "the table of a thing: of routes, of a result",
    "value_of": "the number that an expression or loads come to",
    "Format": "how a thing is written: a file that is read, a table that is shown",
    "F": "a function that a decorator takes",
    "Order": "bits in an order",
    "Provenance": "where a thing comes from",
    "Words": "an array of machine words",
    "State": "where a search stands: a walk of the lattice, a run of annealing",
    "cli": "the commands of a program",
    "main": "what a process runs",
    "node": "what a process of a measurement runs",
    "read": "what a file holds: of any kind, of messages",
    "recognise": "what something is by its content: a file, messages",
    "replay": "messages are moved and watched: any movement, the schedule of a task",
    "run": "start jobs: by mpirun, on threads",
}
"""Names of several definitions that mean one thing, and what."""


def public(tree: ast.Module) -> Iterator[str]:
    """Names without an underscore; a command bears the name of the function that it calls."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id  # a type: Ints = npt.NDArray[np.int64]
            yield from [name] if name[0].isupper() and (name == "F" or not name.isupper()) else ()
        if not isinstance(node, ast.ClassDef | ast.FunctionDef) or node.name.startswith("_"):
            continue
        if not any("command(" in ast.unparse(each) for each in node.decorator_list):
            yield node.name


def shared() -> dict[str, list[str]]:
    """The modules of every name that more than one of them defines."""
    homes: defaultdict[str, set[str]] = defaultdict(set)
    for path in sorted(HOUSE.rglob("*.py")):
        for name in public(ast.parse(path.read_text(encoding="utf-8"))):
            homes[name].add(str(path.relative_to(HOUSE)))
    return {name: sorted(found) for name, found in homes.items() if len(found) > 1}


def test_a_name_is_defined_once_or_means_one_thing() -> None:
    found = shared()
    assert {name: homes for name, homes in found.items() if name not in THE_SAME} == {}
    assert set(THE_SAME) <= set(found), "a reason without a name"


def test_the_names_of_commands_are_passed_over() -> None:
    tree = ast.parse("@click.command()\ndef route(): ...\ndef route_all(): ...\nclass _Own: ...")
    assert list(public(tree)) == ["route_all"]


def test_types_are_names_too() -> None:
    tree = ast.parse('Side = Literal["up", "down"]\nLIMIT = 3\n_Own = int')
    assert list(public(tree)) == ["Side"]
