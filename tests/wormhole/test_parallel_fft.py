"""The simulated program gives [hou, Tables 1 and 2]; it is a Fourier transform.

The printed times hide whole numbers of cycles.
"""

from decimal import Decimal
from fractions import Fraction
from math import nan

import numpy as np
import pytest

from lccmodel.errors import InputError, SizeLimitError
from lccmodel.network import BristledHypercube, Hypercube, Torus
from lccmodel.routing import RoutingError
from lccmodel.wormhole.fft_program import FFTProgram, parallel_fft
from lccmodel.wormhole.published import (
    NAMES,
    NCUBE2,
    TABLE_1,
    TABLE_2,
    Hardware,
    half_up,
    hidden_cycles,
)

CUBE = Hypercube(8)


@pytest.fixture(scope="module")
def original():
    return FFTProgram.on(CUBE)


@pytest.fixture(scope="module")
def mapped():
    return FFTProgram.on(CUBE, mapping="optimal")


@pytest.mark.parametrize(("one", "two"), [*zip(TABLE_1, TABLE_2, strict=True)])
def test_both_tables_to_every_printed_digit(one, two, original, mapped):
    times, better = original.run(one.points), mapped.run(one.points)
    assert half_up(times.computation) == one.computation
    assert half_up(times.neighbour) == half_up(better.neighbour) == one.neighbour
    assert half_up(times.bit_reverse) == one.bit_reverse["e-cube"]
    assert half_up(better.bit_reverse) == one.bit_reverse["map"]
    assert half_up(times.execution) == two.execution_original
    assert half_up(better.execution) == two.execution_mapping
    assert half_up(times.bit_reverse / better.bit_reverse, 2) == two.speedup
    assert half_up(times.execution / better.execution, 2) == two.execution_speedup


def reverse(x, bits):
    return int(f"{x:0{bits}b}"[::-1], 2)


@pytest.mark.parametrize(("n", "d"), [(1, 0), (1, 1), (2, 1), (3, 0), (3, 1), (2, 2)])
def test_the_stages_of_the_program_compute_the_fourier_transform(n, d):
    """Points move only between the processors that the program lets exchange messages."""
    program = FFTProgram.on(Hypercube(n))
    total = n + 2 * d
    x = np.arange(1 << total)
    owner = x >> d & (1 << n) - 1
    draw = np.random.default_rng(1)
    signal = draw.normal(size=len(x)) + 1j * draw.normal(size=len(x))
    moved = np.array([reverse(k, total) for k in x.tolist()])
    assert (program.partner[0, owner] == owner[moved]).all()
    values = signal[moved]
    for stage in range(total):
        other = x ^ 1 << stage
        if d <= stage < n + d:
            assert (program.partner[1 + stage - d, owner] == owner[other]).all()
        else:
            assert (owner == owner[other]).all()
        u, v = values[x & ~(1 << stage)], values[x | 1 << stage]
        turned = np.exp(-2j * np.pi * (x & (1 << stage) - 1) / (2 << stage)) * v
        values = np.where(x >> stage & 1, u - turned, u + turned)
    assert np.allclose(values, np.fft.fft(signal))
    held = np.bincount(owner)
    assert (held == 1 << 2 * d).all()
    assert program.run(1 << total).flits == 16 * held[0] + 1


def critical_path(program, d, hardware):
    """Cycle in which the last message is delivered if nothing is ever blocked."""
    n, flits = len(program.number) - 1, 16 * 4**d + 1
    wait = {
        True: hardware.cycles(d * 4**d * hardware.butterfly / 2 + hardware.latency),
        False: hardware.cycles(4**d * hardware.half_butterfly + hardware.latency),
    }
    got = []
    for v in range(1 << n):
        own = reverse(v, n) == v
        got.append(0 if own else bin(v ^ reverse(v, n)).count("1") + flits + 1)
    for stage in range(1, n + 1):
        sent = [cycle + wait[stage == 1] for cycle in got]
        got = [sent[v ^ 1 << stage - 1] + flits + 2 for v in range(1 << n)]
    return max(got)


@pytest.mark.parametrize("d", [0, 1, 2])
def test_without_barriers_and_contention_the_critical_path_decides(d, mapped):
    times = mapped.run(1 << 8 + 2 * d, barrier=False)
    last = critical_path(mapped, d, NCUBE2)
    assert times.last[-1] == last
    after = 4**d * NCUBE2.half_butterfly + d * 4**d * NCUBE2.butterfly / 2
    assert times.finish == NCUBE2.message(last) + after


def test_what_is_printed_comes_from_stages_that_do_not_meet(original):
    """At 256 points nothing can meet; at 4096 the neighbour column would differ from the print."""
    small = original.run(256, barrier=False)
    assert small.overlap == 0
    assert small.neighbour_cycles == original.run(256).neighbour_cycles
    large = original.run(4096, barrier=False)
    assert large.overlap > 0
    assert half_up(large.neighbour) > TABLE_1[2].neighbour


def test_a_stage_with_a_barrier_begins_in_an_empty_network(original):
    times = original.run(1024)
    assert times.overlap == 0
    assert not times.first.any()
    assert (times.last == times.longest).all()
    assert times.execution == times.computation + times.neighbour + times.bit_reverse


def test_other_networks_and_hardware():
    free = Hardware("free", 0, 1, 0, 0, point_bytes=1)
    times = parallel_fft(2, Hypercube(1), hardware=free)
    assert times.flits == 2
    assert times.bit_reverse_cycles == 0
    assert times.neighbour_cycles == (4,)
    assert times.execution == 4
    assert parallel_fft(2, Hypercube(1), hardware=free, barrier=False).execution == 4
    bristled = parallel_fft(16, BristledHypercube(4))
    assert bristled.neighbour_cycles[0] == 16 + 1 + 1  # inside the router: no link
    assert isinstance(parallel_fft(16, Torus((4, 4)), "dimension-order").execution, Fraction)
    assert "without barriers" in repr(parallel_fft(16, Hypercube(4), barrier=False))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        *[
            (lambda points=points: parallel_fft(points), InputError, "points")
            for points in (0, -256, 128, 255, 512, 2.0, "256")
        ],
        (lambda: parallel_fft(1 << 26), SizeLimitError, "points"),
        (lambda: parallel_fft(256, routing="boura"), RoutingError, "boura"),
        (lambda: parallel_fft(256, tie="first"), InputError, "tie"),
        (lambda: parallel_fft(256, mapping="best"), InputError, "mapping"),
        (lambda: parallel_fft(256, network=8), InputError, "network"),
        (lambda: parallel_fft(256, hardware="nCUBE-2"), InputError, "hardware"),
        (lambda: FFTProgram.on("cube:2").run(4, "fast"), InputError, "must be a Hardware"),
        (lambda: FFTProgram.on(7), InputError, "network"),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()


# -- the print ------------------------------------------------------------------------------------


def test_every_printed_message_time_hides_one_whole_number_of_cycles():
    hidden = {name: [hidden_cycles(row.bit_reverse[name]) for row in TABLE_1] for name in NAMES}
    assert hidden["e-cube"] == [149, 533, 2069, 8213]
    assert hidden["map"] == [26, 74, 266, 1034]
    flits = [16 * 4**d + 1 for d in range(4)]
    lines = {"e-cube": (8, 5), "chiu": (11, 0), "min": (8, 4), "mixab3": (9, 3), "mixbb3": (9, 4)}
    for name, (slope, rest) in lines.items():
        assert hidden[name] == [slope * (F + 1) + rest for F in flits]
    assert hidden["pcube"] == [13 * 18 + 4, *(14 * (F + 1) + 5 for F in flits[1:])]


def test_times_are_rounded_half_up_and_cycles_up():
    assert [NCUBE2.cycles(Fraction(time)) for time in ("0", "0.57", "0.58")] == [0, 1, 2]
    exact = {
        "0.05": "0.1",
        "0.15": "0.2",
        "0.25": "0.3",
        "26": "26.0",
        f"{10**40}.05": f"{10**40}.1",
    }
    assert {x: str(half_up(Fraction(x))) for x in exact} == exact
    assert str(half_up(Fraction("2.675"), 2)) == "2.68"


def test_a_float_means_the_decimal_that_it_prints_as():
    assert Hardware("mine", 164, 0.57, 5.12, 4.47) == Hardware(
        "mine", NCUBE2.latency, NCUBE2.per_byte, NCUBE2.butterfly, NCUBE2.half_butterfly
    )


BAD = {"latency": -1, "per_byte": 0, "butterfly": "fast", "half_butterfly": nan, "point_bytes": 0}


@pytest.mark.parametrize(("argument", "value"), [*BAD.items()])
def test_bad_hardware(argument, value):
    with pytest.raises(InputError, match=argument):
        Hardware("mine", **dict.fromkeys(BAD, 1) | {argument: value})


def test_the_cycles_behind_a_time_are_found_for_every_message():
    """The time of each number of cycles leads back to it; a time below the latency to none."""
    for cycles in range(300):
        assert hidden_cycles(half_up(NCUBE2.message(cycles))) == cycles
    below = [half_up(NCUBE2.latency - k * NCUBE2.per_byte) for k in range(1, 6)]
    for time in (Decimal("248.8"), Decimal("248.7"), *below):
        with pytest.raises(InputError, match="one whole number of cycles"):
            hidden_cycles(time)
