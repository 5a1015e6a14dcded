"""The sections of [boppana], [edelman] and [sibeyn]: what their tables state beside the print.

The claims of proofs_check settle the facts; here the rows of the tables are worked out anew.
"""

from __future__ import annotations

import importlib

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


def test_all_papers_are_five() -> None:
    assert chosen_papers(["all"]) == tuple(SECTIONS) == PAPERS
    (option,) = (option for option in report.params if option.name == "papers")
    assert set(option.type.to_info_dict()["choices"]) == {*PAPERS, "all"}


COMPARED = {
    "boppana": ("fig2-text",),
    "edelman": ("definition", "shuffles"),
    "sibeyn": ("example-1", "example-2", "example-3", "complements"),
}


@pytest.mark.parametrize("paper", OLDER)
def test_values_equal_the_print_in_all_lines_but_one(paper: str) -> None:
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
    names = ("sizes.csv", "tables.md", "tables.tex", "tables.html", "README.md")
    assert list(make_section(_section()).files) == [f"sibeyn/{name}" for name in names]


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


def test_exchanges_in_a_pipe_and_before_a_permutation() -> None:
    for row in edelman_section.pipeline_table(4).records():
        assert row["swaps"] == row["formula"]
        assert row["busiest"] == 1
    for row in edelman_section.transformations_table().records():
        assert (row["pairs"] == "none") == (row["communication"] == "Gray code")


def test_only_opposite_corners_of_sibeyn_are_not_optimal() -> None:
    """Example 4: 4 · 2^(n/2) - 4 steps, the distance of the farthest pair."""
    for row in sibeyn_section.example_4_table().records():
        if row["communication"] != "Ex(02) Ex(13)":  # opposite corners change places
            assert row["steps"] == row["distance"] == 4 * (1 << row["n"] // 2) - 4
            assert row["verdict"] == "optimal"
        else:
            assert (row["skipped"], row["distance"], row["verdict"]) == (12, 4, "not optimal")


def test_steps_and_numberings_of_sibeyn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sibeyn_section, "_SAMPLES", 30)
    for row in sibeyn_section.costs_table().records():
        assert row["counted"] == row["printed"]
        assert row["average"] < row["mean"] <= row["printed"]
    rows = sibeyn_section.numberings_table().records()
    assert [row["counted"] for row in rows] == ["yes"] * 3


@pytest.mark.slow
@pytest.mark.parametrize("paper", OLDER)
def test_every_figure_is_drawn_alike_twice(paper: str) -> None:
    for figure in importlib.import_module(SECTIONS[paper]).SECTION.figures:
        first, second = figure_bytes(figure.draw()), figure_bytes(figure.draw())
        assert first == second
        assert all(len(content) > 1000 for content in first.values())
