"""Every reader on output that a run of the tool has printed, as it was published.

Where a page shows only some of the lines, those are in `samples`. Sizes and times that the tests
expect are read off the page by eye: the first and the last in µs. IMB's messages of 0 bytes do not
count. Where the samples are from:

osu-latency-5      libfabric-cray, pull request 859 (2016), Cray Aries
osu-bibw-75        documentation of the Alps system (CSCS), OMB 7.5 in a container, with a warning
                   of the linker
osu-bw-59          ARCHER2 (EPCC), OMB 5.9 by srun
osu-bcast-73       a course at Trieste, 128 processes of one EPYC node, OMB 7.3
imb-pingpong-2018  Oracle's tutorial of HPC clusters (2023), ConnectX-5
imb-sendrecv-23    the mailing list of Open MPI (2007), whose mail program had broken the rows in
                   two
imb-exchange       IMB, issue 37 (2021): its excerpt of Sendrecv and Exchange, without the lines
                   above
imb-2021           a run of IMB 2021.11 for these tests, by Open MPI on two busy cores, without its
                   lines of the kernel
netpipe-37         the documentation of a script for Grid'5000, NetPIPE 3.7.1 over InfiniBand
netpipe-seconds    UCX, issue 2329 (2018): a build that prints seconds, in two pieces with mpirun's
                   stamps
np-out-3           notes on tuning Red Hat systems, NPtcp over 100-Mbit Ethernet: np.out
np-out-4           a run of NetPIPE 4 (its timing as kept among the extras of NetPIPE 5, Open MPI
                   below): np.out. The rates are of the least, the mean and the largest time of
                   seven, the time is the least.
netpipe-5          a run of NetPIPE 5 for these tests, by Open MPI on two busy cores: its screen,
np-out-5           and its np.out
"""

from pathlib import Path

import pytest

from lccmodel.calibration import fit, read_measurements
from lccmodel.calibration.measurements import Measurements


def read(sample: str, benchmark: str | None = None) -> Measurements:
    return read_measurements(Path(__file__).parent / f"samples/{sample}.txt", benchmark)


@pytest.mark.parametrize(
    ("sample", "kind", "first", "last"),
    [
        ("osu-latency-5", "OSU latency", (0, 1.84), (4194304, 497.37)),
        ("imb-pingpong-2018", "IMB PingPong", (8, 1.66), (131072, 15.51)),
        ("imb-sendrecv-23", "IMB Sendrecv", (1, 4.22), (512, 8.91)),
        ("imb-2021", "IMB PingPong", (8, 0.23), (4096, 1.20)),
        ("netpipe-37", "NetPIPE", (1, 1.67), (19, 1.71)),
        ("netpipe-seconds", "NetPIPE", (16380, 5.739), (24575, 6.491)),
        ("netpipe-5", "NetPIPE", (16, 23.408), (768, 64.397)),
        ("np-out-3", "NetPIPE np.out", (1, 63.85), (8388611, 428989.33)),
        ("np-out-4", "NetPIPE np.out", (1, 8.95), (8192, 2.44)),
        ("np-out-5", "NetPIPE np.out", (16, 23.41), (768, 64.40)),
    ],
)
def test_published_output_is_read_as_it_stands(sample, kind, first, last):
    output = read(sample)
    assert output.kind == kind
    pairs = sorted(zip(output.sizes.tolist(), output.times.tolist(), strict=True))
    assert pairs[0] == pytest.approx(first)
    assert pairs[-1] == pytest.approx(last)
    assert fit(output).alpha >= 0


def test_benchmarks_of_one_run_are_told_apart():
    for name, last in (("PingPong", 1.20), ("PingPing", 73.79), ("Exchange", 3.07 / 2)):
        output = read("imb-2021", name)
        assert output.kind == f"IMB {name}"
        assert output.times[-1] == pytest.approx(last)
    assert "PingPing" in str(read("imb-2021").left_out)


def test_an_exchange_counts_two_messages():
    """262,144 bytes in 87.85 µs: two each way, so 43.925 µs a message."""
    output = read("imb-exchange")
    assert (output.sizes[0], output.times[0]) == pytest.approx((262144, 87.85 / 2))


def test_a_published_rate_has_no_start_up():
    """4 MB at 23,286.54 MB/s: a gap of 180.12 µs in a window."""
    output = read("osu-bw-59")
    assert not output.start_up
    assert output.times[-1] == pytest.approx(4194304 / 23286.54)
