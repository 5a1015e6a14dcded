"""The subset programme as such: objectives, exact weights, counts, limits [hou, Theorem 6]."""

from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from lccmodel import LCC, GF2Matrix, Hypercube, catalog
from lccmodel.communication.program import Phase, Program
from lccmodel.communication.traffic import Traffic
from lccmodel.errors import CommunicationError, InputError, NetworkError
from lccmodel.lattice import subset
from lccmodel.lattice.programme import best_order as search
from lccmodel.lattice.subset import SubsetProgramme
from lccmodel.lattice.weights import SET_OBJECTIVES, exact_weights, objective_value, plain_weights
from lccmodel.network import parse_network
from lccmodel.placement import optimal_orders, optimal_reordering
from proofs_check.packed import rank_of
from tests.choosing import sampled
from tests.walking import messages, walked_loads


def test_the_number_of_searches_is_n_times_half_two_to_the_n():
    """n 2^(n-1) pairs (S, j), counted here one by one."""
    for n in range(1, 8):
        counted = sum(n - S.bit_count() for S in range(2**n))
        programme = SubsetProgramme((catalog.bit_reverse(n),), (1,), "max-max")
        assert programme.searches == counted == n * 2 ** (n - 1)


def test_objectives_by_hand():
    loads, weights = [(1, 4, 0), (3, 0, 2)], [1, 2]
    assert objective_value(loads, weights, "max-max") == 6
    assert objective_value(loads, weights, "max-sum") == 7
    assert objective_value(loads, weights, "sum-sum") == 15
    assert objective_value([(), ()], weights, "max-sum") == 0


def test_weights_are_exact():
    assert exact_weights([0.1, Fraction(1, 3), 2], 3) == (30, (3, 10, 60))
    assert exact_weights([np.int64(2)], 1) == (1, (2,))


def loads_of(member: Any, order: tuple[int, ...], internal: Any = ()) -> tuple[Any, ...]:
    """The volume on the busiest channel of each step, message by message."""
    if isinstance(member, LCC):
        return walked_loads(messages(member), order, internal)
    volumes = [Fraction(str(volume)) for volume in member.volumes.tolist()]
    return walked_loads(member.messages.tolist(), order, internal, volumes)


def check_all_orders(
    members: Any, weights: Any, objective: Any, internal: Any = (), caps: Any = (), n: int = 4
) -> int:
    """Value, list, number and first of the best orders within caps; how many keep to the caps."""
    values = {}
    for order in permutations(bit for bit in range(n) if bit not in internal):
        loads = [loads_of(c, order, internal) for c in members]
        within = zip(loads, caps or [None] * len(loads), strict=True)
        if all(cap is None or max(load) <= cap for load, cap in within):
            values[order] = objective_value(loads, weights, objective)
    least = min(values.values(), default=None)
    best = [order for order, value in values.items() if value == least]
    programme = SubsetProgramme(tuple(members), tuple(weights), objective, internal, caps)
    assert programme.optimum == least
    assert list(programme.orders()) == best
    assert programme.count() == len(best)
    assert programme.least() == ((least, best[0]) if best else None)
    if caps:
        assert programme.first_within_caps() == next(iter(values), None)
    return len(values)


@pytest.mark.parametrize("tried", [0, 2, 256])
@pytest.mark.parametrize("objective", sampled(SET_OBJECTIVES, 2))
def test_the_best_orders_are_those_of_all_orders(objective, tried, monkeypatch):
    """The walk gives up at once, after two sets, or never: then all sets are priced."""
    monkeypatch.setattr(subset, "_SETS_TRIED", tried)
    rng, refused = np.random.default_rng(40), 0
    for n, internal in [(2, ()), (3, ()), (4, (1,)), (4, ()), (4, ()), (5, (0, 3))] * 3:
        weights = rng.integers(1, 4, 3).tolist()
        members = [
            make(GF2Matrix((rng.random((n, n)) < 0.4).astype(int)), rng.integers(0, 2, n))
            for make in (LCC, LCC.scatter, LCC)
        ]
        check_all_orders(members, weights, objective, internal, (), n)
        caps = tuple(1 << int(k) for k in rng.integers(0, 3, 3))
        refused += not check_all_orders(members, weights, objective, internal, caps, n)
    assert 0 < refused < 18


REVERSE, TRANSPOSE = catalog.bit_reverse, catalog.matrix_transpose
SENT = Traffic([(0, 3), (1, 2)], [1, 2]), Traffic([(0, 6), (4, 3), (5, 3)], [4, 1, 1])


@pytest.mark.parametrize("objective", SET_OBJECTIVES)
def test_equal_and_counted_members_and_any_weights(objective):
    """Bit reversal and reverse-flip have one matrix: the kernel takes it once, weighted.

    Members of fewer ranks lie in the cube of the largest. 2^53 + 1 is no float.
    """
    alike = REVERSE(4), TRANSPOSE(4), catalog.reverse_flip(4)
    check_all_orders(alike, (1, 2, 3), objective)
    assert len(SubsetProgramme(alike, (1, 2, 3), objective)._arrays[0]) < len(alike)
    for caps in ((), (2, 4)):
        check_all_orders(SENT, (1, 1), objective, (), caps, 3)
    rng = np.random.default_rng(53)
    for _ in range(6):
        members = [LCC(rng.integers(0, 2, (3, 3)), rng.integers(0, 2, 3)) for _ in range(3)]
        check_all_orders(members, ((1 << 53) + 1, (1 << 52) + 1, 1), objective, n=3)


@pytest.mark.parametrize("caps", [(1, None), (None, 1), (2, 1), (1, 1)])
def test_caps_keep_members_within_their_degrees(caps):
    check_all_orders((TRANSPOSE(4), REVERSE(4)), (1, 1), "max-max", (), caps)


def test_degrees_are_lowered_in_turn_the_last_first():
    """max-max leaves slack: each member's degree is the least that the caps of the others allow."""
    rng, lowered = np.random.default_rng(0), 0
    for _ in range(40):
        weights = [int(w) for w in rng.choice([1, 2, 4, 8], 3)]
        members = [LCC(GF2Matrix.from_order(rng.permutation(4).tolist())) for _ in weights]
        degrees = {
            order: [max(walked_loads(messages(c), order)) for c in members]
            for order in permutations(range(4))
        }
        value = {
            o: max(w * d for w, d in zip(weights, ds, strict=True)) for o, ds in degrees.items()
        }
        top = min(value.values())
        caps = [top // weight for weight in weights]
        for r in (2, 1, 0):
            allowed = [
                ds
                for ds in degrees.values()
                if all(d <= cap for d, cap in zip(ds, caps, strict=True))
            ]
            lowered += caps[r] > min(ds[r] for ds in allowed)
            caps[r] = min(ds[r] for ds in allowed)
        found = optimal_reordering(members, Hypercube(4), "max-max", weights)
        assert value[found.order] == top
        assert degrees[found.order] == caps
    assert lowered > 10


def test_weights_are_kept_as_plain_numbers():
    """What records and files show: numpy's numbers become Python's, and the rest stays."""
    given = [np.int64(2), np.float32(0.1), np.float64(0.5), 3, 0.25, Fraction(1, 3)]
    plain = plain_weights(given)
    assert plain == (2, 0.1, 0.5, 3, 0.25, Fraction(1, 3))
    assert [type(weight) for weight in plain] == [int, float, float, int, float, Fraction]


@pytest.mark.parametrize("objective", SET_OBJECTIVES)
def test_nothing_is_left_to_order_where_the_only_bit_is_internal(objective):
    """One order of no bits, of value 0: by ranks, and where messages are counted."""
    for member in (LCC([[0]], [1]), Traffic([(0, 1), (1, 0), (1, 0)], [3, 1, 1])):
        programme = SubsetProgramme((member,), (1,), objective, (0,))
        assert (programme.optimum, programme.count(), list(programme.orders())) == (0, 1, [()])


def test_a_programme_is_written_and_compared_by_what_it_was_given():
    programme = SubsetProgramme(SENT, (1, 1), "sum-sum")
    stated = SubsetProgramme(SENT, (1, 1), "sum-sum", n=3)
    assert set(programme.orders()) == set(stated.orders())
    assert programme == SubsetProgramme(SENT, (1, 1), "sum-sum") != stated
    assert repr(stated) == (
        f"SubsetProgramme(communications={SENT!r}, weights=(1, 1), objective='sum-sum', "
        "internal=(), caps=(), n=3)"
    )


@pytest.mark.parametrize("internal", [(), (3,), (0, 7)])
@pytest.mark.parametrize("make", [LCC, LCC.scatter])
def test_prices_of_twelve_bits_are_ranks_of_corners(make, internal):
    """cost(S, j) = 2^(|S∪I| - rank A_(S+j, S∪I)); a scatter's is the gather's of the set R - j.

    For sets that follow each other, as the kernel sees them: R are the bits outside S.
    """
    rng, n = np.random.default_rng(12), 12
    inside = sum(1 << bit for bit in internal)
    outer = [bit for bit in range(n) if bit not in internal]
    for density in (0.1, 0.15, 0.2, 0.3, 0.5):
        c = make((rng.random((n, n)) < density).astype(int), rng.integers(0, 2, n))
        programme = SubsetProgramme((c,), (1,), "max-max", internal)
        first, costs = 1 << len(outer) - 2, np.empty((512, len(outer)), np.int64)
        programme._fill(first, costs)
        for row in rng.integers(0, len(costs), 40).tolist():
            S = sum(1 << bit for place, bit in enumerate(outer) if first + row >> place & 1)
            for place, j in enumerate(outer):
                if S >> j & 1:
                    continue
                done = ((1 << n) - 1) & ~inside & ~S & ~(1 << j) if make is not LCC else S
                corner = [
                    c.A.rows[i] & (done | inside) for i in range(n) if (done | 1 << j) >> i & 1
                ]
                load = 1 << (done | inside).bit_count() - rank_of(corner)
                assert costs[row, place] == (load if c.moves(j) else 0)


@pytest.mark.parametrize("objective", ["max-max", "max-sum", "sum-sum"])
def test_threads_share_chunks_of_sets(objective, monkeypatch):
    """h, its count and the first order are those of one chunk after another."""
    rng = np.random.default_rng(8)
    members = (
        LCC(rng.integers(0, 2, (7, 7))),
        Traffic(rng.integers(0, 128, (200, 2)), rng.integers(1, 9, 200), 128),
    )

    def answers(cores: int, chunk: int, worth: int) -> Any:
        monkeypatch.setattr(subset, "cores", lambda: cores)
        monkeypatch.setattr(subset, "_CHUNK", chunk)
        monkeypatch.setattr(subset, "_WORTH_THREADS", worth)
        programme = SubsetProgramme(members, (3, 1), objective)
        return programme._cost_to_go.tolist(), programme.count(), programme.least()

    assert answers(3, 8, 0) == answers(1, 8, 0) == answers(5, 1, 0) == answers(1, 1 << 10, 1 << 60)


def programme(*members: Any, weights: Any = (1,), objective: Any = "max-max", **more: Any) -> Any:
    return SubsetProgramme(members, weights, objective, **more)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        *((lambda bad=bad: exact_weights(bad, 1), InputError, "weights")
          for bad in ([0], [-1], [float("inf")], ["x"], [None], [1, 1], [])),
        (lambda: optimal_orders([(0, 8)], "cube:3"), NetworkError, "a node for each of the 9"),
        (lambda: optimal_orders([(0, 7)], "mesh:2x4"), NetworkError, "must be a Hypercube"),
        (lambda: optimal_orders([(0, 7)], "cube:3", "joint"), InputError, "objective"),
        (lambda: programme(REVERSE(4), n=3), CommunicationError, "n = 3"),
    ],
)  # fmt: skip
def test_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize("objective", SET_OBJECTIVES)
@pytest.mark.parametrize("word", ["cube:4", "origin:4"])
@pytest.mark.parametrize("seed", sampled(range(4), 2))
def test_any_traffic_has_the_orders_of_least_value(seed, word, objective):
    """Value, number and list of optimal orders against all n! orders, walked; ranks and counts.

    One member is y = Ax + b with a volume, the others are random: 13 of 16 ranks, volumes with
    fractions, messages to oneself, pairs that repeat.
    """
    random = np.random.default_rng(seed)
    c = LCC(GF2Matrix(random.integers(0, 2, (4, 4))), random.integers(0, 2, 4))
    members = [Traffic(c.pairs(), [2.5] * 16)]
    for many in (9, 20):
        volumes = random.integers(0, 8, many) / 4
        members.append(Traffic(random.integers(0, 13, (many, 2)), volumes, 13))
    program = Program([Phase(t, w) for t, w in zip(members, (1, 0.5, 3), strict=True)])
    found = optimal_orders(program, word, objective)
    inside = int(word.startswith("origin"))
    values = {}
    for order in permutations(range(4)):
        loads = [loads_of(t, order[inside:], order[:inside]) for t in members]
        values[order] = objective_value(loads, [1, 0.5, 3], objective)
    least = min(values.values())
    assert found.value == least
    assert sorted(found) == sorted(order for order, value in values.items() if value == least)
    assert found.count() == len(list(found))
    assert found.value == search(program, parse_network(word), objective).value


def test_weights_are_refused_from_where_sums_would_not_be_exact():
    """The sum of weights times n times all that is sent stays below 2^61: 16 messages of 4 bits."""
    for member, most in (
        (catalog.bit_reverse(4), 1 << 61 - 2 - 4),
        (Traffic([(0, 1)] * 8), 1 << 61 - 3),
    ):
        assert SubsetProgramme((member,), (most - 1,), "sum-sum").weights == (most - 1,)
        with pytest.raises(InputError, match="2\\^61"):
            SubsetProgramme((member,), (most,), "sum-sum")


def test_traffic_that_is_linear_is_priced_by_ranks_beyond_what_is_counted(monkeypatch):
    """[hou, Theorem 6] y = Ax + b in every message: no message is counted, so more bits will do."""
    monkeypatch.setattr(subset, "MAX_COUNTED_DIMENSION", 3)
    for c in (catalog.bit_reverse(4), catalog.matrix_transpose(4)):
        alike = programme(Traffic(c.pairs(), [3] * 16), weights=(2,), objective="sum-sum")
        assert alike.optimum == 6 * programme(c, objective="sum-sum").optimum


def test_a_small_programme_needs_few_prices():
    """It is walked set by set, and gives up nothing."""
    small = SubsetProgramme((catalog.bit_reverse(4),), (1,), "sum-sum")
    assert small._walked(0) is not None
