"""The output of OSU, IMB and NetPIPE, each in the format of the version that is named.

Formats are those of the tools' own print statements and of published runs; the times are 1.5 µs
and 1 ns a byte (a rate is what follows from them) unless a comment says otherwise.
"""

from pathlib import Path

import numpy as np
import pytest

from lccmodel.calibration import Measurements, fit, read_machine, read_measurements, write_machine
from lccmodel.errors import FileError, InputError
from lccmodel.reading.times import _bytes
from tests.choosing import fast_only
from tests.cli import calling

SIZES = (8, 64, 1024, 8192, 65536)
TIMES = [(s, 1.5 + s / 1000) for s in SIZES]


def osu(head: str, more: str = "") -> str:
    """A run of OSU with these lines as its head."""
    lines = "".join(f"# {line}\n" for line in head.split("|"))
    return lines + "".join(f"{s:<10}{t:>18.2f}{more}\n" for s, t in TIMES)


# OSU 7.3: the heads come before "# Datatype"; 7.5: after it, as "Avg Latency(us)"; 5.9: no datatype
OSU_59 = osu("OSU MPI Latency Test v5.9|Size          Latency (us)")
OSU_73 = osu("OSU MPI Latency Test v7.3|Size          Latency (us)|Datatype: MPI_CHAR.")
OSU_75 = osu("OSU MPI Latency Test v7.5|Datatype: MPI_CHAR.|Size       Avg Latency(us)")
OSU_BCAST = OSU_75.replace("Latency Test", "Broadcast Latency Test")
# OSU 7.4 with -c: a column of verdicts, and the line that ends a run
OSU_FAIL = (
    osu(
        "OSU MPI Latency Test v7.4|Datatype: MPI_CHAR.|Size  Avg Latency(us)  Validation", "   Pass"
    )
    + "131072                900.00              Fail\n"
    "DATA VALIDATION ERROR: /opt/omb/osu_latency exited with status 1 on message size 131072.\n"
)
OSU_BW = "# OSU MPI Bandwidth Test v7.5\n# Datatype: MPI_CHAR.\n# Size      Bandwidth (MB/s)\n" + (
    "".join(f"{s:<10}{s / (0.2 + s / 1000):>18.2f}\n" for s in SIZES)
)
OSU_BIBW = OSU_BW.replace("Bandwidth Test v7.5", "Bi-Directional Bandwidth Test v7.5")

IMB_LINE = "#" + "-" * 51 + "\n"


def imb(name: str, *, scale: float = 1.0, processes: int = 2, more: str = "") -> str:
    """A section of IMB-MPI1 2021: PingPong has one column of times, others a range of them."""
    many = ["t[usec]"] if name.startswith("Ping") else ["t_min[usec]", "t_max[usec]", "t_avg[usec]"]
    lines = [["#bytes", "#repetitions", *many, "Mbytes/sec"]]
    for s, t in ((s, scale * t) for s, t in ((0, 1.5), *TIMES)):
        columns = (t,) if len(many) == 1 else (0.9 * t, 1.1 * t, t)
        lines.append([str(s), "1000", *(f"{number:.2f}" for number in (*columns, s / t))])
    body = "".join("".join(f"{word:>13}" for word in line) + "\n" for line in lines)
    head = f"{IMB_LINE}# Benchmarking {name} \n# #processes = {processes} \n{more}{IMB_LINE}"
    return f"\n{head}{body}"


IMB_HEAD = (
    "#" + "-" * 64 + "\n#    Intel(R) MPI Benchmarks 2021.2, MPI-1 part\n"
    "# Calling sequence was: \n\n# IMB-MPI1 \n\n# MPI_Datatype                   :   MPI_BYTE \n"
    "# List of Benchmarks to run:\n\n# PingPong\n# PingPing\n\n"
)
IMB_END = "\n\n# All processes entering MPI_Finalize\n\n"
WAITING = "# ( 6 additional processes waiting in MPI_Barrier)\n"
BARRIER = (
    f"\n{IMB_LINE}# Benchmarking Barrier \n# #processes = 8 \n{IMB_LINE} #repetitions  t_min[usec]"
    "  t_max[usec]  t_avg[usec]\n         1000         3.02         3.03         3.02\n"
)
NETPIPE_3 = (
    "Send and receive buffers are 16384 and 87380 bytes\n"
    "(A bug in Linux doubles the requested buffer sizes)\nNow starting the main loop\n"
) + "".join(
    f"{k:>3}: {s:>9} bytes   2000 times --> {8 * s / t / 1.048576:>11.2f} Mbps in {t:>10.2f} usec\n"
    for k, (s, t) in enumerate(TIMES)
)
NP_OUT_3 = "".join(f"{s:>8} {8 * s / t / 1.048576:f} {t * 1e-6:12.8f}\n" for s, t in TIMES)


def netpipe_5(green: str = "", blue: str = "", end: str = "") -> str:
    """NetPIPE 5.1 on the screen: sizes in B and KB of 1000, times in usecs, also with colours."""
    text = "NetPIPE module: mpi\n\n"
    for k, (s, t) in enumerate(TIMES, start=1):
        size = f"    {s:>3}  B" if s < 1000 else f"{s / 1000:>7.3f} KB"
        text += f"{k:>3}: {green}{size}{end}     65021 times -->  {8 * s / t:>7.3f} Mbps  in  "
        text += f"{blue}{t:>7.3f} usecs{end}\n"
    return text + "\nCompleted with        max bandwidth  7.8 Gbps       1.508 usecs latency\n\n\n"


COLOURED = netpipe_5("\x1b[32m", "\x1b[36m", "\x1b[0m")


def read(tmp_path: Path, text: str, benchmark: str | None = None) -> Measurements:
    file = tmp_path / "out.txt"
    file.write_text(text)
    return read_measurements(file, benchmark)


FORMATS = {
    "osu-5.9": OSU_59, "osu-7.3": OSU_73, "osu-7.5": OSU_75, "osu-fail": OSU_FAIL,
    "imb": IMB_HEAD + imb("PingPong", more=WAITING) + IMB_END, "netpipe-3": NETPIPE_3,
    "netpipe-5": netpipe_5(), "netpipe-5-colours": COLOURED, "np.out-3": NP_OUT_3,
}  # fmt: skip


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_gives_the_times_it_prints(tmp_path, name):
    output = read(tmp_path, FORMATS[name])
    kinds = {"osu": "OSU latency", "imb": "IMB PingPong", "np.out": "NetPIPE np.out"}
    assert output.kind == kinds.get(name.partition("-")[0], "NetPIPE")
    assert output.start_up
    assert output.sizes.tolist() == list(SIZES)
    assert output.times == pytest.approx([t for _, t in TIMES], abs=0.006)


def test_benchmarks_of_one_file_are_not_mixed(tmp_path):
    """A usual IMB-MPI1 run: PingPong, PingPing, more on other numbers of processes."""
    ranges = (("Sendrecv", 4, 2), ("Exchange", 5, 2), ("Exchange", 6, 8), ("Bcast", 7, 8))
    text = IMB_HEAD + imb("PingPong", more=WAITING) + imb("PingPing", scale=3)
    for name, scale, processes in ranges:
        text += imb(name, scale=scale, processes=processes)
    text += BARRIER + IMB_END
    alone = fit(read(tmp_path, imb("PingPong")))
    output = read(tmp_path, text)
    assert fit(output).alpha == alone.alpha == pytest.approx(1.5, abs=0.01)
    assert output.left_out == (
        *("IMB PingPing:2", "IMB Sendrecv:2", "IMB Exchange:2", "IMB Exchange:8"),
        *("IMB Bcast:8", "IMB Barrier:8"),
    )
    for asked, alpha in (("pingping", 4.5), ("IMB Sendrecv", 6), ("Exchange:2", 3.75),
                         ("exchange:8", 4.5)):  # fmt: skip
        assert fit(read(tmp_path, text, asked)).alpha == pytest.approx(alpha, abs=0.02), asked
    for asked, words in (
        ("Exchange", r"select one with --benchmark; got 'IMB Exchange:2, IMB"),
        *(("bcast", "single messages"), ("gather", "no benchmark is called; got 'gather'")),
    ):
        with pytest.raises(FileError, match=words):
            read(tmp_path, text, asked)
    # without a ping-pong a single benchmark is taken, and of several one must be selected
    sendrecv = imb("Sendrecv", scale=2, processes=4)
    assert read(tmp_path, sendrecv + BARRIER).kind == "IMB Sendrecv, 4 processes"
    with pytest.raises(FileError, match="select one"):
        read(tmp_path, sendrecv + imb("PingPing"))


def test_rows_that_failed_do_not_count(tmp_path):
    """OSU marks them Fail; IMB prints the reason in the place of the times, or defects."""
    output = read(tmp_path, OSU_FAIL)
    assert 131072 not in output.sizes
    assert output.left_out[0] == "1 × a row marked Fail"
    late = "      4194304 time-out.; Time limit (secs_per_sample * msg_sizes_list_len) is over;\n"
    memory = '      8388608 out-of-mem.; needed X=   1.000 GB; use flag "-mem X"\n'
    output = read(tmp_path, imb("PingPong") + late + memory)
    assert output.sizes.tolist() == list(SIZES)
    assert output.left_out == ("1 × a row marked time-out", "1 × a row marked out-of-mem")
    heads = imb("PingPong").replace("Mbytes/sec\n", "Mbytes/sec      defects\n").splitlines()
    marks = ["" if "#" in line or not line else f"{0.5 * (' 64 ' in line):7.2f}" for line in heads]
    output = read(tmp_path, "".join(f"{line}{m}\n" for line, m in zip(heads, marks, strict=True)))
    assert output.sizes.tolist() == [8, 1024, 8192, 65536]
    assert output.left_out == ("1 × a row with defects",)
    # all rows of NetPIPE belong to one benchmark; the first, which failed, does not hide the others
    output = read(tmp_path, NETPIPE_3.replace("usec\n", "usec  with failures\n", 1))
    assert output.sizes.tolist() == [64, 1024, 8192, 65536]
    assert output.left_out == ("1 × a row with failures",)


def test_both_directions_and_collectives_are_no_messages_one_way(tmp_path):
    both = "Bidirectional mode using 1 pairs of processes.\nThe output shows the combined\n"
    for text in (OSU_BIBW, OSU_BCAST, both + netpipe_5(), imb("Bcast", scale=1, processes=4)):
        with pytest.raises(FileError, match="single messages"):
            read(tmp_path, text)
    output = read(tmp_path, OSU_BCAST + OSU_73 + OSU_BIBW)
    assert output.times == pytest.approx([t for _, t in TIMES], abs=0.006)
    assert output.left_out == ("OSU broadcast latency", "OSU bi-directional bandwidth")


def test_what_one_sided_and_device_benchmarks_print_is_not_pooled(tmp_path):
    """Titles and heads as osu_put_latency, osu_get_latency and osu_latency -d cuda print them."""
    window = "# Window creation: MPI_Win_allocate\n# Synchronization: MPI_Win_flush\n# Size"
    put, get = (
        OSU_59.replace("MPI Latency", title).replace("# Size", window).replace("1.5", "9.5")
        for title in ("MPI_Put Latency", "MPI_Get latency")
    )
    device = (
        "MPI-CUDA Latency Test v5.9\n# Send Buffer on DEVICE (D) and Receive Buffer on HOST (H)"
    )
    cuda = OSU_59.replace("MPI Latency Test v5.9", device)
    output = read(tmp_path, put + OSU_59 + get + cuda)
    assert (output.kind, output.times.size) == ("OSU latency", len(SIZES))
    assert output.left_out == (
        *("OSU mpi_put latency", "OSU mpi_get latency", "OSU mpi-cuda latency, device to host"),
    )
    assert read(tmp_path, cuda).kind == "OSU mpi-cuda latency, device to host"
    with pytest.raises(FileError, match="single messages"):
        read(tmp_path, put)


def test_a_windowed_rate_says_no_start_up(tmp_path):
    """osu_bw: 64 messages in flight; size / rate is the gap between two of them."""
    output = read(tmp_path, OSU_BW)
    assert (output.kind, output.start_up) == ("OSU bandwidth", False)
    with pytest.raises(InputError, match="no start-up"):
        write_machine(tmp_path / "m.toml", fit(output))
    assert not (tmp_path / "m.toml").exists()
    assert read(tmp_path, OSU_BW + OSU_73).kind == "OSU latency"
    assert read(tmp_path, OSU_BW + OSU_73, "osu_bw").kind == "OSU bandwidth"
    stream = read(tmp_path, "Streaming data in one direction\n" + netpipe_5())
    assert (stream.kind, stream.start_up) == ("NetPIPE, streaming", False)


def test_the_lines_of_mpirun_round_the_output_are_no_measurements(tmp_path):
    """Warnings before, between and after the rows; numbers that begin a sentence; tags of ranks."""
    warning = (
        "-" * 74 + "\nWARNING: There was an error initializing an OpenFabrics device.\n\n"
        "  Local host:   node03\n" + "-" * 74 + "\n[node03:12345] SET UCX_NET_DEVICES=mlx5_2:1\n"
    )
    later = "[node03:12345] 1 more process has sent help message help-mpi-btl-openib.txt\n2 more\n"
    lines = OSU_73.splitlines(keepends=True)
    output = read(tmp_path, warning + "".join(lines[:5]) + later + "".join(lines[5:]) + warning)
    assert output.sizes.tolist() == list(SIZES)
    assert len(output.left_out) == 5  # a rule of dashes is no line to name
    tagged = "".join(f"[1,0]<stdout>:{line}" for line in lines)
    assert read(tmp_path, tagged).times.tolist() == output.times.tolist()


def test_a_file_without_a_title_says_so(tmp_path):
    output = read(tmp_path, "".join(OSU_59.splitlines(keepends=True)[1:]))
    assert output.kind == "OSU latency"
    assert "no title" in output.left_out[0]


def test_an_np_out_has_times_that_follow_from_their_rates(tmp_path):
    """One of short messages is one though its digits are few: 0.0445 µs is 11 % more."""
    for text, times in (
        ("8 1438.2 0.00000004\n16 2876.4 0.00000004\n", [0.04, 0.04]),
        ("8 0.003 0.002 0.001 23.41\n16 0.005 0.003 0.002 23.41\n", [23.41, 23.41]),  # 9 %
    ):
        assert read(tmp_path, text).times.tolist() == times
    moved = NP_OUT_3.replace(" 0.0", " 7.0")
    for text in ("8 1 2\n16 1 3\n", "8 0 1\n", "1 2 3 4 5\n2 3 4\n", moved):
        with pytest.raises(FileError, match="known format"):
            read(tmp_path, text)


TABLE = "# mine\n\nbytes,time [ms],runs\n" + "".join(
    f"{s},{(1.5 + s / 1000) / 1e3:.9f},{s}\n" for s in SIZES
)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "text",
    [OSU_73, imb("PingPong"), NETPIPE_3, netpipe_5(), TABLE],
    ids=["osu", "imb", "netpipe-3", "netpipe-5", "table"],
)
def test_the_row_that_is_wrong_is_named_by_its_line(tmp_path, text, size):
    """The time of one size is infinite, whatever the format, its columns and what stands before."""
    lines, time = text.splitlines(), 1.5 + size / 1000
    written = {f"{time:.2f}", f"{time:.3f}", f"{time / 1e3:.9f}"}
    words = [written & {*line.replace(",", " ").split()} for line in lines]
    number = next(k for k, times in enumerate(words) if times)
    lines[number] = lines[number].replace(words[number].pop(), "inf")
    with pytest.raises(FileError, match="must be finite") as refused:
        read(tmp_path, "\n".join(lines))
    assert refused.value.line == number + 1
    assert read(tmp_path, text).sizes.tolist() == list(SIZES)


def test_a_line_that_is_no_fit_is_said_to_be_none(tmp_path):
    """Residuals of 65 %, or times that fall as sizes grow; `pipeline` calls nothing exact then."""
    sizes = np.array([8 << k for k in range(12)])
    assert fit(Measurements(sizes, 1.5 + sizes / 1000)).doubt == ""
    noisy = np.random.default_rng(2).uniform(0.93, 1.07, 12)
    assert fit(Measurements(sizes, 1.5 * noisy)).doubt == ""  # small sizes alone: τ is nearly 0
    bent = fit(Measurements(sizes, sizes**0.4), segments=1)  # rises always, and is no line
    assert abs(bent.residuals).max() > 0.5
    assert "half off the line" in bent.doubt
    few, said = [8, 16, 32, 64], "times fall as sizes grow: 8 bytes take 3 µs, 16"
    for times, begins in (
        *(([2.9, 2, 3, 4], ""), ([3, 2, 3, 4], said)),
        *(([1.1, 1.08, 1.06, 1], "times fall"), ([1.1, 1.08, 1.06, 1.001], "")),  # by a tenth, less
    ):
        doubt = fit(Measurements(few, times), segments=1).doubt
        assert doubt.startswith(begins)
        assert bool(doubt) == bool(begins)
    falling = fit(Measurements(sizes, 10 - 0.1 * np.arange(12)), segments=1)
    machine = write_machine(tmp_path / "m.toml", falling)
    assert read_machine(machine).doubt == falling.doubt
    # its best line has no time for a byte
    refusal = calling.refused(calling.run("fft", "-N", "cube:4", "--machine", machine))
    assert f"{machine}: must have a tau above 0" in refusal
    write_machine(machine, fit(Measurements(sizes, 10 - 0.1 * np.arange(12))))
    result = calling.run("pipeline", "-N", "mesh:8x8", "--machine", machine, "--items", "4096")
    assert result.exit_code == 0
    assert "exact" not in result.output
    assert "of a line that is no fit" in result.output
    assert "best Q within the fit's interval" in result.output


def test_the_command_names_what_it_left_out(tmp_path):
    file = tmp_path / "imb.txt"
    file.write_text(imb("PingPong") + imb("PingPing", scale=2))
    result = calling.run("calibrate", file)
    assert "IMB PingPing:2" in result.output.partition("left out")[2]
    other = calling.run("calibrate", file, "--benchmark", "pingping")
    assert "IMB PingPing" in other.output.partition("left out")[0]


def test_sizes_of_netpipe_are_in_powers_of_ten():
    """To the digits that are printed; what is no number is refused where it is used."""
    for size, unit, written in (
        *(("1", "bytes", "1"), ("1.5", "bytes", "1.5"), ("7", "B", "7"), ("1.024", "KB", "1024")),
        *(("1.0249", "KB", "1024"), ("2.5", "MB", "2500000"), ("0.001", "GB", "1000000")),
        *(("x", "KB", "x"), ("Infinity", "KB", "Infinity")),
    ):
        assert _bytes(size, unit) == written


@pytest.mark.parametrize("m", fast_only(range(5, 16), 5, 10))
def test_falls_that_one_order_in_twenty_has_are_doubted(m):
    """1.645 standard deviations of (falls - rises) over all orders, counted by their inversions."""
    orders = np.ones(1)
    for k in range(2, m + 1):
        orders = np.convolve(orders, np.ones(k))
    pairs = 2 * np.arange(len(orders)) - m * (m - 1) // 2
    chance = 1.645 * np.sqrt((orders * pairs**2).sum() / orders.sum())
    for inversions in np.flatnonzero(abs(pairs - chance) < 5):
        left, order, ahead = int(inversions), [], list(range(m))
        while ahead:
            order.append(ahead.pop(min(left, len(ahead) - 1)))
            left -= min(left, len(ahead))
        times = 10 + 3 * np.array(order) / (m - 1)
        line = fit(Measurements(8 * np.arange(1, m + 1), times), segments=1)
        assert ("times fall" in line.doubt) == (pairs[inversions] > chance)
