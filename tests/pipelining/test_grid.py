"""Grids: the same degrees as one point at a time.

T = P(d,Q) (α + (N/Q) τ) + (d + Q - 1) b, and its least Q [calmant, sections 3.3, 4.3 and 5].
"""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from lccmodel.errors import InputError
from lccmodel.pipelining import grid
from lccmodel.pipelining.cost.kernel import best_degrees
from lccmodel.pipelining.cost.optimum import exact_degree
from lccmodel.pipelining.cost.steps import MODELS, step_table
from lccmodel.pipelining.degree import optimal_degree, time
from lccmodel.pipelining.grid import optimal_degrees, times
from lccmodel.pipelining.machine import Machine
from lccmodel.pipelining.message_cost import Piecewise
from tests.pipelining.equal import machine_of


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(("d", "c"), [(1, 1), (5, 1), (8, 2), (9, 3)])
def test_a_grid_is_its_points(d, c, model):
    """Small whole numbers, where ties are many, and decimals over ten decades."""
    machine = machine_of(d, c, 3, 2, 1)
    rng = np.random.default_rng(7)
    cases = [
        (np.arange(1, 13), np.arange(0, 6), 1, 0),
        (np.arange(1, 13), np.arange(0, 6), 2, 1),
        (10 ** rng.integers(0, 9, 12), np.round(10 ** rng.uniform(-3, 6, 8), 3), 1, 0.1),
    ]
    for N, alpha, tau, b in cases:
        found = optimal_degrees(machine, N[:, None], alpha=alpha, tau=tau, barrier=b, model=model)
        assert found.shape == (len(N), len(alpha))
        assert found.dtype == np.int64
        for i, n in enumerate(N.tolist()):
            for j, a in enumerate(alpha.tolist()):
                assert found[i, j] == optimal_degree(machine_of(d, c, a, tau, b), n, model).Q


def test_a_dominated_degree_is_the_best_where_packets_just_fit_a_piece():
    """P(5)/5 >= P(4)/4 on 32 x 32; but packets of 20 items are short, of 25 they are not."""
    machine = Machine("mesh:32x32", cost=Piecewise([(20, 10, 0), (None, 10**6, 0)]))
    N = [99, 100, 101]
    assert 5 not in step_table(machine.mesh, "load").undominated
    assert optimal_degrees(machine, N, model="load").tolist() == [5, 5, 6]
    assert [optimal_degree(machine, n, model="load").Q for n in N] == [5, 5, 6]


def test_extreme_numbers_are_decided_in_fractions():
    """Equal times for all Q; Q = N up to 2^62; denormal numbers, and products that overflow."""
    line, machine = machine_of(1, 1, 1, 1), machine_of(4, 2, 1, 1)
    assert optimal_degrees(line, [1, 7, 10**18], alpha=0).tolist() == [1, 1, 1]
    assert optimal_degrees(machine, [5, 2**62], alpha=0).tolist() == [5, 2**62]
    fractions = (1e-300, 1e300, Fraction(1, 3))
    degrees = [optimal_degree(machine_of(4, 2, a, 1), 1000).Q for a in fractions]
    assert optimal_degrees(machine, 1000, alpha=[*fractions]).tolist() == degrees
    N = [1000, 10**9, 10**12]
    for alpha, tau, b in product((1e-320, 1.0, 1e305), (3e-318, 1e-310, 1e305), (0.0, 1e-319)):
        degrees = [optimal_degree(machine_of(4, 2, alpha, tau, b), n).Q for n in N]
        assert optimal_degrees(machine, N, alpha=alpha, tau=tau, barrier=b).tolist() == degrees
    b = np.int64(3)  # products of fractions beyond 64 bits
    degrees = [optimal_degree(machine_of(4, 2, a, 1, 3), 2**62).Q for a in (0, 10**18)]
    assert optimal_degrees(machine, 2**62, alpha=[0, 10**18], barrier=b).tolist() == degrees
    assert type(machine_of(4, 2, b, 1).alpha.numerator) is int


def _as_exactly(mesh: str, N: np.ndarray, *times: np.ndarray) -> None:
    """For these α, τ and b the degrees are those that decimal fractions give, one by one."""
    names = dict(zip(("alpha", "tau", "barrier"), times, strict=True))
    found = optimal_degrees(Machine(mesh, 1, 1), N, **names, model="load")
    table = step_table(mesh, "load")
    for k, n in enumerate(N.tolist()):
        whole = [Fraction(str(each[k])) for each in times]
        unit = math.lcm(*(time.denominator for time in whole))
        assert found[k] == exact_degree(table, n, *(int(time * unit) for time in whole)), whole


@pytest.mark.parametrize("mesh", ["mesh:2", "mesh:4x4", "mesh:16x16"])
def test_a_degree_is_exact_beside_a_tie_and_for_any_magnitudes(mesh):
    """Q (Q+1) = A N τ / (B α + b) to the last bit and beside it; times of 600 decades at random."""
    rng, table, many = np.random.default_rng(26), step_table(mesh, "load"), 1000
    N, Q = 2 ** rng.integers(1, 40, many), rng.integers(1, 60, many)
    beside = rng.choice([0, 0, 1e-16, -1e-16, 3e-13, -3e-13, 3e-12, -3e-12], many)
    tau = 10.0 ** rng.integers(-3, 3, many)
    dear = float(table.A) * N * tau / (Q * (Q + 1)) * (1 + beside)
    in_alpha = rng.random(many) < 0.5
    _as_exactly(mesh, N, in_alpha * dear / float(table.B), tau, ~in_alpha * dear)
    decades = [-320, -308, -290, -281, -279, -100, -5, 0, 5, 200, 279, 281, 300]
    times = rng.uniform(1, 9, (3, many)) * 10.0 ** rng.choice(decades, (3, many))
    times *= rng.random((3, many)) < 0.8
    times[1, (times[0] == 0) & (times[1] == 0)] = 1.0
    _as_exactly(mesh, 2 ** rng.integers(0, 60, many), *times)


def test_arguments_are_read_where_they_lie():
    """Whole, broadcast, transposed, reversed, every other entry: the same, with one kernel."""
    machine = machine_of(4, 2, 5, 1)
    N, alpha = np.meshgrid(np.arange(1, 90, 7), np.arange(1, 60, 11))
    degrees = optimal_degrees(machine, N, alpha=alpha)
    assert (optimal_degrees(machine, N[:1], alpha=alpha[:, :1]) == degrees).all()
    assert (optimal_degrees(machine, N.T, alpha=np.asfortranarray(alpha.T)) == degrees.T).all()
    reverse = optimal_degrees(machine, N[::-1, ::2], alpha=alpha[::-1, ::2])
    assert (reverse == degrees[::-1, ::2]).all()
    assert len(best_degrees.signatures) == 1
    N, each = np.arange(1, 90, 7), np.array([0.5, 3, 40, 900])
    for name, of in (
        ("tau", lambda t: machine_of(4, 2, 5, t)),
        ("barrier", lambda b: machine_of(4, 2, 5, 1, b)),
    ):
        degrees = [[optimal_degree(of(t), n).Q for t in each] for n in N.tolist()]
        assert optimal_degrees(machine, N[:, None], **{name: each}).tolist() == degrees
        assert optimal_degrees(machine, N, **{name: each[:, None]}).T.tolist() == degrees
    assert optimal_degrees(machine, 9).shape == ()
    assert optimal_degrees(machine, []).shape == (0,)
    cube = optimal_degrees(machine, np.full((2, 1, 3), 50), alpha=np.ones((4, 1)))
    assert cube.shape == (2, 4, 3)


def test_floating_point_decides_nearly_all_points_by_itself(monkeypatch):
    """Of points without ties, none is left to fractions, with one piece and with several."""
    rng = np.random.default_rng(3)
    N, alpha, tau, b = rng.integers(1, 10**6, 2000), *rng.uniform(0.1, 1e3, (3, 2000))
    asked = []
    monkeypatch.setattr(grid, "_exactly", lambda *_: asked.append(1) or 1)
    for mesh in ("mesh:2", "mesh:4x4", "mesh:16x16"):
        for unit in (1e-9, 1, 1e9):
            times = {"alpha": unit * alpha, "tau": unit * tau, "barrier": unit * b}
            optimal_degrees(Machine(mesh, 1, 1), N, **times)
        cost = Piecewise([(17, 300.7, 1.31), (1025, 411.3, 0.73), (None, 977.1, 0.51)])
        optimal_degrees(Machine(mesh, cost=cost, barrier=0.37), N, barrier=b)
    assert len(asked) < 12


@pytest.mark.parametrize("topology", ["mesh", "torus"])
@pytest.mark.parametrize("ports", ["one", "all"])
def test_other_networks_and_more_points_than_a_block(topology, ports):
    machine = machine_of(6, 2, 20, 1, 3, topology, ports)
    N = np.arange(1, 9001)
    found = optimal_degrees(machine, N)
    for n in (1, 5, 6, 511, 512, 513, 1024, 1025, 9000):
        assert found[n - 1] == optimal_degree(machine, n).Q
    assert (np.diff(found) >= 0).all()
    assert (optimal_degrees(machine, N.reshape(-1, 100)).ravel() == found).all()


def test_times_are_those_of_the_exact_formula():
    machine = machine_of(8, 2, "12.5", "0.3", 7)
    Q = np.arange(1, 200)
    for model in MODELS:
        found = times(machine, 200, Q, model=model)
        for q in Q.tolist():
            assert found[q - 1] == pytest.approx(float(time(machine, 200, q, model)), rel=1e-14)
    assert times(machine, 200, 3, alpha=[1, 2]).shape == (2,)
    line = machine_of(1, 1, 1, 1)
    assert times(line, 8, [1, 2]).tolist() == [float(time(line, 8, Q)) for Q in (1, 2)]


GOOD = machine_of(4, 2, 1, 1)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: optimal_degrees(GOOD, [1.5]), "N: must be integers"),
        (lambda: optimal_degrees(GOOD, [0]), "N: must be integers of at least 1"),
        (lambda: optimal_degrees(GOOD, [2**63]), "N: must be integers"),
        (lambda: optimal_degrees(GOOD, "9"), "N: must be integers"),
        (lambda: optimal_degrees(GOOD, [9], alpha=[-1.0]), "alpha: must not be negative"),
        (lambda: optimal_degrees(GOOD, [9, 9], alpha=[1.0, -1.0]), "alpha: must not be negative"),
        (lambda: optimal_degrees(GOOD, [9, 9], tau=[1.0, np.nan]), "tau: must be finite"),
        (lambda: optimal_degrees(GOOD, [9], tau=[np.nan]), "tau: must be finite"),
        (lambda: optimal_degrees(GOOD, [9], barrier=[np.inf]), "barrier: must be finite"),
        (lambda: optimal_degrees(GOOD, [9], alpha="1e400"), "alpha: too large for a grid"),
        (lambda: optimal_degrees(GOOD, [9], alpha=["x"]), "alpha: must be a finite number"),
        (lambda: optimal_degrees(GOOD, [9], alpha=[0, 1], tau=[0, 0]), "alpha, tau: cannot"),
        (lambda: optimal_degrees(GOOD, [1, 2], alpha=[1, 2, 3]), "arrays: must have shapes"),
        (lambda: optimal_degrees("mesh", [1]), "machine: must be a Machine"),
        (lambda: optimal_degrees(GOOD, [1], model="x"), "model: must be one of"),
        (lambda: times(GOOD, 5, [6]), "Q: must be in 1..N"),
        (lambda: times(GOOD, 5, [6, 1]), "Q: must be in 1..N"),
        (lambda: times(GOOD, 5, [0]), "Q: must be integers of at least 1"),
        (lambda: times(GOOD, [5, 6, 7], [1, 2]), "arrays: must have shapes"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(InputError, match=words):
        call()
