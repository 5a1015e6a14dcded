"""T(Q) and its exact integer optimum, against all Q in 1..N.

T(Q) = P(d,Q) (α + N/Q τ) + (d + Q - 1) b, P the sum of section 3.3 or 4.3 [calmant].
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise, product
from math import ceil, inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lccmodel.errors import InputError, SizeLimitError
from lccmodel.pipelining.cost import pieces
from lccmodel.pipelining.cost.formulas import stationary_point
from lccmodel.pipelining.cost.optimum import Optimum
from lccmodel.pipelining.cost.pieces import WholePieces, _first, _last, corners, is_empty_below
from lccmodel.pipelining.cost.steps import MODELS, StepTable, step_table, total_steps
from lccmodel.pipelining.degree import optimal_degree, optimum_of, time
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


@settings(max_examples=120, deadline=None)
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


@pytest.mark.parametrize("N", [1201, pytest.param(6007, marks=pytest.mark.slow)])
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


def test_ties_go_to_the_smallest_degree():
    """Q (Q+1) = K exactly, K = A N τ / (B α + b) = 6 * 12 = 8 * 9: T(8) = T(9)."""
    solver = Optimum(StepTable(1, (0,), 6, 1), 1, 1, 0)
    assert solver.time(12, 8) == solver.time(12, 9)
    assert solver.degree(12) == 8


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


def test_T_is_not_unimodal():
    """Two local minima: rounding Q* or walking downhill is not enough."""
    machine = machine_of(12, 2, 30, 1)
    N = 3000
    times = [time(machine, N, Q) for Q in range(1, 60)]
    valleys = [Q + 1 for Q in range(1, 58) if times[Q] < times[Q - 1] and times[Q] < times[Q + 1]]
    assert len(valleys) > 1
    assert optimal_degree(machine, N).Q in valleys


def test_degenerate_machines():
    """No start-up: all packets single; no transfer: one packet; one dimension; one item."""
    free = machine_of(6, 2, 0, 1)
    for N in (1, 2, 5, 6, 7, 10**9):
        assert optimal_degree(free, N).Q == N
        assert optimal_degree(machine_of(6, 2, 1, 0, 5), N).Q == 1
    assert optimal_degree(free, 100).stationary_value == inf
    assert optimal_degree(machine_of(1, 1, 5, 1), 100).Q == 1
    assert optimal_degree(machine_of(4, 2, 5, 1), 1).evidence.times.keys() == {1}
    single = optimal_degree(machine_of(1, 1, 0, 1, 0), 64)
    assert single.Q == 1
    assert single.stationary_value == 0.0


def test_huge_numbers_stay_exact():
    machine = machine_of(64, 2, 10**30, Fraction(1, 10**20), 3)
    for N in (10**6, 10**60, 10**90):
        found = optimal_degree(machine, N, "lower-bound")
        assert found.evidence.holds()
        here = found.time
        for Q in {max(1, found.Q - 1), min(N, found.Q + 1), max(1, found.Q // 2)} - {found.Q}:
            assert time(machine, N, Q, "lower-bound") > here


def test_the_best_degree_never_falls_with_N():
    machine = machine_of(10, 2, 500, 1, 100)
    for model in MODELS:
        degrees = [optimal_degree(machine, N, model).Q for N in range(1, 40000, 7)]
        assert degrees == sorted(degrees)
        assert degrees[0] == 1
        assert degrees[-1] >= 10


def test_facts_of_a_result():
    machine = machine_of(d=10, c=2, alpha=500, tau=1)
    found = optimal_degree(machine, 10**6, "schedule")
    assert found.regime == "deep"
    assert found.iterations == 10 + found.Q - 1
    assert found.packet == -(-(10**6) // found.Q)
    assert found.steps == total_steps("32x32", found.Q)
    assert abs(found.stationary_value - found.Q) < 1
    values = {"N": 10**6, "alpha": 500, "tau": 1, "b": 0}
    assert float(found.stationary.subs(values)) == pytest.approx(found.stationary_value)
    general = stationary_point(2).subs({"d": 10, **values})
    assert float(general) == pytest.approx(found.stationary_value)
    assert repr(found).startswith("OptimalDegree(Q=")
    with pytest.raises(AttributeError):
        found.Q = 3


def test_evidence_that_is_wrong_does_not_hold():
    """Control: claim the next degree, or leave a shallow candidate out."""
    machine = machine_of(10, 2, 500, 1)
    for N in (4096, 10**7):
        for packets in ("even", "ceil"):
            found = optimal_degree(machine, N, "paper", packets)
            evidence = found.evidence
            assert evidence.holds()
            worse = evidence.result._replace(Q=found.Q + 1)
            assert not evidence._replace(result=worse).holds()
            fewer = {Q: T for Q, T in evidence.times.items() if Q != 2}
            assert not evidence._replace(times=fewer).holds()
            moved = {Q: T for Q, T in evidence.times.items() if Q < 10}
            far = {**moved, 4000: time(machine, N, 4000, "paper", packets)}
            assert not evidence._replace(times=far).holds()
            assert "candidates" in str(evidence)


@pytest.mark.parametrize("packets", fast_only(["even", "ceil"], "ceil"))
def test_evidence_that_holds_proves_its_degree(packets):
    """Whatever candidates it names: it holds for the smallest best degree of all, or not at all.

    Lists with any one deep degree in place of the right one, and with deep ones left out at an
    end; ties between neighbours, where K = Q (Q+1), are among them.
    """
    wrong = held = tied = 0
    costs = [(1, 1, 0), (5, 2, 1), (0, 1, 3), (1, 0, 2), (6, 1, 0), (0, 1, 0)]
    for (d, c), cost in product([(1, 1), (2, 2), (3, 1)], costs):
        machine = machine_of(d, c, *cost)
        for N in range(1, 32):
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


def test_evidence_says_what_it_rests_on():
    """A straight cost: one deep degree and K. Several pieces: one for each. Whole items: a list."""
    linear = machine_of(3, 1, 5, 1)
    text = str(optimal_degree(linear, 100).evidence)
    assert "of 3..100 only " in text
    assert f"makes T convex, K = {optimal_degree(linear, 100).evidence.K}" in text
    pieces = Machine("mesh:8", cost=Piecewise([(5, 3, 1), (None, 8, "1/2")]))
    for N in (4, 100):
        text = str(optimal_degree(pieces, N).evidence)
        assert "one where the packets lie in one piece, as T is convex there: " in text
        assert "K = " not in text
    whole = str(optimal_degree(linear, 100, packets="ceil").evidence)
    assert "of 3..100 those " in whole
    assert "all of the shallow degrees 1..2" in whole
    assert "all of the shallow degrees 1..1" in str(
        optimal_degree(machine_of(2, 1, 5, 1), 9).evidence
    )
    assert "shallow" not in str(optimal_degree(machine_of(1, 1, 5, 1), 9).evidence)


def test_evidence_with_a_degree_beside_the_least_does_not_hold():
    """Of the only stretch, 4..N, T with N/Q items is least at one Q; those near it are no proof."""
    for N in (60, 997, 4096):
        found = optimal_degree(machine_of(4, 2, 7, "1/3", "1/2"), N)
        (best,) = [Q for Q in found.evidence.times if Q >= 4]
        (stretch,) = found._solver.stretches(N)
        for Q in range(max(4, best - 3), best + 4):
            times = {Q: Fraction(0)}
            assert found.evidence._replace(times=times)._ok(stretch) == (Q == best)


def test_evidence_in_words():
    """All of it. P = A + B Q with A = 1, B = 5, so K = A N τ / (B α + b) = 100 / 25."""
    linear = machine_of(3, 1, 5, 1)
    found = optimal_degree(linear, 100)
    shallow = "all of the shallow degrees 1..2"
    assert str(found.evidence) == (
        f"T(2) = 605 is the least of 3 candidates; {shallow}; "
        "of 3..100 only 3: P = 1 + 5 Q makes T convex, K = 4"
    )
    assert repr(found) == (
        "OptimalDegree(Q=2, N=100, model='schedule', regime='shallow', gain=1.215)"
    )
    few = optimal_degree(linear, 2).evidence
    assert str(few) == f"T(1) = 49 is the least of 2 candidates; {shallow}"
    one = optimal_degree(linear, 1).evidence
    assert str(one) == "T(1) = 42 is the least of 1 candidates; all of the shallow degrees 1..1"
    assert str(optimal_degree(linear, 100, packets="ceil").evidence) == (
        f"T(2) = 605 is the least of 4 candidates; {shallow}; "
        "of 3..100 those 2 whose time with N/Q items can be the least"
    )
    pieces = Machine("mesh:8", cost=Piecewise([(5, 3, 1), (None, 8, "1/2")]))
    assert str(optimal_degree(pieces, 100).evidence) == (
        f"T(2) = 363 is the least of 4 candidates; {shallow}; one where the packets lie in one "
        "piece, as T is convex there: 3 of 3..19, 20 of 20..100"
    )


@pytest.mark.parametrize("N", [5, 40, 97, 360])
@pytest.mark.parametrize(("alpha", "tau", "b"), [(10, 1, 0), (300, 2, 7), (5, 0, 1), (0, 1, 0)])
def test_with_whole_items_only_degrees_that_can_be_the_best_are_compared(N, alpha, tau, b):
    """Corners of the hull of (Q, ⌈N/Q⌉) whose convex time is within the best, and one beyond."""
    machine = machine_of(4, 2, alpha, tau, b)
    table, d = step_table(machine.mesh), 4

    def at(Q, length):
        return table.total(Q) * (alpha + length * tau) + (d + Q - 1) * b

    def whole(Q):
        return at(Q, ceil(Fraction(N, Q)))

    times = {Q: whole(Q) for Q in range(d, N + 1)}
    best = min(times.values())
    found = [Q for Q in optimum_of(machine, "schedule", "ceil").candidates(N) if Q >= d]
    assert found == sorted(set(found))
    assert min(Q for Q, T in times.items() if T == best) in found
    inside = [Q for Q in found if at(Q, Fraction(N, Q)) <= best]
    assert found.index(inside[0]) <= 1  # one beyond at either end closes the hull
    assert len(found) - 1 - found.index(inside[-1]) <= 1
    for Q, other in pairwise(found):
        for between in range(Q + 1, other):
            y, z, here = (-(-N // each) for each in (Q, other, between))
            assert (here - y) * (other - Q) >= (z - y) * (between - Q)


def test_a_run_of_equal_steps_is_the_root_of_a_quadratic():
    """The first k >= 1 with (x + k a) (y - k b) >= N, and the last, each by trying all."""
    small = range(5)
    for N, x, y, a, b in product(range(1, 24), range(1, 7), range(1, 7), small, small):
        if a == b == 0:
            continue
        found = [k for k in range(y // b + 1 if b else N + 1) if (x + k * a) * (y - k * b) >= N]
        if x * y < N:
            assert _first(N, x, y, a, b) == (found[0] if found else None)
        elif b:
            assert _last(N, x, y, a, b) == found[-1]


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


def test_the_steepest_way_down_is_that_of_all_points():
    """From (x, ⌈N/x⌉), so far to the right and down: every point, N up to 36, and a rare case."""
    cases = [
        (N, x, right, down)
        for N in range(2, 37)
        for x in range(1, N + 1)
        for right, down in product(range(1, 6), range(1, -(-N // x)))
    ]
    for N, x, right, down in [*cases, (1633, 23, 43, 7)]:
        y = -(-N // x)
        a, b = pieces._steepest(N, x, y, right, down)
        slopes = [
            Fraction(q, p)
            for p in range(1, right + 1)
            for q in range(down + 1)
            if (x + p) * (y - q) >= N
        ]
        assert (Fraction(b, a), a <= right, b <= down) == (max(slopes), True, True)


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


@pytest.mark.slow
def test_whole_items_of_ten_to_the_thirty():
    found = optimal_degree(Machine("mesh:16x16", alpha=500, tau=1), 10**30, packets="ceil")
    assert found.Q == 67823204031356
    assert found.evidence.holds()


def test_a_solver_is_made_once_for_a_machine_and_a_model():
    machine = machine_of(3, 1, 5, 1)
    assert optimum_of(machine, "load") is optimum_of(machine, "load")
    others = optimum_of(machine, "schedule"), optimum_of(machine, "load", "ceil")
    assert len({*map(id, others), id(optimum_of(machine, "load"))}) == 3


def test_even_and_whole_packets_agree_where_Q_divides_N():
    machine = machine_of(6, 3, "3/2", "0.25", 2)
    for Q in (1, 2, 3, 4, 6, 12):
        assert time(machine, 12, Q) == time(machine, 12, Q, packets="ceil")
    assert time(machine, 12, 5) < time(machine, 12, 5, packets="ceil")


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


@settings(max_examples=60, deadline=None)
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
