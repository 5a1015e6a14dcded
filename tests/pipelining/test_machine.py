"""Machines: what they accept, and how times are read.

α + L τ for a message of L items [calmant, (1)], b for a barrier.
"""

import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from lccmodel.errors import InputError
from lccmodel.network import Hypercube
from lccmodel.pipelining.degree import optimal_degree
from lccmodel.pipelining.machine import Machine, exact
from tests.pipelining.equal import machine_of


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.1, Fraction(1, 10)),
        ("0.1", Fraction(1, 10)),
        ("1e-3", Fraction(1, 1000)),
        (Decimal("2.5"), Fraction(5, 2)),
        (Fraction(2, 7), Fraction(2, 7)),
        (np.int32(3), Fraction(3)),
        (np.float32(0.1), Fraction(1, 10)),
        (10**40, Fraction(10**40)),
    ],
)
def test_a_time_is_read_as_it_is_written(value, expected):
    assert exact("tau", value) == expected
    assert isinstance(exact("tau", value), Fraction)


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), -1, "fast", None, True, 1j, [1], Decimal("NaN"), "1/0"]
)
def test_what_is_no_time_is_refused(value):
    for argument in ("alpha", "tau", "barrier"):
        times = {"alpha": 1, "tau": 1, "barrier": 1, argument: value}
        with pytest.raises(InputError, match=f"^{argument}: (must|is required)"):
            machine_of(4, 2, **times)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Machine("4x4", 0, 0), "alpha, tau: cannot both be 0"),
        (lambda: Machine("4x4", 1, 1, ports=2), "ports: must be"),
        (lambda: Machine("12x12", 1, 1), "mesh: must have sides that are powers of two.*mesh:8x8"),
        (lambda: Machine("torus:12x5", 1, 1), "mesh: must have sides .*torus:8x4"),
        (lambda: Machine("1x1", 1, 1), "mesh: must be a name .*at least two nodes"),
        (lambda: Machine("0", 1, 1), "mesh: must be a name"),
        (lambda: Machine("big", 1, 1), "mesh: must be a name"),
        (lambda: Machine("16x", 1, 1), "mesh: must be a name"),
        (lambda: Machine("cube:4", 1, 1), "mesh: must be a Mesh"),
        (lambda: Machine(16, 1, 1), "mesh: must be a Mesh"),
        (lambda: Machine(Hypercube(4), 1, 1), "mesh: must be a Mesh"),
    ],
)
def test_bad_machines_are_named(call, words):
    with pytest.raises(InputError, match=words):
        call()


@pytest.mark.parametrize("text", ["1e999999999", "1E-1_000_000", "1e+0001000"])
def test_numbers_of_a_million_digits_are_refused_at_once(text):
    for value in (text, Decimal(text.replace("_", ""))):
        with pytest.raises(InputError, match="alpha: must have a decimal exponent"):
            exact("alpha", value)
    assert exact("alpha", "1e0300") == 10**300


def test_machines_are_values():
    """Equal, hashable, frozen and picklable, also after they were asked."""
    machine = Machine("torus:8X8×8", 1, 1, ports="all")
    assert (machine.d, machine.c, machine.nodes) == (9, 3, 2**9)
    assert (machine.shape, machine.on_torus, machine.ports) == ((8, 8, 8), True, "all")
    one, two = machine_of(4, 2, 10, "0.5"), machine_of(4, 2, Fraction(10), 0.5)
    optimal_degree(one, 100)
    assert one == two
    assert hash(one) == hash(two)
    assert optimal_degree(pickle.loads(pickle.dumps(one)), 100).Q == optimal_degree(two, 100).Q
    with pytest.raises(AttributeError):
        one.alpha = 3
    assert one.in_ticks == (20, 1, 0, 2)
