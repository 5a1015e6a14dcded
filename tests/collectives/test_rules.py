"""Decision files: thresholds are exact crossovers of the library's own algorithms.

A rule changes where the times s α + d m τ of two algorithms are equal (docs/collectives.md).
"""

import csv
import json
import re
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lccmodel import collectives
from lccmodel.collectives.algorithms import Site
from lccmodel.collectives.decision_files import (
    _IDS,
    PAGE,
    RulesFile,
    SizeRule,
    rules_file,
    rules_text,
)
from lccmodel.collectives.defaults import defaults_of
from lccmodel.collectives.libraries import CUT, FUNCTIONS, LIBRARIES, NUMBERS, theirs, words_of
from lccmodel.collectives.mpich_tables import MpichTable, read_mpich_table
from lccmodel.errors import FileError, InputError
from lccmodel.pipelining import Linear
from tests.choosing import sampled

COST = Linear(5, "1/1000")
NAMES = ("allreduce", "allgather", "alltoall", "barrier", "bcast", "reduce", "reduce_scatter")
OWN = {"algorithm=MPIR_Own": {}}
BASE = MpichTable(
    {f"collective={name}": {"comm_type=intra": OWN, "comm_type=inter": OWN} for name in NAMES}
)


def base_of(kind: str) -> MpichTable | None:
    return BASE if kind == "mpich" else None


def times(kind: Any, name: Any, network: str, size: int) -> dict[str, Fraction]:
    times_of = {}
    for each in words_of(kind, name):
        try:
            one = collectives.collective_of(name, theirs(kind, name, each), network)
        except InputError:
            continue
        cut = (name, each) in CUT[kind]
        times_of[each] = one.best_segments(COST, size).time if cut else one.time(COST, size)
    return times_of


@pytest.mark.parametrize("kind", sampled(LIBRARIES, 2))
@pytest.mark.parametrize(
    ("name", "network"),
    [("allreduce", "torus:4x4"), ("broadcast", "mesh:6"), ("allgather", "cube:3")],
)
def test_a_rule_is_the_fastest_from_its_first_byte_on(kind, name, network):
    rules = rules_file(kind, name, COST, 100, 10**6, network).rules
    assert (rules[0].first, rules[-1].last) == (100, 10**6)
    for rule in rules:
        for size in (rule.first, rule.last):
            at = times(kind, name, network, size)
            assert at[rule.algorithm] == min(at.values())
    for before, rule in pairwise(rules):
        assert before.last == rule.first - 1
        assert (before.algorithm, before.segment) != (rule.algorithm, rule.segment)
        early = times(kind, name, network, before.last)
        assert early[before.algorithm] <= early[rule.algorithm]


def ompi_chooses(text: str, ranks: int, size: int) -> tuple[int, int]:
    """(algorithm, segment) as Open MPI 5 reads a file; its rule: the last that does not exceed."""
    numbers = [int(word) for line in text.splitlines() for word in line.partition("#")[0].split()]
    one, _, count, *rest = numbers
    assert one == 1
    chosen = (0, 0)
    for _ in range(count):
        p, many, *rest = rest
        rows = [rest[4 * k : 4 * k + 4] for k in range(many)]
        rest = rest[4 * many :]
        assert rows[0][0] == 0  # or Open MPI refuses the file
        assert [row[0] for row in rows] == sorted({row[0] for row in rows})
        if p <= ranks:
            row = [row for row in rows if row[0] <= size][-1]
            chosen = row[1], row[3]
    assert rest == []
    return chosen


def json_chooses(text: str, name: str, ranks: int, size: int) -> tuple[int, int]:
    """The same as Open MPI 6 reads its JSON: the first that fits, else its own choice."""
    whole = json.loads(text)
    assert set(whole) == {"rule_file_version", "module", "collectives"}
    for entry in whole["collectives"][name]:
        if entry["comm_size_min"] <= ranks <= entry["comm_size_max"]:
            for rule in entry["rules"]:
                if rule["msg_size_min"] <= size <= rule["msg_size_max"]:
                    return rule["alg"], rule.get("seg_size", 0)
    return 0, 0


def mpich_chooses(tree: Any, facts: dict[str, Any]) -> tuple[str, list[str]]:
    """The algorithm and its parameters: the first branch of each level that holds."""
    for key, below in tree.items():
        what, _, value = key.replace("<=", "=").replace("count<", "count=").partition("=")
        if what == "algorithm":
            return value, list(below)
        if value == "any":
            holds = True
        elif "<=" in key:
            holds = facts[what] <= int(value)
        else:
            holds = facts.get(what, facts.get(f"{what}={value}")) == value
        if holds:
            return mpich_chooses(below, facts)
    raise AssertionError(tree)


@cache
def broadcasts() -> dict[str, tuple[tuple[SizeRule, ...], str]]:
    asked = ("broadcast", COST, 64, 2_000_000, "mesh:16")
    made = {k: rules_file(k, *asked, base=base_of(k)) for k in LIBRARIES}
    return {kind: (file.rules, file.text) for kind, file in made.items()}


@given(st.integers(1, 40), st.integers(0, 3_000_000))
def test_what_libraries_choose_is_what_the_rules_say(ranks, size):
    """Read back by small readers of each format, for any communicator and size."""
    rules = {kind: rules for kind, (rules, _) in broadcasts().items()}
    text = {kind: text for kind, (_, text) in broadcasts().items()}
    inside = ranks == 16 and 64 <= size <= 2_000_000
    rule = next((r for r in rules["ompi"] if inside and r.first <= size <= r.last), None)
    expected = (0, 0)
    if rule is not None:
        expected = int(NUMBERS["broadcast"][rule.algorithm]), rule.segment
    assert ompi_chooses(text["ompi"], ranks, size) == expected
    assert json_chooses(text["ompi6"], "bcast", ranks, size) == expected
    tree = json.loads(text["mpich"])["collective=bcast"]
    facts = {"comm_type": "intra", "comm_size": ranks, "avg_msg_size": size}
    called, parameters = mpich_chooses(tree, facts)
    if not inside:
        assert called == "MPIR_Own"  # 0.4 took the nearest rule, or one that is always right
    else:
        [rule] = [r for r in rules["mpich"] if r.first <= size <= r.last]
        assert called == f"MPIR_{FUNCTIONS['broadcast'][rule.algorithm]}"
        assert (f"chunk_size={rule.segment}" in parameters) == bool(rule.segment)
    rows = [row for row in csv.reader(text["nccl"].splitlines()) if row[0][0] != "#"]
    fits = [row for row in rows if int(row[1]) <= size <= int(row[2]) and int(row[7]) == ranks]
    # channels 0: NCCL's own number, where -1 in 0.4 left the plugin's preset 1 in force
    assert [row[:1] + row[3:7] for row in fits] == (
        [["broadcast", "ring", "simple", "0", "-1"]] if inside else []
    )


def test_conditions_of_mpich_are_kept():
    """Rabenseifner's needs a built-in operation and an item a rank; others go in place."""
    asked = ("mpich", "allreduce", COST, 10**6, 10**6, "cube:3")
    file = rules_file(*asked, only=("rabenseifner",), base=BASE)
    tree = json.loads(file.text)["collective=allreduce"]
    facts: dict[str, Any] = {"comm_type": "intra", "comm_size": 8, "avg_msg_size": 10**6}
    facts |= {"is_op_built_in": "yes", "count": "many"}
    assert mpich_chooses(tree, facts)[0] == "MPIR_Allreduce_intra_reduce_scatter_allgather"
    for worse in ({"is_op_built_in": "no"}, {"count": "pow2"}):
        assert mpich_chooses(tree, facts | worse)[0] == "MPIR_Own"
    blocks = rules_file("mpich", "alltoall", COST, 1, 10**6, "cube:3", base=BASE)
    tree = json.loads(blocks.text)["collective=alltoall"]
    first, after = blocks.rules[:2]
    facts = {"comm_type": "intra", "comm_size": 8, "is_sendbuf_inplace": "no"}
    for rule, size in ((first, first.last // 8), (after, -(-after.first // 8))):
        called = mpich_chooses(tree, facts | {"avg_msg_size": size})[0]
        assert called == f"MPIR_{FUNCTIONS['alltoall'][rule.algorithm]}"  # a block has m / p bytes


def test_open_mpi_knows_ranks_alone():
    """Our ring goes round the torus, with all ports on several cycles; theirs by rank, once."""
    ring = theirs("ompi", "allreduce", "ring")
    by_rank = collectives.collective_of("allreduce", ring, "torus:4x4", ports="all")
    row = collectives.plan("allreduce", "ring", 16)
    assert sorted(by_rank.plan.transfers()) == sorted(row.transfers())
    ours = collectives.allreduce("ring", "torus:4x4", ports="all")
    assert sorted(ours.plan.transfers()) != sorted(row.transfers())


def test_trees_of_open_mpi_reach_every_rank():
    words = ("chain", "binary", "binomial")
    for ranks, name, word in product(range(2, 18), ("broadcast", "reduce"), words):
        made = collectives.collective_of(name, theirs("ompi", name, word), f"mesh:{ranks}")
        assert made.replay().ok, (ranks, name, word)


def test_a_barrier_has_no_size():
    file = rules_file("ompi", "barrier", COST, 1024, 2048, "mesh:4")
    assert ompi_chooses(file.text, 4, 0) == (4, 0)
    assert ompi_chooses(file.text, 5, 0) == (0, 0)
    six = json.loads(rules_file("ompi6", "barrier", COST, 1, 2, "mesh:4").text)
    assert six["collectives"]["barrier"][0]["rules"] == [{"alg": 4}]


@pytest.mark.parametrize("kind", LIBRARIES)
def test_several_collectives_in_one_file(kind):
    asked = ("allreduce", "broadcast", "allgather")
    base = base_of(kind)
    files = [rules_file(kind, name, COST, 64, 10**6, "torus:8", base=base) for name in asked]
    text = rules_text(files)
    if kind == "ompi":
        _, head, rest = text.split("\n", 2)
        assert head == "3 # collectives"
        assert rest == "".join(file.text.split("\n", 2)[2] for file in files)
    elif kind == "nccl":
        rows = [line for file in files for line in file.text.splitlines()[1:]]
        assert text.splitlines()[1:] == rows
    elif kind == "ompi6":
        alone = [json.loads(file.text)["collectives"] for file in files]
        assert json.loads(text)["collectives"] == {k: v for read in alone for k, v in read.items()}
    else:
        tables = [json.loads(file.text).items() for file in files]
        changed = {k: v for table in tables for k, v in table if v != BASE.table[k]}
        assert json.loads(text) == {**BASE.table, **changed}
        assert len(changed) == 3
    with pytest.raises(InputError, match="of different collectives"):
        rules_text([files[0], files[0]])
    with pytest.raises(InputError, match="at least one"):
        rules_text([])


@pytest.mark.parametrize(
    ("kind", "name", "more", "complaint"),
    [
        ("nccl", "alltoall", {}, "collective: must be one of allreduce, broadcast"),
        ("nccl", "allreduce", {"only": ("swing",)}, 'algorithm: must be "ring" or "double-tree"'),
        ("ompi", "allreduce", {"only": ("swing",)}, "algorithm: must be one of recursive-doubling"),
        ("ompi", "rotate", {}, "collective"),
        ("ompi", "allreduce", {"only": ("rabenseifner",), "network": "mesh:6"},
         "algorithm rabenseifner: is for p a power of two"),
        ("lam", "allreduce", {}, "kind: must be one of ompi"),
        ("ompi", "allreduce", {"low": 10}, "low, high: the first must not exceed the second"),
        ("mpich", "allreduce", {"high": 2**31}, "high: must be at most 2147483647"),
        ("ompi", "allreduce", {"network": None}, "network: is required"),
        ("ompi", "allreduce", {"base": BASE}, "base: requires mpich"),
    ],
)  # fmt: skip
def test_bad_input(kind, name, more, complaint):
    asked: dict[str, Any] = {"low": 1, "high": 9, "network": "torus:4"} | more
    with pytest.raises(InputError, match=complaint):
        rules_file(kind, name, COST, **asked)


def test_collectives_have_the_numbers_of_open_mpi():
    """Its enumeration COLLTYPE, from 0 on."""
    order = (
        "allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "alltoallw", "barrier",
        "broadcast", "exscan", "gather", "gatherv", "reduce", "reduce-scatter",
    )  # fmt: skip
    assert {name: order.index(name) for name in _IDS} == _IDS


@pytest.mark.parametrize(("name", "children"), [("chain", 1), ("binary", 2)])
def test_pipelined_trees_of_mpich_have_so_many_children(name, children):
    """A chain is a tree of one child; a message that is not cut is one chunk."""
    rules = (SizeRule(0, 99, name, 10), SizeRule(100, 199, name, 0))
    text = RulesFile("mpich", "broadcast", 8, 8, rules, (), BASE).text
    assert set(re.findall(r"\bk=(\d+)", text)) == {str(children)}
    assert re.findall(r"chunk_size=(\d+)", text) == ["10", "200"]


def test_roots_of_nodes_have_rules_of_their_own_in_mpich():
    """Four nodes of two: 8 ranks, and 4 roots, as on mesh:4; any other size is MPICH's choice."""
    asked = (COST, 64, 10**6)
    file = rules_file("mpich", "allreduce", *asked, "mesh:4*2", base=BASE)
    alone = rules_file("mpich", "allreduce", *asked, "mesh:4", base=BASE)
    assert (file.ranks, file.nodes, file.roots) == (8, 4, alone.rules)
    tree = json.loads(file.text)["collective=allreduce"]
    facts: dict[str, Any] = {"comm_type": "intra", "avg_msg_size": 10**6, "is_commutative": "yes"}
    facts |= {"is_op_built_in": "yes", "count": "many"}
    last = FUNCTIONS["allreduce"][file.roots[-1].algorithm]
    for ranks, hierarchy, called in (
        (4, "node_roots", f"MPIR_{last}"),
        (4, "parent", "MPIR_Own"),
        (3, "node_roots", "MPIR_Own"),
        (5, "node_roots", "MPIR_Own"),
        (8, "parent", f"MPIR_{FUNCTIONS['allreduce'][file.rules[-1].algorithm]}"),
        (9, "parent", "MPIR_Own"),
    ):
        here = facts | {"comm_size": ranks, "comm_hierarchy": hierarchy}
        assert mpich_chooses(tree, here)[0] == called, here
    assert json.loads(file.text)["collective=bcast"] == BASE.table["collective=bcast"]


def test_a_file_for_mpich_is_a_whole_table_where_0_4_wrote_a_fragment(tmp_path):
    """Without a base there is none; a library has its table inside, and the functions it knows."""
    with pytest.raises(InputError, match="base: must be the tuning file of your MPICH"):
        rules_text([rules_file("mpich", "allreduce", COST, 1, 9, "torus:4")])
    whole = {**BASE.table, "collective=ibarrier": OWN}
    file, library = tmp_path / "tuning.json", tmp_path / "libmpi.so"
    file.write_text(json.dumps(whole))
    inside = b"\0" + json.dumps(whole).encode() + b"\0"
    small = (
        b'\0{"collective=bcast":{"algorithm=MPIDI_X":{}}}\0algorithm=MPIR_Bcast_intra_binomial\0'
    )
    library.write_bytes(b"\x7fELF\xff" + small + inside)
    assert read_mpich_table(file) == MpichTable(whole)
    read = read_mpich_table(library)
    assert (read.table, "Bcast_intra_binomial" in (read.functions or ())) == (whole, True)
    made = rules_file("mpich", "broadcast", COST, 1, 10**6, "torus:4", base=library)
    assert {rule.algorithm for rule in made.rules} == {"binomial"}  # the only one it knows
    with pytest.raises(InputError, match="base: has no MPIR_Bcast_intra_pipelined_tree"):
        rules_file("mpich", "broadcast", COST, 1, 9, "torus:4", only=("chain",), base=library)
    for wrong in ("{}", "[]", "nothing", json.dumps({"collective=bcast": OWN})):
        file.write_text(wrong)
        with pytest.raises(FileError):
            read_mpich_table(file)
    with pytest.raises(FileError):
        read_mpich_table(tmp_path / "none.json")


def test_a_file_for_mpich_is_never_of_whole_pages():
    """MPICH maps the file and reads on to a zero byte."""

    def text_with(letters: int) -> str:
        table = {**BASE.table, "collective=x": {"algorithm=" + "y" * letters: {}}}
        return RulesFile("mpich", "barrier", 8, 8, (), (), MpichTable(table)).text

    fill = PAGE - len(text_with(0)) % PAGE
    for letters in range(fill - 1, fill + 3):
        assert len(text_with(letters)) % PAGE != 0, letters


# -- what Open MPI chooses by itself ------------------------------------------------------------

DECISIONS = [
    # collective, p, {size of the vector of a rank: number}; read off coll_tuned_decision_fixed.c
    ("allreduce", 3, {0: 4, 8: 3, 4096: 4, 8192: 3, 262143: 5, 262144: 6}),
    ("allreduce", 64, {262143: 3, 262144: 6}),
    ("allreduce", 128, {131071: 2, 131072: 3, 262144: 6}),
    ("allreduce", 5000, {2047: 2, 2048: 5, 16384: 3, 32768: 6}),
    ("broadcast", 100, {0: 7, 1 << 30: 7}),
    ("broadcast", 1500, {524287: 7, 524288: 8}),
    ("reduce", 10, {8191: 4, 8192: 5}),
    ("reduce-scatter", 64, {255: 1, 256: 2, 512: 4, 2048: 2, 4096: 4}),
    ("allgather", 2, {0: 6, 1 << 20: 6}),
    ("allgather", 40, {40 * 1023: 3, 40 * 1024: 5, 40 * 65536: 4}),
    (
        "alltoall",
        100,
        {100 * 1023: 3, 100 * 1024: 1, 100 * 2048: 4, 100 * 4096: 1, 100 * 262144: 2},
    ),
    ("scatter", 64, {64 * 511: 2, 64 * 512: 3}),
    ("gather", 400, {400 * 2047: 2, 400 * 2048: 1, 400 * 8192: 2}),
    ("barrier", 100, {0: 4}),
    ("barrier", 300, {0: 6}),
]


@pytest.mark.parametrize(("collective", "ranks", "expected"), DECISIONS)
def test_switch_points_of_the_fixed_decision(collective, ranks, expected):
    chosen = defaults_of(collective, ranks)
    for size, number in expected.items():
        assert [d for d in chosen if d.first <= size][-1].number == number


@pytest.mark.parametrize("collective", collectives.COLLECTIVES)
def test_plans_of_defaults_do_what_they_shall(collective):
    for ranks in (2, 3, 6, 8, 33):
        for default in defaults_of(collective, ranks):
            if default.algorithm is not None:
                plan = default.algorithm.on(Site(ranks, (ranks,)))
                assert plan.replay().ok, default


def test_an_allreduce_of_six_ranks_folds_halves_by_hand():
    """Ranks 0..3 swap halves in pairs, 1 and 3 send theirs home: m/2 and m/2, and m at the end."""
    rule = defaults_of("allreduce", 6)[-1].algorithm
    assert rule is not None
    plan = rule.on(Site(6, (6,)))
    assert plan.steps == 2 + 4 + 1
    share = [
        sum(Fraction(send.size * len(send.source), plan.blocks) for send in stage.sends)
        for stage in plan.stages
    ]
    assert (share[0], share[1], share[-1]) == (2, 1, 2)


def test_times_beside_the_best_by_hand():
    """16 ranks, 1 MiB: Rabenseifner's by rank, 8 steps; hyperx:16 has a link for every pair."""
    row = collectives.default_costs("allreduce", COST, 2**20, 2**20, "hyperx:16")[0]
    assert row.times is not None
    assert row.times[0] == 8 * 5 + 2 * Fraction(15, 16) * 2**20 / 1000
    assert row.best[0].time <= row.times[0]
    rows = collectives.default_costs("broadcast", COST, 1, 2**20, "torus:5x5")
    assert [(int(r.sizes[0]), r.default.number) for r in rows] == [(1, 7), (4096, 6), (2**20, 8)]
    assert rows[-1].times is None  # on 25 ranks its messages are none of ours


def test_refusals_of_defaults():
    with pytest.raises(InputError, match="ranks: must be at least 2"):
        defaults_of("allreduce", 1)
    with pytest.raises(InputError, match="must not exceed"):
        collectives.default_costs("reduce", COST, 9, 1, "torus:4")
