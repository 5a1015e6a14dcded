"""The main job on a small program: right numbers, complete files, the same bytes twice."""

import csv
import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lccmodel.errors import FileError, InputError
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.network import Hypercube, parse_network
from lccmodel.papers import reproduction
from lccmodel.papers.report import Report, find_files, make_report, not_read, write_report
from lccmodel.papers.reproduction import MANIFEST, PaperSection, PaperTable, PaperWork, Parts
from lccmodel.placement.search.questions import Solution, solve_all
from lccmodel.reading.programs import read, read_communications
from lccmodel.show.records import Table, render_all
from lccmodel.show.summary import before_after_table, summary_table, together_table

PROGRAM = """\
n = 4

[[communication]]
name = "transpose | of a_b"
catalog = "matrix-transpose"
weight = 2

[[communication]]
name = "stage"
catalog = "exchange"
parameters = { k = 2 }

[[communication]]
name = "enlarge"
catalog = "scale2"
weight = 0.5
"""
ORIGIN = """\
network = "origin:5"
catalog = "reverse-flip"
n = 5
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("programs")
    (path / "program.toml").write_text(PROGRAM)
    (path / "origin.toml").write_text(ORIGIN)
    (path / "README.txt").write_text("not a table of messages")
    (path / ".hidden.csv").write_text("nor this")
    (path / "notes.md").write_text("nor this")
    (path / "mistakes").mkdir()
    (path / "mistakes" / "bad.csv").write_text("0 1 2 3")
    return path


@pytest.fixture(scope="module")
def report(folder: Path) -> Report:
    return make_report([folder], command=["lccmodel", "report", "a folder"])


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The figures that are drawn, or rather not: figures themselves are in `report`."""
    figures: list[object] = []

    def drawing(figure: object) -> dict[str, bytes]:
        figures.append(figure)
        return {"png": b"\x89PNG", "pdf": b"%PDF"}

    monkeypatch.setattr("lccmodel.papers.report.figure_bytes", drawing)
    for name in ("summary.draw_before_after", "routing_drawing.draw_comparison"):
        monkeypatch.setattr(f"lccmodel.show.{name}", lambda *_, **__: object())
    return figures


def folders_of(report: Report) -> set[str]:
    return {name.split("/")[0] for name in report.files if "/" in name}


def test_a_folder_stands_for_its_files_and_says_what_else_it_holds(report, folder):
    assert [path.name for path in find_files([folder])] == ["origin.toml", "program.toml"]
    assert len(find_files([folder, folder / "program.toml"])) == 2
    sentences = (
        f"{folder}: subfolders are not read unless each is a PATH: mistakes",
        f"{folder}: not read, for their suffix is unknown: notes.md",
    )
    assert report.skipped == sentences == not_read([folder])
    assert not_read([folder, folder / "mistakes", folder / "notes.md"]) == ()
    page, index = (report.files[name].decode() for name in ("index.html", "README.md"))
    assert all(sentence in page for sentence in sentences)
    assert "unless each is a PATH: mistakes" in index
    for record in json.loads(report.files["results.json"]):
        assert record["notes"][-2:] == list(sentences)


@pytest.mark.usefixtures("drawn")
def test_a_link_that_leads_nowhere_is_a_file_that_cannot_be_used(tmp_path):
    (tmp_path / "a.eq").write_text("y0 = x0\n")  # n = 1, and no message leaves its node
    (tmp_path / "b.csv").symlink_to("gone.csv")
    made = make_report([tmp_path])
    (solution,) = made.solutions
    record = summary_table(solution).records()[0]
    assert (record["degree_before"], record["degree_alone"], record["lower_bound"]) == (0, 0, 0)
    words = f"{tmp_path / 'b.csv'}: cannot read the file: a link that leads nowhere"
    assert made.unusable == (words,)
    assert "a link that leads nowhere" in made.files["index.html"].decode()


@pytest.mark.parametrize(
    ("paths", "options", "words"),
    [
        (["a.csv", "b.csv"], {}, r"2 files cannot be used: .*a\.csv:2.*; .*b\.csv:2"),
        (["c", "d"], {}, "2 files cannot be used: .*/c: .*no such file.*; .*/d: "),
        (["c"], {}, "no such file"),
        (["empty"], {}, "must contain files"),
        (["p.toml"], {"networks": ["mesh:4x3"]}, r"p\.toml:3: the network must"),
        (["p.toml"], {"networks": ["cube:3"]}, r"p\.toml:3: the network must"),
        (["p.toml"], {"objectives": ["min-min"]}, "objective"),
        (
            *(["l.csv"], {"networks": ["cube:40"]}),
            r"report: has no program that can be mapped; got .*l\.csv",
        ),
    ],
)
def test_what_cannot_be_reported_is_refused(tmp_path, paths, options, words):
    (tmp_path / "empty").mkdir()
    (tmp_path / "p.toml").write_text(PROGRAM)
    (tmp_path / "l.csv").write_text("0 1\n1 2\n")
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("source,destination\n0,x\n")
    with pytest.raises(InputError, match=words):
        make_report([tmp_path / name for name in paths], **options)


@pytest.mark.parametrize(
    ("word", "words"),
    [("ring:4", "must be cube"), ("cube:1", "at least 4"), ("mesh:3x1", "at least 4")],
)
def test_a_wrong_network_in_a_file_is_an_error_with_its_line(tmp_path, word, words):
    path = tmp_path / "p.toml"
    path.write_text(f'equations = "y0 = x1; y1 = x0"\nnetwork = "{word}"\n')
    with pytest.raises(FileError, match=words) as caught:
        Solution.read(path)
    assert caught.value.line == 2
    path.write_text('network = "origin"\nequations = "y0 = x1; y1 = x0"\n')
    assert Solution.read(path).problem.network.spec == "origin:2"
    assert Solution.read(path, "cube").problem.network.spec == "cube:2"


@pytest.mark.usefixtures("drawn")
def test_a_program_too_large_to_map_is_named_and_left_out(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("0 1\n1 2\n")
    report = make_report([path], ["cube:40", "cube:2"])
    assert [solution.problem.network for solution in report.solutions] == [Hypercube(2)]
    (text,) = report.unusable
    assert re.search(r"a\.csv: network: must have at most 262144 nodes; .*; got 'cube:40'$", text)


def test_too_many_bits_for_all_together_are_said_and_not_fatal(tmp_path):
    path = tmp_path / "p.toml"
    body = '\n[[communication]]\nname = "{0}"\ncatalog = "{0}"\n'
    path.write_text("n = 30\n" + "".join(body.format(n) for n in ("fft", "matrix-transpose")))
    solution = solve_all(Solution.read(path), ["max-max"])
    assert not solution.together
    assert "at most 26 bits" in solution.skipped
    assert "at most 26 bits" in " ".join(summary_table(solution).notes)
    assert [answer.value_after for answer in solution.alone] == [1, 1]


@pytest.mark.usefixtures("drawn")
def test_labels_of_latex_differ_between_programs_and_within(tmp_path):
    """0.4: two files of one name, or names that differ in letters that labels drop, collided."""
    swaps = [{"name": name, "order": [2, 1, 0]} for name in ("u", "v")]
    for name in ("a/same.json", "b/same.json", "a/転置.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(json.dumps(swaps))
    made = make_report([tmp_path / "a", tmp_path / "b"])
    assert {"same-cube-3", "same-cube-3-no2"} < folders_of(made)
    tables = [text.decode() for name, text in made.files.items() if name.endswith("tables.tex")]
    assert len(tables) == 3
    for texts in (tables, [render_all(made.main_tables, "latex")]):
        labels = re.findall(r"\\label\{([^}]*)\}", "".join(texts))
        assert len(labels) == len(set(labels)) >= len(made.main_tables) > 1


@pytest.mark.usefixtures("drawn")
def test_a_proof_of_rounded_volumes_says_so(tmp_path):
    """0.4: "meets the lower bound" of a rounded number, and no note in index.html, CSV or JSON."""
    path = tmp_path / "r.csv"
    lines = "0,1,1234567890123.3\n1,2,0.00000000000123\n2,3,3333333333333.3333333\n"
    path.write_text("source,destination,volume\n" + lines)
    made = make_report([path], ["torus:2x2"], seconds=0.05)
    (record,) = json.loads(made.files["results.json"])
    assert record["proof"].startswith("meets the lower bound ")
    assert record["proof"].endswith("crosses a channel whole), for the rounded numbers")
    note = "values, bounds and proofs are of what is rounded"
    assert any(sentence.endswith(note) for sentence in record["notes"])
    page, data = (made.files[name].decode() for name in ("index.html", "results.csv"))
    for text in (page, made.main_tables[0].render("table", width=1000)):
        assert "for the rounded numbers" in text
    assert note in page
    assert note in data
    path.write_text("source,destination,volume\n0,1,2\n1,2,3\n")
    exact = json.loads(make_report([path], ["torus:2x2"], seconds=0.05).files["results.json"])
    assert "rounded" not in exact[0]["proof"]


def test_every_record_agrees_with_walked_messages(report, folder):
    """Loads before and after, counted message by message, for M-S, M-G and linear mappings.

    The values of all together are the max-max, max-sum and sum-sum of these, by weight.
    """
    records = json.loads(report.files["results.json"])
    rows = list(csv.DictReader(report.files["results.csv"].decode().splitlines()))
    assert [list(row) for row in rows] == [list(record) for record in records]
    named = {
        (path.stem, entry.name): entry
        for path in find_files([folder])
        for entry in read_communications(path)
    }
    assert len(records) == 3 * (1 + 3) + 2
    together: dict[str, list[Any]] = {}
    for record in records:
        entry = named[record["program"], record["communication"]]
        network = parse_network(record["network"])
        mapped = entry.communication.reordered(GF2Matrix(record["Q"]))
        walked = [network.channel_loads(c).per_dimension for c in (entry.communication, mapped)]
        assert [record["loads_before"], record["loads_after"]] == [*map(list, walked)]
        assert [record["degree_before"], record["degree_after"]] == [*map(max, walked)]
        if record["order"] is not None:
            assert GF2Matrix(record["Q"]) == GF2Matrix.from_order(record["order"])
        assert record["optimal"]
        assert record["proof"]
        assert record["lower_bound"] <= record["value_after"] <= record["value_before"]
        if record["mapping"] == "together":
            loads = entry.weight * np.array(walked)
            values = [record["value_before"], record["value_after"]]
            together.setdefault(record["objective"], []).append((loads, values))
    combined = {
        "max-max": (np.max, np.max),
        "max-sum": (np.sum, np.max),
        "sum-sum": (np.sum, np.sum),
    }
    assert set(together) == set(combined)
    for objective, (over_members, over_dimensions) in combined.items():
        loads = over_members([of for of, _ in together[objective]], axis=0)
        for _, values in together[objective]:
            assert list(over_dimensions(loads, axis=1)) == values


def test_the_index_links_every_file_and_nothing_else(report):
    index = report.files["README.md"].decode()
    links = set(re.findall(r"\]\(([^)]+)\)", index))
    assert links == set(report.files) - {"README.md"}
    page = report.files["index.html"].decode()
    assert set(re.findall(r'(?:href|src)="([^"#]+)"', page)) <= set(report.files)
    thumbnails = set(re.findall(r'src="([^"]+)"', page))
    assert thumbnails == {name for name in report.files if name.endswith(".png")}
    assert page.count("<table>") == page.count("</table>") == len(report.main_tables)
    assert "`lccmodel report 'a folder'`" in index
    assert len(thumbnails) == 5  # together, transpose; reverse-flip; walks for both programs
    magic = {"png": b"\x89PNG", "pdf": b"%PDF"}
    for name, content in report.files.items():
        assert content.startswith(magic.get(name[-3:], b"")), name
        assert b"CreationDate" not in content, name
        if name.endswith((".md", ".tex", ".csv", ".json")):
            assert str(Path.cwd()).encode() not in content, name


def test_tables_show_before_after_bound_and_proof(report):
    program = next(s for s in report.solutions if s.name == "program")
    record = next(r for r in summary_table(program).records() if "transpose" in r["communication"])
    values = [record[key] for key in ("degree_before", "degree_alone", "lower_bound", "proof")]
    assert values == [2, 1, 1, "meets the lower bound 1"]
    together = [row["objective"] for row in together_table(program).records()]
    assert together == ["max-max", "max-sum", "sum-sum"]
    assert [row["weight"] for row in before_after_table(program).records()][:2] == [2, 1]
    assert r"transpose \| of a\_b" in report.files["program-cube-4/tables.md"].decode()
    assert r"a\_b" in report.files["program-cube-4/tables.tex"].decode()


def test_every_permutation_is_routed_by_every_method(report):
    """The scatter is not a permutation; `test_routing_tables` has the records."""
    records = json.loads(report.files["program-cube-4/routing.json"])
    assert {r["communication"] for r in records} == {"transpose | of a_b", "stage"}
    for record in records:
        assert record["delivered"] if record["order"] else "no order works" in record["reason"]
    rows = list(csv.DictReader(report.files["program-cube-4/routing.csv"].decode().splitlines()))
    assert [row["method"] for row in rows] == [record["method"] for record in records]
    page = report.files["program-cube-4/tables.md"].decode()
    assert "routing methods (unit steps on mesh:4x4)" in page
    assert "![transpose | of a_b, by every routing method](routing_methods.png)" in page
    assert "routing methods" in report.files["program-cube-4/tables.tex"].decode()
    assert "origin-5/routing_methods.png" in report.files["README.md"].decode()


@pytest.mark.usefixtures("drawn")
def test_large_permutations_are_not_routed_in_a_report(tmp_path):
    path = tmp_path / "p.json"
    path.write_text('{"name": "a", "catalog": "perfect-shuffle", "n": 11}')
    made = make_report([path], objectives=["max-max"])
    assert not any("routing" in name for name in made.files)
    assert "routing methods" not in made.files["p-cube-11/tables.md"].decode()


@pytest.mark.slow
def test_two_runs_write_the_same_bytes_and_replace_them(report, folder, tmp_path):
    first = write_report(report, tmp_path / "out")
    (tmp_path / "out" / "mine.txt").write_text("stays")
    before = {path: path.read_bytes() for path in first}
    inodes = {path: path.stat().st_ino for path in first}
    again = make_report([folder], command=["lccmodel", "report", "a folder"])
    second = write_report(again, tmp_path / "out")
    assert {path: path.read_bytes() for path in second} == before
    assert all(path.stat().st_ino != inodes[path] for path in second)
    names = {path for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert names == {*first, tmp_path / "out" / "mine.txt"}
    assert first[-1].name == "README.md"


@pytest.mark.usefixtures("drawn")
def test_the_same_file_on_several_networks(tmp_path):
    path = tmp_path / "small.json"
    path.write_text('[{"name": "a", "order": [1, 0]}, {"name": "b", "order": [0, 1]}]')
    solved: list[Solution] = []
    steps: list[str] = []
    made = make_report(
        [path], ["cube", "origin:2"], ["max-sum"], step=steps.append, solved=solved.append
    )
    assert [solution.problem.network.spec for solution in solved] == ["cube:2", "origin:2"]
    assert any(step.startswith("program 2 of 2") for step in steps)
    assert folders_of(made) == {"small-cube-2", "small-origin-2"}
    assert all(len(solution.together) == 1 for solution in made.solutions)


@pytest.mark.usefixtures("drawn")
def test_names_that_files_cannot_keep_apart_are_numbered(tmp_path):
    path, names = tmp_path / "p.json", ("a b", "a-b", "together", "routing methods", "転置")

    def stems(order: list[int]) -> set[str]:
        path.write_text(json.dumps([{"name": name, "order": order} for name in names]))
        return {Path(name).stem for name in make_report([path]).files if name.endswith(".png")}

    assert stems([2, 1, 0]) == {"together"}  # bit reversal of three bits has degree 1 already
    pictures = {"together", "together-2", "a-b", "a-b-2", "routing-methods", "routing_methods"}
    assert stems([3, 2, 1, 0]) == pictures | {"table"}


ANY = """\
phase,source,destination,volume
ring,0,1,8
ring,1,2,8
ring,2,3,8
ring,3,4,8
ring,4,0,8
back,4,1,1
"""


@pytest.mark.slow
@pytest.mark.usefixtures("drawn")
def test_any_traffic_on_any_network_is_placed(tmp_path):
    """Loads before and after, counted message by message; a partial pattern invents no message."""
    (tmp_path / "any.csv").write_text(ANY)
    (tmp_path / "five.csv").write_text("source,destination\n0,0\n1,8\n2,4\n4,2\n8,1\n")
    networks = ("cube", "fattree:4^2", "torus:2x2*4")
    made = make_report([tmp_path], networks, seconds=0.02)
    records = json.loads(made.files["results.json"])
    assert {(r["program"], r["network"]) for r in records} == {
        *(("any", spec) for spec in ("cube:3", *networks[1:])),
        *(("five", spec) for spec in ("cube:4", *networks[1:])),
    }
    for record in records:
        phases = {phase.name: phase.traffic for phase in read(tmp_path / Path(record["file"]).name)}
        traffic = phases[record["communication"]]
        network = parse_network(record["network"])
        for when, where in (("before", None), ("after", record["node_of"])):
            walked = network.channel_loads(traffic, node_of=where).per_dimension
            assert record[f"loads_{when}"] == list(walked)
        assert record["lower_bound"] <= record["value_after"] <= record["value_before"]
    assert all(r["degree_after"] == 1 for r in records if r["network"] == "cube:4")
    assert "five-cube-4/together.png" in made.files
    assert "Placement of 9 ranks on cube:4" in made.files["five-cube-4/tables.md"].decode()


def test_what_is_as_it_was_is_not_drawn_again(tmp_path, drawn):
    """A second report draws nothing; a figure that was changed or lost is drawn, and no other."""
    (tmp_path / "p.toml").write_text(PROGRAM)
    out = tmp_path / "out"

    def again() -> tuple[dict[str, bytes], int]:
        before = len(drawn)
        report = make_report([tmp_path / "p.toml"], folder=out)
        write_report(report, out)
        return dict(report.files), len(drawn) - before

    first, count = again()
    assert count > 1
    assert again() == (first, 0)
    (out / "p-cube-4" / "together.png").write_bytes(b"changed")
    assert again() == (first, 1)
    (out / "p-cube-4" / "together.pdf").unlink()
    assert again() == (first, 1)
    (out / MANIFEST).write_text("[not json")
    assert again() == (first, count)
    (tmp_path / "p.toml").write_text(PROGRAM.replace("matrix-transpose", "bit-reverse"))
    assert again()[1] > 0  # the key of a part holds what is drawn, not how it is called


def test_papers_made_beside_other_work_are_the_same(monkeypatch):
    """One table of a paper, by another thread instead of another process, and here."""
    table = PaperTable("one", lambda: Table("One", ("n",), ((7,),)))
    section = PaperSection("calmant", "One table.", (table,), ())
    monkeypatch.setattr(reproduction, "_section", lambda name: section)
    monkeypatch.setattr(reproduction, "ProcessPoolExecutor", lambda n, _: ThreadPoolExecutor(n))
    made, told = [], []
    for jobs in (1, 2):
        with PaperWork(("calmant",), Parts(), jobs) as work:
            work.start()
            made.append(work.result(told.append))
    assert made[0] == made[1]
    assert made[0][0].files["calmant/one.csv"] == b"n\n7\n"
    assert told == ["calmant: table one (1 of 1)", "waiting for the section of calmant"]


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "out").write_text("a file")
    with pytest.raises(FileError, match=r"out: must be a folder that can be made") as caught:
        write_report(Report((), {"README.md": b""}), tmp_path / "out")
    assert caught.value.line == 0
    assert (tmp_path / "out").read_text() == "a file"
