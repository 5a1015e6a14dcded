"""The commands: right answers, every format, and nothing but one line when the input is bad."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import re
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lccmodel.cli import cli
from lccmodel.cli.options import Progress, show, working
from lccmodel.errors import InputError
from lccmodel.placement.search import solve
from lccmodel.show.records import Table
from tests.choosing import fast_only, slow
from tests.cli import calling
from tests.cli.calling import records, refused, run

EXCHANGE = "source,destination,volume\n0,1,4\n1,0,4\n2,3,4\n3,2,4\n"
RING = "".join(f"{x} {(x + 1) % 8}\n" for x in range(8))
PROGRAM = """\
n = 4
[[communication]]
name = "transpose"
catalog = "matrix-transpose"
weight = 3
[[communication]]
name = "reversal"
catalog = "bit-reverse"
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.toml"
    path.write_text(PROGRAM)
    return path


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "trace.csv"
    path.write_text(EXCHANGE)
    return path


# -- answers --------------------------------------------------------------------------------


def test_catalog_lists_and_shows_one_entry() -> None:
    names = [record["name"] for record in records("catalog")]
    assert {"bit-reverse", "matrix-transpose", "reverse-flip"} <= set(names)
    rows = records("catalog", "matrix-transpose", "--n", "4")
    assert [row["equation"] for row in rows] == ["y0 = x2", "y1 = x3", "y2 = x0", "y3 = x1"]
    assert [row["parameter"] for row in records("catalog", "shift")] == ["k"]
    assert records("catalog", "bit-permute-complement:1-0")[0]["equation"] == "y0 = x1"


def test_contention_of_example_3() -> None:
    """[hou, Example 3], by formula and by walking."""
    for method in ("formula", "walk"):
        (row,) = records("contention", "matrix-transpose", "-N", "cube:8", "--method", method)
        assert row["loads"] == [1, 2, 4, 8, 8, 4, 2, 1]


def test_routing_of_a_scatter_is_by_name() -> None:
    """A scatter sent back along its gather's paths is the descending routing."""
    args = ("contention", "scale2", "-N", "cube:4", "--routing")
    forward, backward = (records(*args, way)[0]["loads"] for way in ("ascending", "descending"))
    assert forward != backward


def test_channels_on_a_torus() -> None:
    rows = records("contention", "bit-reverse", "--network", "torus:4x4", "--channels")
    assert [row["axis"] for row in rows] == [0, 1]
    for row in rows:
        assert isinstance(row["messages"], list)
        assert len(row["messages"]) == row["load"]


def test_map_of_examples_4_and_6() -> None:
    """[hou, Examples 4 and 6]."""
    (row,) = records("map", "matrix-transpose", "--network", "cube:8")
    assert (row["order"], row["degree_after"]) == ([0, 4, 2, 6, 1, 5, 3, 7], 1)
    rows = records("map", "matrix-transpose", "bit-reverse", "-N", "cube:8", "--count")
    assert [row["degree_after"] for row in rows] == [2, 1]
    assert {row["optimal_orders"] for row in rows} == {2304}


def test_map_linear_of_example_9() -> None:
    """[hou, Example 9]: degree 4, 2 by a reordering, 1 by a linear mapping."""
    args = ("map", "reverse-flip", "--network", "origin:5")
    assert [records(*args)[0][key] for key in ("degree_before", "degree_after")] == [4, 2]
    assert records(*args, "--linear")[0]["degree_after"] == 1


def test_weights_are_those_of_the_file_unless_stated(program: Path) -> None:
    assert [row["weight"] for row in records("map", program)] == [3, 1]
    assert [row["weight"] for row in records("map", program, "--weights", "1,1/3")] == [1, "1/3"]
    assert [row["weight"] for row in records("map", program, "--weights", "1 0.25")] == [1, 0.25]


def test_the_network_may_be_left_out_where_a_file_says_the_size(program: Path, trace: Path) -> None:
    assert records("map", program)[0]["network"] == "cube:4"
    assert records("map", program, "-N", "origin")[0]["network"] == "origin:4"
    assert records("contention", trace, "bit-reverse")[1]["network"] == "cube:2"
    assert records("contention", "y0 = x1; y1 = x0")[0]["network"] == "cube:2"


def test_a_network_named_in_a_file_is_used(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text('network = "origin:5"\ncatalog = "reverse-flip"\nn = 5\n')
    assert records("map", path)[0]["network"] == "origin:5"
    assert records("map", path, "-N", "cube")[0]["network"] == "cube:5"


def test_recognise_says_what_and_why_not(trace: Path, tmp_path: Path) -> None:
    (row,) = records("recognise", trace)
    assert (row["kind"], row["A"], row["b"]) == ("permutation", [[1, 0], [0, 1]], [1, 0])
    (tmp_path / "ring.txt").write_text(RING)
    result = run("recognise", tmp_path / "ring.txt", "-f", "csv")
    assert result.exit_code == 1
    assert "0->1, 1->2, 2->3 imply 3->0, but 3->4 is sent" in result.stdout
    assert records("recognise", "bit-reverse", "--n", "2")[0]["A"] == [[0, 1], [1, 0]]


@pytest.fixture
def no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures are tested with the job; here they would only take time."""
    monkeypatch.setattr("lccmodel.papers.report.drawings", lambda solution: iter(()))
    monkeypatch.setattr("lccmodel.papers.report._worth_drawing", lambda routed: None)


@pytest.mark.usefixtures("no_figures")
def test_report_writes_its_files_and_shows_the_result(program: Path, tmp_path: Path) -> None:
    result = run("report", program, "--output", tmp_path / "out", "--objective", "max-max")
    assert result.exit_code == 0, result.output
    assert "M-G" in result.stdout
    assert "README.md" in result.stdout
    shown = [line for line in result.stdout.splitlines() if "files written" not in line]
    assert max(map(len, shown)) <= 100 + len(str(program))
    assert (tmp_path / "out" / "program-cube-4" / "tables.tex").is_file()
    found = json.loads((tmp_path / "out" / "results.json").read_text())
    assert {record["mapping"] for record in found} == {"alone", "together"}


# -- formats and files ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        ("catalog",),
        ("catalog", "shift:1"),
        ("contention", "gray-code", "-N", "cube:4"),
        ("contention", "gray-code", "-N", "cube:4", "--channels"),
        ("map", "gray-code", "bit-reverse", "-N", "cube:4"),
        ("recognise", "gray-code", "-n", "3"),
    ],
)
def test_every_command_speaks_every_format(arguments: tuple[str, ...], tmp_path: Path) -> None:
    found = json.loads(run(*arguments, "-f", "json").stdout)
    rows = list(csv.reader(io.StringIO(run(*arguments, "-f", "csv").stdout)))
    assert rows[0] == list(found[0])
    assert len(rows) == len(found) + 1
    assert {len(row) for row in rows} == {len(rows[0])}
    markdown = run(*arguments, "-f", "markdown").stdout.splitlines()
    bars = {line.replace("\\|", "").count("|") for line in markdown if line.startswith("|")}
    assert len(bars) == 1
    latex = run(*arguments, "-f", "latex").stdout
    assert latex.count(r"\begin{") == latex.count(r"\end{")
    text = run(*arguments, "-f", "table").stdout
    assert text == run(*arguments).stdout
    assert max(map(len, text.splitlines())) <= 100
    assert "\x1b" not in text
    for suffix in ("json", "csv", "md", "tex", "txt"):
        assert run(*arguments, "-o", tmp_path / f"t.{suffix}").stdout == ""
    assert json.loads((tmp_path / "t.json").read_text()) == found
    assert (tmp_path / "t.tex").read_text() == latex
    assert run(*arguments, "-f", "latex", "-o", tmp_path / "t.md").exit_code == 0
    assert (tmp_path / "t.md").read_text() == latex


def test_hosts_are_missed_before_anything_is_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A network without names needs --hosts for a rank file; Slurm's and Cray's ways differ."""
    (tmp_path / "t.csv").write_text("0,1,10\n1,2,10\n3,0,5\n")
    monkeypatch.setattr("lccmodel.placement.search.solve.place", lambda *_, **__: 1 / 0)
    args = ("map", tmp_path / "t.csv", "-N", "torus:4x4", "--rankfile", tmp_path / "ranks.txt")
    for launcher in ("openmpi", "slurm"):
        assert "--hosts: is required" in refused(run(*args, "--launcher", launcher))
    assert isinstance(run(*args, "--launcher", "cray").exception, ZeroDivisionError)


def test_rank_files_for_the_three_launchers(tmp_path: Path) -> None:
    """The mapping swaps bits 0 and 1 of four ranks, on hosts a and b with two slots each."""
    path = tmp_path / "ranks.txt"
    (tmp_path / "hosts").write_text("a slots=2\nb slots=2\n")
    args = ("map", "y0 = x0; y1 = x0", "--rankfile", path, "--hosts")
    order = records("map", "y0 = x0; y1 = x0")[0]["order"]
    place = [0, 1, 2, 3] if order == [0, 1] else [0, 2, 1, 3]
    slots = ["a slot=0", "a slot=1", "b slot=0", "b slot=1"]
    assert run(*args, "a:2,b:2").exit_code == 0
    expected = [f"rank {v}={slots[p]}" for v, p in enumerate(place)]
    assert path.read_text().splitlines() == expected
    assert run(*args, tmp_path / "hosts", "--launcher", "slurm").exit_code == 0
    assert path.read_text().split() == [slots[p][0] for p in place]
    assert run(*args[:-1], "--launcher", "cray").exit_code == 0
    assert path.read_text() == ",".join(str(place.index(p)) for p in range(4)) + "\n"


def test_no_message_is_invented(tmp_path: Path) -> None:
    """Five messages of degree 1: the matrix that they extend to sends sixteen, of degree 2."""
    path = tmp_path / "five.csv"
    path.write_text("source,destination\n0,0\n1,8\n2,4\n4,2\n8,1\n")
    (row,) = records("map", path, "-N", "cube:4")
    assert [row[key] for key in ("degree_before", "degree_after", "over")] == [1, 1, "orders"]


def test_volumes_are_not_their_maximum(tmp_path: Path) -> None:
    """150 bytes on one message of a transposition and 100 on each of a bit reversal: 150."""
    path = tmp_path / "two.csv"
    lines = ["communication,source,destination,volume"]
    for x in range(16):
        y = x >> 2 | (x & 3) << 2
        lines.append(f"transpose,{x},{y},{150 if (x, y) == (1, 4) else 1}")
        lines.append(f"reversal,{x},{int(f'{x:04b}'[::-1], 2)},100")
    path.write_text("\n".join(lines) + "\n")
    row = records("map", path, "-N", "cube:4", "--over", "orders")[0]
    assert (row["value_after"], row["optimal"], row["over"]) == (150, True, "orders")
    assert records("map", path, "-N", "cube:4")[0]["value_after"] <= 150


@pytest.mark.parametrize("side", [4, pytest.param(10, marks=pytest.mark.slow)])
def test_a_grid_and_a_rank_file(side: int, tmp_path: Path) -> None:
    """From a word to a rank file for any number of ranks up to the slots, a thousand of them."""
    path, sizes = tmp_path / "ranks", f"{side}x{side}x{side}"
    args = ("map", f"grid:{sizes}", "-N", f"torus:{sizes}", "--seconds", "0.1")
    names = f"node[001-{side**3 // 2:03}]:2"
    result = run(*args, "--rankfile", path, "--hosts", names, "--launcher", "slurm")
    assert result.exit_code == 0, result.output
    hosts = path.read_text().split()
    assert len(hosts) == side**3
    assert {hosts.count(host) for host in set(hosts)} == {2}


def test_a_grid_on_a_larger_torus() -> None:
    row = records("map", "grid:3x3", "-N", "torus:4x4", "--seconds", "0.1", "--objective", "joint")[
        0
    ]
    assert len(row["node_of"]) == 9
    assert row["gap"] == row["value_after"] - row["lower_bound"]


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """The plan of a search is carried out to its end, however busy the machine is."""
    monkeypatch.setattr(solve, "GRACE", 600.0)


@pytest.mark.slow
@pytest.mark.usefixtures("unhurried")
def test_a_real_cluster_gives_the_same_answer() -> None:
    """A Dask scheduler and two worker processes on this machine, joined by its address."""
    distributed = pytest.importorskip("distributed")
    args = ("map", "grid:8x4:rings:4,1", "-N", "mesh:8x4", "--objective", "joint",
            "--seconds", "0.3")  # fmt: skip
    local = {"threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(n_workers=2, **local) as cluster:
        assert records(*args, "--cluster", cluster.scheduler_address) == records(*args)


@pytest.mark.slow
@pytest.mark.usefixtures("unhurried")
def test_workers_do_not_change_the_answer(tmp_path: Path) -> None:
    args = ("map", "grid:6x5:all-to-all", "-N", "mesh:6x5", "--seconds", "0.3", "--seed", "3")
    assert records(*args) == records(*args, "--workers", "2")


def test_spmd_of_any_traffic(tmp_path: Path) -> None:
    path = tmp_path / "node.py"
    args = ("map", "grid:3x3", "-N", "torus:4x4", "--seconds", "0.05", "--spmd", path)
    assert run(*args).exit_code == 0
    compile(path.read_text(), "node.py", "exec")


def test_spmd_writes_a_program_that_compiles(tmp_path: Path) -> None:
    path = tmp_path / "node.py"
    result = run("map", "bit-reverse", "-N", "cube:3", "--spmd", path)
    assert result.exit_code == 0
    assert "mpiexec -n 8" in result.stdout
    compile(path.read_text(), "node.py", "exec")


# -- bad input ------------------------------------------------------------------------------


def test_a_bug_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only errors that input can cause become one line."""
    from lccmodel.show import communication_tables

    def broken(*_: object) -> None:
        raise KeyError("bug")

    monkeypatch.setattr(communication_tables, "catalog_table", broken)
    assert isinstance(run("catalog").exception, KeyError)


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (KeyboardInterrupt(), 130, "lccmodel: interrupted"),
        (MemoryError(), 2, "lccmodel: error: not enough memory for a problem of this size"),
        (PermissionError(13, "Permission denied", "f"), 2, "lccmodel: error: f: Permission denied"),
    ],
)
def test_interrupts_and_system_errors_are_one_line(
    error: BaseException, code: int, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lccmodel.show import communication_tables

    def failing(*_: object) -> None:
        raise error

    monkeypatch.setattr(communication_tables, "catalog_table", failing)
    result = run("catalog")
    assert (result.exit_code, result.stderr.splitlines()) == (code, [line])


# -- help -----------------------------------------------------------------------------------


def test_help_of_every_command_has_an_example_that_starts() -> None:
    assert run().stdout == run("--help").stdout
    for name, command in cli.commands.items():
        text = run(name, "--help").stdout
        assert f"lccmodel {name}" in text.split("Example")[1]
        assert command.short_help
    assert run("--version").stdout.startswith("lccmodel ")


@pytest.mark.usefixtures("no_figures")
@pytest.mark.parametrize("lines", [1, slow(99)], ids=["first", "all"])
@pytest.mark.parametrize(
    "page",
    [
        slow(page) if page in ("warm-up", "calibrate", "collective") else page
        for page in ("", *cli.commands)
    ],
)
def test_the_examples_of_the_help_texts_run(
    page: str, lines: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With files of the names that the examples use; what waits for a clock waits less."""
    import shlex

    monkeypatch.chdir(tmp_path)
    (tmp_path / "program.toml").write_text(PROGRAM)
    (tmp_path / "trace.csv").write_text(EXCHANGE)
    shutil.copy("trace.csv", "pairs.txt")
    (tmp_path / "hosts.txt").write_text("a slots=4\n")
    latencies = "\n".join(f"{8 << k} {2 + 0.001 * (8 << k)}" for k in range(9))
    (tmp_path / "osu_latency.txt").write_text(f"# Size       Avg Latency(us)\n{latencies}\n")
    rows = "\n".join(f"{8 << k} 100 1 2 {2 + 0.001 * (8 << k)} 50" for k in range(9))
    heads = "#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec] Mbytes/sec"
    said = "# Benchmarking Exchange\n# #processes = 8"
    (tmp_path / "imb.txt").write_text(f"{said}\n{heads}\n{rows}\n")
    latency = (tmp_path / "osu_latency.txt").read_text()
    (tmp_path / "osu_twice.txt").write_text(f"== intra\n{latency}== inter\n{latency}")
    clusters = Path(__file__).parents[2] / "examples" / "clusters"
    shutil.copy(clusters / "topo.txt", "topo.txt")
    shutil.copy(clusters / "run.prof", "run.prof")
    shutil.copy(clusters / "now.txt", "now.txt")
    bindings = [f"[c{1 + r % 4}:7] Rank {r} bound to package[0][core:{r // 4}]" for r in range(16)]
    (tmp_path / "bindings.txt").write_text("\n".join(bindings))
    mesh = "topology = mesh; k = 4; n = 2; routing_function = dor; num_vcs = 1; vc_buf_size = 8;"
    more = "traffic = transpose; packet_size = 4; injection_rate_uses_flits = 1;"
    (tmp_path / "mesh88_lat").write_text(f"{mesh}\n{more}\n")
    (tmp_path / "examples").mkdir()
    shutil.copy("trace.csv", "examples")
    text = run(*page.split(), "--help").stdout.split("Example")[1].split("Options:")[0]
    examples = [line.strip() for line in text.splitlines() if line.startswith("    lccmodel")]
    assert examples
    if "--machine machine.toml" in text and page != "calibrate":
        assert run("calibrate", "osu_latency.txt", "--save", "machine.toml").exit_code == 0
    for line in examples[:lines]:
        quick = line.replace("--seconds 2", "--seconds 0.2")
        if page == "map" and "torus" in line:
            quick += " --seconds 0.1"
        elif "--measure" in line:  # 2 processes for 16: more wait for each other
            quick = quick.replace("mesh:4x4", "mesh:2") + " --seconds 0.1"
        result = run(*shlex.split(quick)[1:])
        assert result.exit_code == 0, (line, result.output)


def test_a_rank_file_beside_a_node_program_comes_with_a_warning(tmp_path: Path) -> None:
    """Each of them applies Q; started with both, rank x would run on processor QQx."""
    ranks, program = tmp_path / "ranks", tmp_path / "program.py"
    typed = [
        "map",
        "bit-reverse",
        "--network",
        "cube:3",
        "--hosts",
        "a:8",
        "--rankfile",
        str(ranks),
    ]
    alone = calling.run(*typed)
    both = calling.run(*typed, "--spmd", str(program))
    assert alone.exit_code == both.exit_code == 0
    assert "use one of the two files" not in alone.output
    assert "use one of the two files" in both.output


# -- pictures -------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["contention", "map"])
@pytest.mark.parametrize("suffix", fast_only(["png", "pdf", "svg"], "svg"))
def test_loads_are_drawn_on_request_and_the_same_twice(
    tmp_path: Path, command: str, suffix: str
) -> None:
    """`--plot` draws, and leaves the table as it is."""
    plain = run(command, "matrix-transpose", "-N", "cube:4").stdout
    made = []
    for k in range(2):
        file = tmp_path / f"{k}.{suffix}"
        assert run(command, "matrix-transpose", "-N", "cube:4", "--plot", file).stdout == plain
        made.append(file.read_bytes())
    assert made[0] == made[1]
    assert made[0].startswith({"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml"}[suffix])


def test_what_is_recognised_is_drawn(tmp_path: Path) -> None:
    """A dark square of a picture is a one of A or b; messages are dots, their senders rows."""
    from lccmodel.communication.catalog import build
    from lccmodel.communication.traffic import Traffic
    from lccmodel.show.mapping_views import MAX_PANELS, draw_recognised

    turn = build("matrix-transpose", 4)
    ring = Traffic([(k, (k + 1) % 8) for k in range(8)])
    found = [("turn", "linear-complement", turn), ("ring", "not-linear-complement", ring)]
    matrix, dots = draw_recognised(found).axes
    cells = matrix.images[0].get_array()
    assert cells[:, :4].tolist() == turn.A.tolist()
    assert cells[:, 4].tolist() == list(turn.b)
    x, y = dots.lines[0].get_data()
    assert [(int(u), int(v)) for u, v in zip(x, y, strict=True)] == [
        ((k + 1) % 8, k) for k in range(8)
    ]
    for number in (0, MAX_PANELS + 1):
        with pytest.raises(InputError, match="1 to 64 communications"):
            draw_recognised(found[:1] * number)


def test_recognise_and_catalog_draw_on_request(tmp_path: Path) -> None:
    for words in (["recognise", "examples/mistakes/ring.txt"], ["catalog", "shift:2", "--n", "6"]):
        plain = run(*words)
        file = tmp_path / f"{words[0]}.png"
        drawn = run(*words, "--plot", file)
        assert (drawn.stdout, drawn.exit_code) == (plain.stdout, plain.exit_code)
        assert file.read_bytes().startswith(b"\x89PNG")
    for words, rule in (([], "requires a NAME"), (["shift"], "needs the parameters of shift")):
        refused = run("catalog", *words, "--plot", tmp_path / "no.png")
        assert (refused.exit_code, rule in refused.output) == (2, True)
    assert not (tmp_path / "no.png").exists()


@pytest.mark.parametrize("command", ["contention", "map", "route", "trace"])
def test_a_picture_that_cannot_be_written_is_refused_first(tmp_path: Path, command: str) -> None:
    result = run(command, "bit-reverse", "-N", "cube:3", "--plot", tmp_path / "loads.jpg")
    assert result.exit_code == 2
    assert "--plot: must end in .png, .pdf" in result.output
    assert list(tmp_path.iterdir()) == []


# -- on a terminal --------------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    def words(self) -> str:
        """What it shows, without colours and movements of the cursor."""
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.getvalue())


def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """From now on both streams are this one."""
    made = Terminal()
    for name, value in (("TERM", "xterm-256color"), ("COLUMNS", "80")):
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdout", made)
    monkeypatch.setattr(sys, "stderr", made)
    return made


def test_tables_are_drawn_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same cells as in a pipe, an empty line between tables; data stay data."""
    one = Table("First", ("n", "name"), ((2, "a"), (30, "b")))
    two = Table("Second", ("n",), ((4,),))
    screen = terminal(monkeypatch)
    show([one, two], "table")
    words = screen.words()
    for cell in ("First", "name", "30", "b", "Second", "4"):
        assert cell in words
    assert words.index("First") < words.index("30") < words.index("\n\n") < words.index("Second")
    screen = terminal(monkeypatch)
    show([two], "csv")
    assert screen.getvalue() == "n\n4\n"


def test_what_is_being_done_is_said_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = terminal(monkeypatch)
    with working("reading") as progress:
        progress("searching")
    assert "searching" in screen.words()
    pipe = io.StringIO()
    with contextlib.redirect_stderr(pipe), working("reading") as progress:
        progress("searching")
        with progress.paused():
            pass
    assert pipe.getvalue() == ""


def test_the_line_is_away_while_something_else_is_written() -> None:
    """It comes back after an error too."""
    calls: list[str] = []
    line: Any = SimpleNamespace(
        update=lambda text: calls.append(text),
        stop=lambda: calls.append("stop"),
        start=lambda: calls.append("start"),
    )
    progress = Progress(line)
    progress("reading")
    with progress.paused():
        calls.append("written")
    with pytest.raises(ZeroDivisionError), progress.paused():
        raise ZeroDivisionError
    assert calls == ["reading", "stop", "written", "start", "stop", "start"]
