"""The sections of [boppana], [edelman] and [sibeyn]: what their tables state beside the print.

The claims of proofs_check settle the facts; here the rows of the tables are worked out anew.
"""

import importlib
from itertools import combinations, product

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
OLDER = ("boppana", "edelman", "sibeyn")


def test_all_papers_are_five():
    assert chosen_papers(["all"]) == tuple(SECTIONS) == PAPERS
    (option,) = (option for option in report.params if option.name == "papers")
    assert set(option.type.to_info_dict()["choices"]) == {*PAPERS, "all"}


COMPARED = {
    "boppana": ("fig2-text",),
    "edelman": ("definition", "shuffles"),
    "sibeyn": ("example-1", "example-2", "example-3", "complements"),
}


@pytest.mark.parametrize("paper", OLDER)
def test_values_equal_the_print_in_all_lines_but_one(paper):
    """[sibeyn, Example 3]: where the printed line differs, no processor has data in that pass."""
    section = importlib.import_module(SECTIONS[paper]).SECTION
    assert section.paper == paper
    tables = [part.make().records() for part in section.tables if part.name in COMPARED[paper]]
    assert len(tables) == len(COMPARED[paper])
    differing = [(rows, k) for rows in tables for k, row in enumerate(rows) if not row["equal"]]
    assert len(differing) == (paper == "sibeyn")
    for rows, k in differing:
        assert (rows[k]["place"], rows[k]["quantity"]) == ("i = 2", "selected")
        before = {row["quantity"]: str(row["counted"]).split() for row in rows[:k]}
        printed, run = (str(rows[k][key]).split() for key in ("printed", "counted"))
        for p, (first, second) in enumerate(zip(printed, run, strict=True)):
            if first != second:
                assert before["newdata"][p] == before["olddata"][p] == "∅"


def _section() -> PaperSection:
    rows = [("Section 1", "nodes", 8, 8), ("Section 2", "steps", 3, 4)]
    made = PaperTable("sizes", lambda: compared_table("Sizes & steps", "place", rows))
    return PaperSection("sibeyn", "About.", (made,), ())


def test_tables_of_a_paper_are_on_the_page_also_where_an_earlier_report_made_them(
    monkeypatch, tmp_path_factory
):
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


def test_what_differs_from_the_print_is_marked():
    table = _section().tables[0].make()
    assert [row["equal"] for row in table.records()] == [True, False]
    names = ("sizes.csv", "tables.md", "tables.tex", "tables.html", "README.md")
    assert list(make_section(_section()).files) == [f"sibeyn/{name}" for name in names]


def test_meshes_take_the_printed_steps():
    """Theorem 2: as many steps as the farthest message has channels to cross."""
    for row in boppana_section.mesh_table().records():
        assert row["printed"] == row["all"] == row["distance"]
        assert row["one_formula"] == row["one"]


def test_figure_2_of_boppana_begins_with_the_tags_and_ends_with_each_at_its_node():
    """y = (x1 + x0, x2 + x0 + 1, x1 + 1), the highest bit first; [boppana, Fig. 2]."""
    (table,) = [part.make() for part in boppana_section.SECTION.tables if part.name == "fig2-tags"]
    for x, (name, first, *_, last) in enumerate(table.rows):
        x2, x1, x0 = x >> 2 & 1, x >> 1 & 1, x & 1
        assert first == (f"{x1 ^ x0}{x2 ^ x0 ^ 1}{x1 ^ 1}",)
        assert last == (name,) == (f"{x:03b}",)


def test_sizes_of_classes():
    """n = 2: 6 nonsingular matrices, of which 1 is diagonal and 2 are triangular in blocks."""
    row = boppana_section.partitioned_table().records()[1]
    sizes = [row[key] for key in ("LIN", "LC", "LC_printed", "LC_true", "PLC", "all")]
    assert sizes == ["6", "24", "20", "16", "24", "24"]  # 4 · 6, 4 · (6 - 1), 4 · (6 - 2), 4!
    assert row["formula_printed"] == str(20 + 2 * 2**2)


def test_orders_of_hl_cover_both_classes():
    """24 of 4 and 1,344 of 8 processors; in state A the least bit is corrected first."""
    counts = dict(boppana_section.hl_orders_table().rows)
    sizes = {n: sum(counts[order] for order in counts if len(order) == n) for n in (2, 3)}
    assert sizes == {2: 24, 3: 1344}
    assert all(order[0] == 0 for order in counts)


def test_orders_of_exchanges_by_minors():
    """Theorem 3.1: an order works if the principal minors of its beginnings, a or d, are 1."""
    ends = [(a, d) for a, b, c, d in product((0, 1), repeat=4) if (a * d + b * c) % 2]
    counted = [sum(a for a, _ in ends), *(sum(map(f, ends)) for f in (all, any))]
    row = edelman_section.exchange_orders_table(2).rows[1]
    assert row == (2, len(ends), *counted, len(ends) - counted[-1])


def test_factorizations_by_multiplying_out():
    """The shuffle of four bits as three exchanges: 4^2 ways."""
    listed = 0
    for factors in product(combinations(range(4), 2), repeat=3):
        at = [0, 1, 2, 3]
        for i, j in factors:
            at = [j if bit == i else i if bit == j else bit for bit in at]
        listed += at == [1, 2, 3, 0]
    assert edelman_section.factorizations_table(4).rows[-1][1:3] == (listed, listed) == (16, 16)


def test_gray_codes_are_exchanges_on_one_higher_bit_or_on_all():
    """y_i = x_i + x_(i+1); backwards the bits that are done are sums of all higher ones."""
    orders = {"low to high": [0, 1, 2, 3], "high to low": [3, 2, 1, 0]}
    rows = edelman_section.coding_table(4).records()
    for name in ("encoding", "decoding"):
        for order, dimensions in orders.items():
            steps = [row for row in rows if row["operation"] == f"{name}, {order}"]
            assert [row["dimension"] for row in steps] == dimensions
            most = 1 if (name, order[:3]) in (("encoding", "low"), ("decoding", "hig")) else 4
            for d, row in zip(dimensions, steps, strict=True):
                bits = [f"u{k}" for k in range(d + 1, 4)][:most]
                assert row["condition"] == (" + ".join(bits) or "never")


def test_exchanges_in_a_pipe_and_before_a_permutation():
    for row in edelman_section.pipeline_table(4).records():
        assert row["swaps"] == row["formula"]
        assert row["busiest"] == 1
    for row in edelman_section.transformations_table().records():
        assert (row["pairs"] == "none") == (row["communication"] == "Gray code")


def test_only_opposite_corners_of_sibeyn_are_not_optimal():
    """Example 4: 4 · 2^(n/2) - 4 steps, the distance of the farthest pair."""
    for row in sibeyn_section.example_4_table().records():
        if row["communication"] != "Ex(02) Ex(13)":  # opposite corners change places
            assert row["steps"] == row["distance"] == 4 * (1 << row["n"] // 2) - 4
            assert row["verdict"] == "optimal"
        else:
            assert (row["skipped"], row["distance"], row["verdict"]) == (12, 4, "not optimal")


def test_a_decomposition_is_the_permutation():
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


def test_steps_and_numberings_of_sibeyn(monkeypatch):
    monkeypatch.setattr(sibeyn_section, "_SAMPLES", 30)
    for row in sibeyn_section.costs_table().records():
        assert row["counted"] == row["printed"]
        assert row["average"] < row["mean"] <= row["printed"]
    rows = sibeyn_section.numberings_table().records()
    assert [row["counted"] for row in rows] == ["yes"] * 3


@pytest.mark.slow
@pytest.mark.parametrize("paper", OLDER)
def test_every_figure_is_drawn_alike_twice(paper):
    for figure in importlib.import_module(SECTIONS[paper]).SECTION.figures:
        first, second = figure_bytes(figure.draw()), figure_bytes(figure.draw())
        assert first == second
        assert all(len(content) > 1000 for content in first.values())
