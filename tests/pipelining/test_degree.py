"""T(Q) and its exact integer optimum, against all Q in 1..N.

T(Q) = P(d,Q) (α + N/Q τ) + (d + Q - 1) b, P the sum of section 3.3 or 4.3 [calmant].
"""

from fractions import Fraction
from itertools import combinations, product
from math import ceil, inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lccmodel.errors import InputError, SizeLimitError
from lccmodel.pipelining.cost import pieces
from lccmodel.pipelining.cost.formulas import stationary_point
from lccmodel.pipelining.cost.optimum import Optimum
from lccmodel.pipelining.cost.pieces import WholePieces, corners, is_empty_below
from lccmodel.pipelining.cost.steps import MODELS, StepTable, total_steps
from lccmodel.pipelining.degree import optimal_degree, time
from lccmodel.pipelining.machine import Machine
from lccmodel.pipelining.message_cost import Linear, Piecewise
from lccmodel.pipelining.robustness import sensitivity
from tests.choosing import fast_only
from tests.pipelining.equal import machine_of


@st.composite
def machines(draw):
    """Small networks of every kind; times that are often 0, equal, or far apart."""
    c = draw(st.integers(1, 4))
    d = c * draw(st.integers(1, 8 // c))
    amount = st.one_of(st.integers(0, 5), st.integers(0, 1000), st.fractions(0, 9))
    alpha, tau = draw(
        st.tuples(amount, amount).map(lambda pair: pair if any(pair) else (1, pair[1]))
    )
    topology = draw(st.sampled_from(["mesh", "mesh", "torus"]))
    ports = draw(st.sampled_from(["one", "one", "all"]))
    return machine_of(d, c, alpha, tau, draw(amount), topology, ports)


def models_of(machine):
    one_port_mesh = not machine.on_torus and machine.ports == "one"
    return [model for model in MODELS if one_port_mesh or model != "paper"]


def by_definition(machine, N, Q, model, packets="even", **times):
    """P(d,Q) (α + L τ) + (d+Q-1) b with the sum of the steps written out elsewhere."""
    m = machine
    steps = total_steps(m.mesh, Q, model, m.ports)
    size = Fraction(N, Q) if packets == "even" else ceil(Fraction(N, Q))
    alpha, tau = times.get("alpha", m.alpha), times.get("tau", m.tau)
    return steps * (alpha + size * tau) + (m.d + Q - 1) * times.get("barrier", m.barrier)


@settings(max_examples=70, deadline=None)
@given(machines(), st.integers(1, 150), st.data())
def test_the_best_degree_is_the_best_of_all(machine, N, data):
    """Every Q in 1..N by the definition of T, for both kinds of packets; ties to the smallest."""
    model = data.draw(st.sampled_from(models_of(machine)))
    for packets in ("even", "ceil"):
        times = {Q: by_definition(machine, N, Q, model, packets) for Q in range(1, N + 1)}
        least = min(times, key=lambda Q: (times[Q], Q))
        found = optimal_degree(machine, N, model, packets)
        assert found.Q == least
        assert found.time == times[least] == time(machine, N, least, model, packets)
        assert found.gain == (times[1] / times[least] if times[least] else 1)
        assert found.evidence.holds()


@pytest.mark.parametrize("N", [601, pytest.param(6007, marks=pytest.mark.slow)])
@pytest.mark.parametrize("model", MODELS)
def test_the_best_degree_of_long_messages(model, N):
    """Deep optima, with Q in the hundreds."""
    for alpha, tau, b in ((1, 3, 0), (10, 1, 1), ("1/7", 1, 0), (0, 1, 2)):
        machine = machine_of(6, 2, alpha, tau, b)
        for packets in ("even", "ceil"):
            times = (by_definition(machine, N, Q, model, packets) for Q in range(1, N + 1))
            least = min((T, Q) for Q, T in enumerate(times, start=1))
            found = optimal_degree(machine, N, model, packets)
            assert (found.time, found.Q) == least
            assert found.evidence.holds()


@pytest.mark.parametrize(
    ("mesh", "up", "pieces", "b", "N"),
    [
        ("mesh:4", 11, ((1, 1), (4, 1)), 0, 4),
        ("mesh:2", 11, ((9, 1), (5, 2)), 2, 37),
        ("mesh:4", 4, ((4, 2), (6, 1)), 0, 24),
        ("mesh:2", 9, ((8, 0), (7, 1)), 1, 28),
    ],
)
def test_ties_between_pieces_go_to_the_smallest_degree(mesh, up, pieces, b, N):
    """A deep degree with packets of another piece takes as long as the smallest."""
    (one, other) = pieces
    machine = Machine(mesh, cost=Piecewise([(up, *one), (None, *other)]), barrier=b)
    times = {Q: time(machine, N, Q) for Q in range(1, N + 1)}
    best = [Q for Q in times if times[Q] == min(times.values())]
    assert len(best) > 1
    assert optimal_degree(machine, N).Q == best[0]


def test_huge_numbers_stay_exact():
    machine = machine_of(64, 2, 10**30, Fraction(1, 10**20), 3)
    for N in (10**6, 10**60, 10**90):
        found = optimal_degree(machine, N, "lower-bound")
        assert found.evidence.holds()
        here = found.time
        for Q in {max(1, found.Q - 1), min(N, found.Q + 1), max(1, found.Q // 2)} - {found.Q}:
            assert time(machine, N, Q, "lower-bound") > here


def test_degenerate_machines():
    """No start-up: all packets single; no transfer: one packet; one dimension; one item."""
    free = optimal_degree(machine_of(6, 2, 0, 1), 10**9)
    assert (free.Q, free.stationary_value) == (10**9, inf)
    assert optimal_degree(machine_of(6, 2, 1, 0, 5), 10**9).Q == 1
    assert optimal_degree(machine_of(4, 2, 5, 1), 1).evidence.times.keys() == {1}
    single = optimal_degree(machine_of(1, 1, 0, 1, 0), 64)
    assert (single.Q, single.stationary_value) == (1, 0.0)


def test_facts_of_a_result():
    found = optimal_degree(machine_of(d=10, c=2, alpha=500, tau=1), 10**6, "schedule")
    assert (found.regime, found.iterations) == ("deep", 10 + found.Q - 1)
    assert found.packet == -(-(10**6) // found.Q)
    assert found.steps == total_steps("32x32", found.Q)
    assert abs(found.stationary_value - found.Q) < 1
    values = {"N": 10**6, "alpha": 500, "tau": 1, "b": 0}
    for star in (found.stationary.subs(values), stationary_point(2).subs({"d": 10, **values})):
        assert float(star) == pytest.approx(found.stationary_value)
    with pytest.raises(AttributeError):
        found.Q = 3


def test_evidence_in_words():
    """P = A + B Q with A = 1, B = 5, so K = A N τ / (B α + b) = 100 / 25."""
    linear = machine_of(3, 1, 5, 1)
    shallow = "all of the shallow degrees 1..2"
    pieces = Machine("mesh:8", cost=Piecewise([(5, 3, 1), (None, 8, "1/2")]))
    words = {
        (2, "even", linear): f"T(1) = 49 is the least of 2 candidates; {shallow}",
        (100, "even", linear): f"T(2) = 605 is the least of 3 candidates; {shallow}; "
        "of 3..100 only 3: P = 1 + 5 Q makes T convex, K = 4",
        (100, "ceil", linear): f"T(2) = 605 is the least of 4 candidates; {shallow}; "
        "of 3..100 those 2 whose time with N/Q items can be the least",
        (100, "even", pieces): f"T(2) = 363 is the least of 4 candidates; {shallow}; one where "
        "the packets lie in one piece, as T is convex there: 3 of 3..19, 20 of 20..100",
    }
    for (N, packets, machine), text in words.items():
        assert str(optimal_degree(machine, N, packets=packets).evidence) == text
    assert "shallow" not in str(optimal_degree(machine_of(1, 1, 5, 1), 9).evidence)
    assert repr(optimal_degree(linear, 100)) == (
        "OptimalDegree(Q=2, N=100, model='schedule', regime='shallow', gain=1.215)"
    )


@pytest.mark.parametrize("packets", fast_only(["even", "ceil"], "ceil"))
def test_evidence_that_holds_proves_its_degree(packets):
    """Control: any one deep degree in place of the right one, and deep ones left out at an end.

    Ties between neighbours, where K = Q (Q+1), are among them.
    """
    wrong = held = tied = 0
    costs = [(1, 1, 0), (5, 2, 1), (0, 1, 3), (1, 0, 2), (6, 1, 0), (0, 1, 0)]
    for (d, c), cost in product([(1, 1), (2, 2), (3, 1)], costs):
        machine = machine_of(d, c, *cost)
        for N in range(1, 26):
            evidence = optimal_degree(machine, N, "schedule", packets).evidence
            times = {Q: by_definition(machine, N, Q, "schedule", packets) for Q in range(1, N + 1)}
            best = min(times, key=lambda Q: (times[Q], Q))
            tied += best >= d and times.get(best + 1) == times[best]
            shallow = [Q for Q in evidence.times if Q < d]
            deep = sorted(Q for Q in evidence.times if Q >= d)
            others = [[Q] for Q in range(d, N + 1)]
            others += [deep[k:] for k in range(len(deep))] + [deep[:k] for k in range(len(deep))]
            for chosen in others:
                named = {Q: times[Q] for Q in (*shallow, *chosen)}
                if named:
                    claimed = min(named, key=lambda Q: (named[Q], Q))
                    result = evidence.result._replace(Q=claimed)
                    holds = evidence._replace(result=result, times=named).holds()
                    assert claimed == best or not holds
                    wrong, held = wrong + (claimed != best), held + holds
    assert min(wrong, held, tied) > 10


def lower_hull(points):
    """The corners of the lower hull, by Andrew's rule, from left to right."""
    hull = []
    for x, y in points:
        while len(hull) > 1 and (hull[-1][0] - hull[-2][0]) * (y - hull[-2][1]) <= (
            x - hull[-2][0]
        ) * (hull[-1][1] - hull[-2][1]):
            hull.pop()
        hull.append((x, y))
    return hull


def test_corners_are_those_of_the_hull_of_all_points():
    """Every stretch and start for N up to 40, and larger N at random; no limit on times."""
    draw = np.random.default_rng(6)
    cases = [(N, f, e, g) for N in range(1, 41) for f, e, g in product(*[range(1, N + 1)] * 3)
             if f <= g <= e and (N < 16 or draw.random() < 0.05)]  # fmt: skip
    for N in draw.integers(41, 3000, 60).tolist():
        cases.append((N, *sorted(draw.integers(1, N + 1, 3).tolist())[::2], 0))
        cases[-1] = (*cases[-1][:3], int(draw.integers(cases[-1][1], cases[-1][2] + 1)))
    for N, first, last, guess in cases:
        found = corners(N, first, last, guess, lambda Q: 0, lambda Q: 0)
        start = max(first, -(-N // -(-N // guess)))
        left, right = (
            lower_hull([(Q, -(-N // Q)) for Q in range(*ends)])
            for ends in ((first, start + 1), (start, last + 1))
        )
        if len(right) > 1 and right[-1][1] == right[-2][1]:
            right.pop()  # more packets of the same length
        assert found == [Q for Q, _ in left[:-1] + right], (N, first, last, guess)


def test_so_many_corners_are_compared_and_one_more_is_refused(monkeypatch):
    """The hull of N = 300 has 7 degrees from 17 on, of which the first is given."""
    right = corners(300, 1, 300, 17, lambda Q: 0, lambda Q: 0)
    steps = len([Q for Q in right if Q > 17])
    monkeypatch.setattr(pieces, "_MOST_CORNERS", steps - 1)
    assert corners(300, 17, 300, 17, lambda Q: 0, lambda Q: 0) == right[-steps - 1 :]
    monkeypatch.setattr(pieces, "_MOST_CORNERS", steps - 2)
    with pytest.raises(SizeLimitError, match=f"N: more than {steps - 2} numbers of packets"):
        corners(300, 17, 300, 17, lambda Q: 0, lambda Q: 0)


def test_the_check_of_an_edge_finds_every_point_below_it():
    for N in (2, 7, 30, 97, 210):
        for Q, other in combinations(range(1, N + 1), 2):
            y, z = -(-N // Q), -(-N // other)
            below = any(
                (-(-N // q) - y) * (other - Q) < (z - y) * (q - Q) for q in range(Q + 1, other)
            )
            assert is_empty_below(N, Q, other) == (other == Q + 1 if y == z else not below)


@pytest.mark.parametrize(
    "cost", [Linear(500, 1), Linear(1, 3), Piecewise([(10**9, 9, 1), (None, 99, "1/2")])]
)
def test_whole_items_of_a_message_of_any_length(cost):
    """N = 10^18 in milliseconds: no packet length nearby gives less time."""
    machine = Machine("mesh:16x16", cost=cost)
    N = 10**18 + 7
    found = optimal_degree(machine, N, packets="ceil")
    assert found.evidence.holds()
    for length in range(found.packet - 300, found.packet + 300):
        Q = -(-N // length)
        assert time(machine, N, Q, packets="ceil") >= found.time


def test_a_table_that_falls_is_searched_in_full():
    """No model has one, but the search does not rely on it unasked."""
    table, falling = StepTable(4, (0, 9, 5, 30), 4, 2), StepTable(4, (0, 90, 95, 98), 100, -1)
    for solver in (
        Optimum(table, 3, 1, 0),
        WholePieces(table, Linear(3, 1).pieces, Fraction(0)),
        WholePieces(falling, Linear(3, 1).pieces, Fraction(0)),
    ):
        for N in range(1, 60):
            best = min(range(1, N + 1), key=lambda Q: (solver.time(N, Q), Q))
            assert solver.degree(N) == best


GOOD = machine_of(4, 2, 1, 1)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: time(GOOD, 8, 0), "Q: must be in 1..8"),
        (lambda: time(GOOD, 8, 9), "Q: must be in 1..8"),
        (lambda: time(GOOD, 8, 2.0), "Q: must be an integer"),
        (lambda: time(GOOD, 0, 1), "N: must be at least 1"),
        (lambda: optimal_degree(GOOD, 0), "N: must be at least 1"),
        (lambda: optimal_degree(GOOD, -5), "N: must be at least 1"),
        (lambda: optimal_degree(GOOD, 8.0), "N: must be an integer"),
        (lambda: optimal_degree(GOOD, "many"), "N: must be an integer"),
        (lambda: optimal_degree(GOOD, 8, "fast"), "model: must be one of"),
        (lambda: optimal_degree(GOOD, 8, ["load"]), "model: must be one of"),
        (lambda: optimal_degree(GOOD, 8, "load", "odd"), "packets: must be"),
        (lambda: optimal_degree("16x16", 8), "machine: must be a Machine"),
        (
            lambda: optimal_degree(machine_of(4, 2, 1, 1, 0, "torus"), 8, "paper"),
            "model: the paper",
        ),
        (lambda: sensitivity(GOOD, 0), "N: must be at least 1"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(InputError, match=words):
        call()


# -- sensitivity --------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(machines(), st.integers(1, 80), st.data())
def test_ranges_end_where_another_degree_takes_over(machine, N, data):
    """At both ends Q is a best degree, a little beyond it is not; by all Q in 1..N."""
    model = data.draw(st.sampled_from(models_of(machine)))
    found = sensitivity(machine, N, model)

    def is_best(**times):
        here = by_definition(machine, N, found.Q, model, **times)
        return all(here <= by_definition(machine, N, Q, model, **times) for Q in range(1, N + 1))

    little = Fraction(1, 10**12)
    for name in ("alpha", "tau", "barrier"):
        low, high = getattr(found, name)
        assert low <= getattr(machine, name) <= high
        assert is_best(**{name: low})
        assert low < little or not is_best(**{name: low - little})
        if high == inf:
            assert is_best(**{name: Fraction(10**15)})
        else:
            assert is_best(**{name: high})
            assert not is_best(**{name: high + little})
    low, high = found.N
    assert low <= N <= high
    assert optimal_degree(machine, low, model).Q == found.Q
    assert low == 1 or optimal_degree(machine, low - 1, model).Q != found.Q
    if high == inf:
        assert optimal_degree(machine, 10**15, model).Q == found.Q
    else:
        assert optimal_degree(machine, high, model).Q == found.Q
        assert optimal_degree(machine, high + 1, model).Q != found.Q


def test_ratio_of_a_machine_without_transfer_time():
    assert sensitivity(machine_of(4, 2, 1, 0), 10).ratio == (0, inf)
    low, high = sensitivity(machine_of(4, 2, 8, 2), 100).ratio
    assert low <= 4 <= high
