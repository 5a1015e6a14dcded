"""The sections of [boppana], [edelman] and [sibeyn]: the numbers of their tables, counted anew."""

from __future__ import annotations

import importlib
from itertools import combinations, permutations, product

import pytest

from lccmodel.cli.report import report
from lccmodel.papers import boppana_section, edelman_section, reproduction, sibeyn_section
from lccmodel.papers.gallery import page
from lccmodel.papers.reproduction import (
    SECTIONS,
    PaperSection,
    PaperTable,
    PaperWork,
    Parts,
    chosen_papers,
    compared_table,
    make_section,
)
from lccmodel.show.style import figure_bytes

PAPERS = ("hou", "boppana", "calmant", "edelman", "sibeyn")


def test_all_papers_are_five() -> None:
    assert chosen_papers(["all"]) == tuple(SECTIONS) == PAPERS
    (option,) = (option for option in report.params if option.name == "papers")
    assert set(option.type.to_info_dict()["choices"]) == {*PAPERS, "all"}
    for paper in PAPERS:
        assert importlib.import_module(SECTIONS[paper]).SECTION.paper == paper


# -- the page ---------------------------------------------------------------------------------


def _section() -> PaperSection:
    rows = [("Section 1", "nodes", 8, 8), ("Section 2", "steps", 3, 4)]
    made = PaperTable("sizes", lambda: compared_table("Sizes & steps", "place", rows))
    return PaperSection("sibeyn", "About.", (made,), ())


def test_tables_of_a_paper_are_on_the_page_also_where_an_earlier_report_made_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("report")
    monkeypatch.setattr(reproduction, "_section", lambda name: _section())
    for is_kept in (False, True):
        parts = Parts(folder)
        with PaperWork(("sibeyn",), parts) as work:
            made = work.result(lambda text, kept=is_kept: pytest.fail(text) if kept else None)
        for name, content in made[0].files.items():
            path = folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
        (folder / reproduction.MANIFEST).write_bytes(parts.manifest())
        shown = page("Papers", "made", [made[0].chapter])
        assert "<b>Sizes &amp; steps</b>" in shown
        assert shown.count("<table>") == 1
        assert shown.index("<table>") > shown.index("About.")


def test_what_differs_from_the_print_is_marked() -> None:
    table = _section().tables[0].make()
    assert [row["equal"] for row in table.records()] == [True, False]
    assert list(make_section(_section()).files) == [
        f"sibeyn/{name}"
        for name in ("sizes.csv", "tables.md", "tables.tex", "tables.html", "README.md")
    ]


# -- [boppana] --------------------------------------------------------------------------------


def _self_routed(tags: dict[int, list[int]], n: int) -> list[dict[int, list[int]]]:
    """HL by what a processor sees: [boppana, section 2.3]."""
    states, used = [tags], set[int]()
    for _ in range(n):
        before, after = states[-1], dict[int, list[int]]()
        chosen = set[int]()
        for u, held in before.items():
            differs = held[0] ^ held[-1]
            bit = next(
                k for k in range(n) if (differs >> k & 1 if len(held) > 1 else k not in used)
            )
            chosen.add(bit)
            for y in held:
                after.setdefault(u ^ (u ^ y) & 1 << bit, []).append(y)
        used |= chosen
        states.append(after)
    return states


def test_figure_2_of_boppana_is_the_run_of_its_rule() -> None:
    """The tags of the table against processors that follow the rule on their own."""
    tags = {}
    for x in range(8):
        x2, x1, x0 = x >> 2 & 1, x >> 1 & 1, x & 1
        tags[x] = [(x1 ^ x0) << 2 | (x2 ^ x0 ^ 1) << 1 | x1 ^ 1]
    states = _self_routed(tags, 3)
    table = {
        part.name: part.make() for part in boppana_section.SECTION.tables if "fig2" in part.name
    }
    for u, row in enumerate(table["fig2-tags"].rows):
        shown = [sorted(cell) if isinstance(cell, tuple) else [] for cell in row[1:]]
        assert shown == [sorted(f"{y:03b}" for y in state.get(u, [])) for state in states]
    assert all(row["equal"] for row in table["fig2-text"].records())


def test_orders_of_hl_cover_both_classes() -> None:
    counts = dict(boppana_section.hl_orders_table().rows)
    assert sum(counts[order] for order in counts if len(order) == 2) == 24
    assert sum(counts[order] for order in counts if len(order) == 3) == 1344
    assert all(order[0] == 0 for order in counts)  # in state A the least bit is first


def test_meshes_take_the_printed_steps() -> None:
    """Theorem 2: as many steps as the farthest message has channels to cross."""
    for row in boppana_section.mesh_table().records():
        assert row["printed"] == row["all"] == row["distance"]
        assert row["one_formula"] == row["one"]


def test_sizes_of_classes_by_listing() -> None:
    """n = 2: 6 nonsingular matrices, one of which is diagonal, two more triangular in blocks."""
    row = boppana_section.partitioned_table().records()[1]
    matrices = [(a, b, c, d) for a, b, c, d in product((0, 1), repeat=4) if (a * d + b * c) % 2]
    diagonal = [m for m in matrices if not m[1] and not m[2]]
    divided = [m for m in matrices if not m[2]]  # the top bit of y depends on that of x alone
    assert (row["LIN"], row["LC"]) == (str(len(matrices)), str(4 * len(matrices)))
    assert row["LC_printed"] == str(4 * (len(matrices) - len(diagonal)))
    assert row["LC_true"] == str(4 * (len(matrices) - len(divided)))
    assert row["formula_printed"] == str(20 + 2 * 2**2)
    assert (row["PLC"], row["all"]) == ("24", "24")


# -- [edelman] --------------------------------------------------------------------------------


def test_orders_of_exchanges_by_minors() -> None:
    """Theorem 3.1: an order works if the principal minors of its beginnings are 1."""
    counts = [0, 0, 0, 0, 0]
    for a, b, c, d in product((0, 1), repeat=4):
        if not (a * d + b * c) % 2:
            continue
        works = [a, d]  # order (0, 1) begins with minor a, order (1, 0) with minor d
        counts = [
            total + found
            for total, found in zip(
                counts, (1, works[0], all(works), any(works), not any(works)), strict=True
            )
        ]
    assert edelman_section.exchange_orders_table(2).rows[1] == (2, *counts)


def test_gray_codes_by_the_exchanges_of_the_table() -> None:
    """Each line of a direction carried out on all nodes: x becomes x xor (x >> 1), or back."""
    lines: dict[str, list[tuple[int, str]]] = {}
    for row in edelman_section.coding_table(4).records():
        lines.setdefault(str(row["operation"]), []).append(
            (row["dimension"], str(row["condition"]))
        )
    for name, steps in lines.items():
        for x in range(16):
            u = x
            for dimension, condition in steps:
                bits = (
                    [int(term[1:]) for term in condition.split(" + ")] if "u" in condition else []
                )
                u ^= (sum(u >> bit & 1 for bit in bits) & 1) << dimension
            start, end = (x, u) if name.startswith("encoding") else (u, x)
            assert end == start ^ start >> 1, name
    codes = [int(str(row["code"]), 2) for row in edelman_section.gray_table().records()]
    assert codes == [0, 1, 3, 2, 6, 7, 5, 4]


def test_shuffles_and_factorizations_by_multiplying_out() -> None:
    assert all(row["equal"] for row in edelman_section.shuffles_table().records())
    pairs = list(combinations(range(4), 2))
    listed = 0
    for factors in product(pairs, repeat=3):
        at = [0, 1, 2, 3]
        for i, j in factors:
            at = [j if bit == i else i if bit == j else bit for bit in at]
        listed += at == [1, 2, 3, 0]
    assert edelman_section.factorizations_table(4).rows[-1][1:3] == (listed, listed) == (16, 16)


def test_pipelines_and_the_definition() -> None:
    for row in edelman_section.pipeline_table(4).records():
        assert row["swaps"] == row["formula"]
        assert row["busiest"] == 1
    assert all(row["equal"] for row in edelman_section.definition_table().records())
    for row in edelman_section.transformations_table().records():
        assert row["pairs"] == "none" or row["communication"] != "Gray code"


# -- [sibeyn] ---------------------------------------------------------------------------------


def test_registers_differ_from_the_print_in_one_line_only() -> None:
    """In the processors where the lines differ there are no data in that pass."""
    rows = sibeyn_section.registers_compared().records()
    (k,) = [k for k, row in enumerate(rows) if not row["equal"]]
    assert (rows[k]["place"], rows[k]["quantity"]) == ("i = 2", "selected")
    printed, run = (str(rows[k][key]).split() for key in ("printed", "counted"))
    before = {row["quantity"]: str(row["counted"]).split() for row in rows[:k]}
    for p, (first, second) in enumerate(zip(printed, run, strict=True)):
        if first != second:
            assert before["newdata"][p] == before["olddata"][p] == "∅"


def test_examples_of_sibeyn() -> None:
    assert all(row["equal"] for row in sibeyn_section.example_1_table().records())
    assert all(row["equal"] for row in sibeyn_section.example_2_table().records())
    assert all(row["equal"] for row in sibeyn_section.complements_table(4).records())
    for row in sibeyn_section.example_4_table().records():
        side = 1 << row["n"] // 2
        if row["communication"] != "Ex(02) Ex(13)":  # opposite corners change places
            assert row["steps"] == row["distance"] == 4 * side - 4
            assert row["verdict"] == "optimal"
        else:
            assert (row["skipped"], row["distance"], row["verdict"]) == (12, 4, "not optimal")


def test_a_decomposition_is_the_permutation() -> None:
    """(5), by its rows: bit i gets c_i and its row of W; then the cycle 0, 1, 2 turns."""
    rows = {row["i"]: row for row in sibeyn_section.operations_table().records()}
    W = [int(str(rows[i]["W"]), 2) for i in range(4)]
    assert W[3] != int(str(rows[3]["VL"]), 2)
    for x in range(16):
        x0, x1, x2, x3 = (x >> bit & 1 for bit in range(4))
        z = x
        for i in range(4):
            bit = ((z & W[i]).bit_count() & 1) ^ rows[i]["c"]
            z = z & ~(1 << i) | bit << i
            if i == 2:  # the end of the cycle: bit 0 to 1, 1 to 2, 2 to 0
                low = z & 7
                z = z & 8 | (low << 1 | low >> 2) & 7
        assert z == (x2 ^ 1) | x0 << 1 | x1 << 2 | (x0 ^ x1 ^ x3 ^ 1) << 3


def test_steps_and_numberings_of_sibeyn(monkeypatch: pytest.MonkeyPatch) -> None:
    """n = 2: 24 affine permutations of four processors, all permutations, need 10/3 on average."""
    monkeypatch.setattr(sibeyn_section, "_SAMPLES", 30)
    for row in sibeyn_section.costs_table().records():
        assert row["counted"] == row["printed"]
        assert row["average"] < row["mean"] <= row["printed"]
    needed = 0
    for images in permutations(range(4)):
        ways = [(y & 1) - (x & 1) for x, y in enumerate(images)]
        up = [(y >> 1) - (x >> 1) for x, y in enumerate(images)]
        needed += max(ways) - min(ways) + max(up) - min(up)
    assert needed / 24 == pytest.approx(10 / 3)
    rows = sibeyn_section.numberings_table().records()
    assert [row["counted"] for row in rows] == ["yes"] * 3


# -- figures ----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("paper", ["boppana", "edelman", "sibeyn"])
def test_every_figure_is_drawn_alike_twice(paper: str) -> None:
    for figure in importlib.import_module(SECTIONS[paper]).SECTION.figures:
        first, second = figure_bytes(figure.draw()), figure_bytes(figure.draw())
        assert first == second
        assert all(len(content) > 1000 for content in first.values())
