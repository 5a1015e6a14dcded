"""The commands: right answers, every format, rank files, help, pictures, the terminal."""

import contextlib
import csv
import io
import json
import re
import shlex
import shutil
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from lccmodel.cli import cli
from lccmodel.cli.options import Progress, show, working
from lccmodel.communication.catalog import build
from lccmodel.errors import InputError
from lccmodel.placement.search import solve
from lccmodel.show import communication_tables
from lccmodel.show.mapping_views import MAX_PANELS, draw_recognised
from lccmodel.show.records import Table
from tests.choosing import each_choice, sampled, slow
from tests.cli.calling import EXAMPLES, records, records_of, refused, run, typed

EXCHANGE = "source,destination,volume\n0,1,4\n1,0,4\n2,3,4\n3,2,4\n"

# -- answers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "columns"),
    [
        (
            "catalog matrix-transpose --n 4",
            {"equation": ["y0 = x2", "y1 = x3", "y2 = x0", "y3 = x1"]},
        ),
        ("catalog bit-permute-complement:1-0", {"equation": ["y0 = x1", "y1 = x0"]}),
        ("catalog shift", {"parameter": ["k"]}),
        # [hou, Example 3], by formula and by walking
        (
            "contention matrix-transpose -N cube:8 --method formula",
            {"loads": [[1, 2, 4, 8, 8, 4, 2, 1]]},
        ),
        (
            "contention matrix-transpose -N cube:8 --method walk",
            {"loads": [[1, 2, 4, 8, 8, 4, 2, 1]]},
        ),
        # [hou, Examples 4 and 6]
        (
            "map matrix-transpose -N cube:8",
            {"order": [[0, 4, 2, 6, 1, 5, 3, 7]], "degree_after": [1]},
        ),
        (
            "map matrix-transpose bit-reverse -N cube:8 --count",
            {"degree_after": [2, 1], "optimal_orders": [2304] * 2},
        ),
        # [hou, Example 9]: degree 4, 2 by a reordering, 1 by a linear mapping
        ("map reverse-flip -N origin:5", {"degree_before": [4], "degree_after": [2]}),
        ("map reverse-flip -N origin:5 --linear", {"degree_after": [1]}),
        # weights are those of the file unless stated
        ("map program.toml", {"weight": [3, 1], "network": ["cube:4"] * 2}),
        ("map program.toml --weights 1,1/3", {"weight": [1, "1/3"]}),
        ("map program.toml --weights '1 0.25'", {"weight": [1, 0.25]}),
        # a file may say the size, or name its network
        ("map program.toml -N origin", {"network": ["origin:4"] * 2}),
        ("contention trace.csv bit-reverse", {"network": ["cube:2"] * 2}),
        ("contention 'y0 = x1; y1 = x0'", {"network": ["cube:2"]}),
        ("map named.toml", {"network": ["origin:5"]}),
        ("map named.toml -N cube", {"network": ["cube:5"]}),
        ("recognise trace.csv", {"kind": ["permutation"], "A": [[[1, 0], [0, 1]]], "b": [[1, 0]]}),
        ("recognise bit-reverse --n 2", {"A": [[[0, 1], [1, 0]]]}),
    ],
)
def test_what_a_column_holds(line, columns, folder):
    (folder / "trace.csv").write_text(EXCHANGE)
    (folder / "named.toml").write_text('network = "origin:5"\ncatalog = "reverse-flip"\nn = 5\n')
    rows = records_of(line)
    assert {key: [row[key] for row in rows] for key in columns} == columns


def test_routing_of_a_scatter_is_by_name():
    """A scatter sent back along its gather's paths is the descending routing."""
    ways = (
        records_of(f"contention scale2 -N cube:4 --routing {w}")
        for w in ("ascending", "descending")
    )
    forward, backward = (rows[0]["loads"] for rows in ways)
    assert forward != backward


def test_channels_on_a_torus():
    rows = records_of("contention bit-reverse -N torus:4x4 --channels")
    assert [row["axis"] for row in rows] == [0, 1]
    assert all(len(row["messages"]) == row["load"] for row in rows)


def test_what_is_not_recognised_is_exit_code_1(folder):
    result = typed("recognise ring.txt -f csv")
    assert result.exit_code == 1
    assert "0->1, 1->2, 2->3 imply 3->0, but 3->4 is sent" in result.stdout


@pytest.fixture
def no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures are tested with the job; here they would only take time."""
    monkeypatch.setattr("lccmodel.papers.report.drawings", lambda solution: iter(()))
    monkeypatch.setattr("lccmodel.papers.report._worth_drawing", lambda routed: None)


@pytest.mark.usefixtures("no_figures")
def test_report_writes_its_files_and_shows_the_result(folder):
    result = typed("report program.toml --output out --objective max-max")
    assert result.exit_code == 0, result.output
    assert "M-G" in result.stdout
    assert "README.md" in result.stdout
    shown = [line for line in result.stdout.splitlines() if "files written" not in line]
    assert max(map(len, shown)) <= 100
    assert (folder / "out" / "program-cube-4" / "tables.tex").is_file()
    found = json.loads((folder / "out" / "results.json").read_text())
    assert {record["mapping"] for record in found} == {"alone", "together"}


# -- formats and files ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    sampled(
        [
            "contention gray-code -N cube:4",
            "contention gray-code -N cube:4 --channels",
            "catalog shift:1",
            "catalog",
            "pipeline -N mesh:32x32 --alpha 500 --tau 1 --items 4096 --sensitivity",
            "pipeline -N mesh:8 --formula",
            "exchange -N mesh:16x16 --alpha 500 --tau 1 --block 64",
            "schedule --task 0,4 -N mesh:4x4 --step 1",
            "map gray-code bit-reverse -N cube:4",
            "route gray-code -N mesh:4x2 -a simd-mesh --tags",
            "route gray-code -N mesh:4x2 -a hl --tags",
            "route gray-code -N mesh:4x2 -a exchange --tags",
            "recognise gray-code -n 3",
        ],
        3,
    ),
)
def test_every_command_speaks_every_format(line, folder):
    rows = records_of(line)
    cells = list(csv.reader(io.StringIO(typed(line, "-f", "csv").stdout)))
    assert cells[0] == list(rows[0])
    if "--tags" not in line:  # below them is a second table
        assert len(cells) == len(rows) + 1
        assert {len(row) for row in cells} == {len(cells[0])}
    markdown = typed(line, "-f", "markdown").stdout.split("\n\n")
    for block in markdown:
        bars = {row.replace("\\|", "").count("|") for row in block.splitlines() if row[:1] == "|"}
        assert len(bars) <= 1
    latex = typed(line, "-f", "latex").stdout
    assert latex.count(r"\begin{") == latex.count(r"\end{")
    assert latex.replace("µ", "").isascii()
    text = typed(line, "-f", "table").stdout
    assert text == typed(line).stdout
    assert max(map(len, text.splitlines())) <= 100
    assert "\x1b" not in text
    for suffix in ("json", "csv", "md", "tex", "txt"):
        assert typed(line, "-o", f"t.{suffix}").stdout == ""
    assert json.loads((folder / "t.json").read_text()) == rows
    assert (folder / "t.tex").read_text() == latex
    assert (folder / "t.txt").read_text() == text
    assert typed(line, "-f", "latex", "-o", "t.md").exit_code == 0
    assert (folder / "t.md").read_text() == latex


def test_hosts_are_missed_before_anything_is_searched(folder, monkeypatch):
    """A network without names needs --hosts for a rank file of Slurm, but not for Cray's."""
    monkeypatch.setattr("lccmodel.placement.search.solve.place", lambda *_, **__: 1 / 0)
    line = "map traffic.csv -N torus:4x4 --rankfile ranks.txt --launcher"
    assert "--hosts: is required" in refused(typed(line, "slurm"))
    assert isinstance(typed(line, "cray").exception, ZeroDivisionError)


def test_rank_files_for_the_three_launchers(tmp_path):
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


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """The plan of a search is carried out to its end, however busy the machine is."""
    monkeypatch.setattr(solve, "GRACE", 600.0)


@pytest.mark.slow
@pytest.mark.usefixtures("unhurried")
def test_a_real_cluster_gives_the_same_answer():
    """A Dask scheduler and two worker processes on this machine, joined by its address."""
    distributed = pytest.importorskip("distributed")
    args = ("map", "grid:8x4:rings:4,1", "-N", "mesh:8x4", "--objective", "joint",
            "--seconds", "0.3")  # fmt: skip
    local = {"threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(n_workers=2, **local) as cluster:
        assert records(*args, "--cluster", cluster.scheduler_address) == records(*args)


@pytest.mark.slow
@pytest.mark.usefixtures("unhurried")
def test_workers_do_not_change_the_answer(tmp_path):
    args = ("map", "grid:6x5:all-to-all", "-N", "mesh:6x5", "--seconds", "0.3", "--seed", "3")
    assert records(*args) == records(*args, "--workers", "2")


@pytest.mark.parametrize(
    "line", ["map bit-reverse -N cube:3", "map grid:3x3 -N torus:4x4 --seconds 0.05"]
)
def test_spmd_writes_a_program_that_compiles(line, folder):
    """A rank file beside it comes with a warning: with both, rank x would run on processor QQx."""
    alone = typed(line, "--spmd", "node.py")
    assert alone.exit_code == 0
    assert "mpiexec -n" in alone.stdout
    assert "use one of the two files" not in alone.output
    compile((folder / "node.py").read_text(), "node.py", "exec")
    both = typed(line, "--spmd", "node.py", "--rankfile", "ranks", "--hosts", "a:16")
    assert "use one of the two files" in both.output


# -- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (KeyboardInterrupt(), 130, "lccmodel: interrupted"),
        (MemoryError(), 2, "lccmodel: error: not enough memory for a problem of this size"),
        (PermissionError(13, "Permission denied", "f"), 2, "lccmodel: error: f: Permission denied"),
        (KeyError("bug"), 1, ""),
    ],
)
def test_interrupts_and_system_errors_are_one_line(error, code, line, monkeypatch):
    """Only errors that input can cause become one line: a bug is not hidden."""

    def failing(*_: object) -> None:
        raise error

    monkeypatch.setattr(communication_tables, "catalog_table", failing)
    result = run("catalog")
    assert (result.exit_code, result.stderr.strip()) == (code, line)
    assert (result.exception is error) == (not line)


# -- help -----------------------------------------------------------------------------------


def test_help_of_every_command_has_an_example_that_starts():
    assert run().stdout == run("--help").stdout
    for name, command in cli.commands.items():
        text = run(name, "--help").stdout
        assert f"lccmodel {name}" in text.split("Example")[1]
        assert command.short_help
    assert run("--version").stdout.startswith("lccmodel ")


LATENCY = "# Size       Avg Latency(us)\n"
LATENCY += "".join(f"{8 << k} {2 + 0.001 * (8 << k)}\n" for k in range(9))
NAMED_IN_HELP = {
    "trace.csv": EXCHANGE,
    "pairs.txt": EXCHANGE,
    "hosts.txt": "a slots=4\n",
    "osu_latency.txt": LATENCY,
    "osu_twice.txt": f"== intra\n{LATENCY}== inter\n{LATENCY}",
    "imb.txt": "# Benchmarking Exchange\n# #processes = 8\n"
    "#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec] Mbytes/sec\n"
    + "\n".join(f"{8 << k} 100 1 2 {2 + 0.001 * (8 << k)} 50" for k in range(9)),
    "bindings.txt": "\n".join(
        f"[c{1 + r % 4}:7] Rank {r} bound to package[0][core:{r // 4}]" for r in range(16)
    ),
    "mesh88_lat": "topology = mesh; k = 4; n = 2; routing_function = dor; num_vcs = 1;\n"
    "vc_buf_size = 8; traffic = transpose; packet_size = 4; injection_rate_uses_flits = 1;\n",
}


@pytest.mark.usefixtures("no_figures")
@pytest.mark.parametrize("lines", [1, slow(99)], ids=["first", "all"])
@pytest.mark.parametrize(
    "page",
    [
        slow(page) if page in ("warm-up", "calibrate", "collective") else page
        for page in ("", *cli.commands)
    ],
)
def test_the_examples_of_the_help_texts_run(page, lines, folder):
    """With files of the names that the examples use; what waits for a clock waits less."""
    for name, text in NAMED_IN_HELP.items():
        (folder / name).write_text(text)
    for name in ("topo.txt", "run.prof", "now.txt"):
        shutil.copy(EXAMPLES / "clusters" / name, name)
    (folder / "examples").mkdir()
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


# -- pictures -------------------------------------------------------------------------------


PLOTTED = [
    "contention matrix-transpose -N cube:4",
    "map matrix-transpose -N cube:4",
    "route 'y0 = x2; y1 = x0; y2 = x1' -a simd-mesh",
    "trace bit-reverse -N cube:3",
    "schedule --task 0,4 -N mesh:4x4 --loads",
    "schedule --task 0,6 -N mesh:4x4x4 --plane 2=1",
    "exchange -N mesh:16x16 --alpha 500 --tau 1 --block 64 --methods direct,levels",
    "pipeline -N mesh:8x8 --alpha 500 --tau 1 --items 4096 --unit µs",
    "pipeline -N mesh:8x8 --alpha 500 --tau 1 --items 4096 --model all",
    "simulate bit-reverse -N cube:4 --cycles 1000 --load 0.2,0.9 --mapping optimal",
    "simulate bit-reverse -N cube:4 --cycles 1000 --routing 'e-cube, xy-yx'",
    "fft -N cube:4 --points 64 --table speedup",
    "collective allreduce -N torus:4x4 --alpha 5 --tau 0.001",
    "collective allreduce -N torus:4x4 --alpha 5 --tau 0.001 --algorithm swing",
    "recognise ring.txt",
    "catalog shift:2 --n 6",
]


@pytest.mark.parametrize(("line", "suffix"), each_choice(PLOTTED[::6], ["png", "pdf", "svg"]))
def test_a_picture_stands_beside_the_table_and_is_the_same_twice(line, suffix, folder):
    plain = typed(line)
    pictures = []
    for name in "ab":
        drawn = typed(line, "--plot", f"{name}.{suffix}")
        assert (drawn.stdout, drawn.exit_code) == (plain.stdout, plain.exit_code)
        pictures.append((folder / f"{name}.{suffix}").read_bytes())
    assert pictures[0] == pictures[1]
    assert pictures[0].startswith({"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml"}[suffix])


@pytest.mark.slow
@pytest.mark.parametrize("line", PLOTTED)
def test_every_picture_is_drawn(line, folder):
    assert typed(line, "--plot", "a.svg").exit_code in (0, 1)
    assert (folder / "a.svg").read_text().startswith("<?xml")
    if line.startswith("simulate"):
        assert typed(f"{line} --routing e-cube --heatmap heat.pdf").exit_code == 0
        assert (folder / "heat.pdf").read_bytes().startswith(b"%PDF")


def test_what_is_recognised_is_drawn():
    """A dark square of a picture is a one of A or b."""
    turn = build("matrix-transpose", 4)
    cases = [("turn", "linear-complement", turn)]
    cells = draw_recognised(cases).axes[0].images[0].get_array()
    assert cells[:, :4].tolist() == turn.A.tolist()
    assert cells[:, 4].tolist() == list(turn.b)
    for number in (0, MAX_PANELS + 1):
        with pytest.raises(InputError, match="1 to 64 communications"):
            draw_recognised(cases * number)


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


def test_tables_are_drawn_on_a_terminal(monkeypatch):
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


def test_what_is_being_done_is_said_on_a_terminal_only(monkeypatch):
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


def test_the_line_is_away_while_something_else_is_written():
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
