"""Certificates of mappings on hypercubes and Origins: loads are ranks [hou, Theorems 1, 3, 7].

One communication: L M R = I with k rows shows rank M >= k, so no channel of a dimension carries
more than 2^(columns - k); A = U W through r columns shows rank A <= r, so no nonsingular Q has a
degree below 2^(n-1-r). The theorems are proved for every n in `proofs_check/formal`.

Several: a family of sets that no step cheaper than the answer leaves, and that lacks the full set,
shows that every order has a step as dear as the answer; where steps are added up, numbers that
rise by no more than the price of a step show the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from lccmodel.certificates.parser import (
    Rows,
    columns_of,
    common_denominator,
    image_of,
    need,
    product_of,
    quoted,
    rank_of,
    read_bits,
    read_list,
    read_matrix,
    read_name,
    read_number,
    read_order,
    read_part,
    read_whole,
    unit_rows,
)

_MAX_PRICES = 1 << 22
"""The most prices of steps in a proof about orders: some minutes."""

_NETWORK = re.compile("(cube|origin):([1-9][0-9]?)")

# -- One linear-complement communication -----------------------------------------------------------


class LinearSent:
    """x sends to A x + b (gather), or A x + b to x (scatter); `inside` bits are in the routers."""

    def __init__(self, stated: Any, n: int, inside: int) -> None:
        self.gather = read_name(stated["sends"], ("gather", "scatter")) == "gather"
        self.n = n
        self.A, self.b = read_matrix(stated["A"], n, n), read_bits(stated["b"], n)
        self.hidden = frozenset(range(inside))

    def still(self, i: int) -> bool:
        """Whether bit i of x is bit i of A x + b for all x."""
        return self.A[i] == 1 << i and not self.b >> i & 1

    def minor(self, done: Sequence[int], j: int) -> tuple[list[int], list[int]]:
        """The rows and columns of the rank that says the load when bit j follows the done ones."""
        known = set(done) if self.gather else set(range(self.n)) - set(done) - {j}
        return sorted((known | {j}) - self.hidden), sorted((known | self.hidden) - {j})

    def load(self, done: Sequence[int], j: int) -> int:
        """Messages on a channel of dimension j: 2^(columns - rank), or none."""
        if self.still(j):
            return 0
        rows, columns = self.minor(done, j)
        return 1 << len(columns) - rank_of(columns_of([self.A[r] for r in rows], columns))


def network_bits(problem: Any) -> tuple[int, int]:
    """(bits of an address, how many of them are in the routers)."""
    spec = problem["network"]
    stated = _NETWORK.fullmatch(spec) if isinstance(spec, str) else None
    need(stated is not None, f"{quoted(spec)} must be cube:n or origin:n")
    assert stated is not None
    return read_whole(int(stated[2]), 1, 64), int(stated[1] == "origin")


def check_linear(problem: Any, answer: Any, proof: Any) -> str:
    """One communication and an order or nonsingular Q of least degree; see the module."""
    n, inside = network_bits(problem)
    sent = LinearSent(problem, n, inside)
    Q, inverse = _mapping(answer, n)
    mapped = LinearSent(problem, n, inside)
    mapped.A, mapped.b = product_of(product_of(Q, sent.A), inverse), image_of(Q, sent.b)
    degree = read_whole(answer["degree"])
    still = [mapped.still(i) for i in range(inside, n)]
    if degree == 0:
        need(all(still), "some message changes a bit, so the degree is not 0")
        return f"no message uses a channel of {problem['network']}, and no mapping has less"
    exponent = degree.bit_length() - 1
    need(degree == 1 << exponent, "the degree must be a power of two")
    steps = read_list(proof["steps"], n - inside, "the steps of a proof")
    for i, witness in enumerate(steps, inside):
        if witness is None:
            need(still[i - inside], f"dimension {i} needs a proof: some message crosses it")
        else:
            _channel(mapped, i, exponent, witness)
    _no_mapping_below(sent, exponent, inside, proof)
    what = "order of the bits" if "order" in answer else "mapping"
    return (
        f"the {what} gives degree {degree} on {problem['network']}, and no nonsingular linear "
        "mapping gives less"
    )


def _mapping(answer: Any, n: int) -> tuple[Rows, Rows]:
    """Q and its inverse."""
    if "order" in answer:
        order = read_order(answer["order"], n)
        return [1 << k for k in order], [1 << order.index(k) for k in range(n)]
    Q, inverse = read_matrix(answer["Q"], n, n), read_matrix(answer["inverse"], n, n)
    need(product_of(Q, inverse) == unit_rows(n), "Q times its inverse must be the identity")
    return Q, inverse


def _channel(mapped: LinearSent, i: int, exponent: int, witness: Any) -> None:
    """L M R = I, with as many rows as the load 2^exponent needs."""
    rows, columns = mapped.minor(range(i), i)
    k = max(0, len(columns) - exponent)
    left = read_matrix(witness["left"], k, len(rows))
    right = read_matrix(witness["right"], len(columns), k)
    minor = columns_of([mapped.A[r] for r in rows], columns)
    shown = product_of(product_of(left, minor), right) == unit_rows(k)
    need(shown, f"L M R must be the identity for dimension {i}")


def _no_mapping_below(sent: LinearSent, exponent: int, inside: int, proof: Any) -> None:
    n = sent.n
    if exponent:
        r = n - 1 - exponent
        need(r >= 0, f"no degree is 2^{exponent} with {n} bits")
        factors = read_list(proof["factors"], 2, "the factors")
        U, W = read_matrix(factors[0], n, r), read_matrix(factors[1], r, n)
        need(product_of(U, W) == sent.A, "A must be the product of its factors")
    elif not inside:
        moving = not all(sent.still(i) for i in range(n))
        need(moving, "no message changes a bit, so the degree is 0")
    else:
        x, y = (read_bits(text, n) for text in read_list(proof["displaced"], 2, "the displaced"))
        first, second = (image_of(sent.A, z) ^ z ^ sent.b for z in (x, y))
        apart = first != 0 and second != 0 and first != second
        need(apart, "two displacements must differ and not be 0")


# -- Orders for several communications -------------------------------------------------------------


def check_orders(problem: Any, answer: Any, proof: Any) -> str:
    """Several communications, or one, and an order of the least objective; see the module."""
    n, inside = network_bits(problem)
    need(n <= 20, "there must be communications of at most 20 bits")
    phases = read_list(problem["communications"], None, "the communications")
    members = [LinearSent(read_part(phase, "a communication"), n, 0) for phase in phases]
    weights = [read_number(phase["weight"]) for phase in phases]
    need(bool(members), "there must be a communication")
    common_denominator(weights)
    objective = read_name(problem["objective"], ("max-max", "max-sum", "sum-sum"))
    order = read_order(answer["order"], n)

    def price(hidden: int, done: int, j: int) -> Fraction:
        loads = []
        for member, weight in zip(members, weights, strict=True):
            member.hidden = frozenset(k for k in range(n) if hidden >> k & 1)
            loads.append(weight * member.load([k for k in range(n) if done >> k & 1], j))
        return max(loads) if objective == "max-max" else sum(loads, Fraction(0))

    hidden = sum(1 << k for k in order[:inside])
    prices, done = [], hidden
    for j in order[inside:]:
        prices.append(price(hidden, done, j))
        done |= 1 << j
    adds = objective == "sum-sum"
    value = sum(prices, Fraction(0)) if adds else max(prices, default=Fraction(0))
    stated = read_number(answer["value"])
    need(value == stated, f"the order has {value}, not {stated}")
    starts = [1 << k for k in range(n)] if inside else [0]
    families = read_list(proof["from"], len(starts), "the proofs for each bit in the router")
    sets = sum(len(read_list(family, None, "a family")) for family in families)
    need(sets * n * len(members) <= _MAX_PRICES, f"the proof needs more than {_MAX_PRICES} prices")
    for start, family in zip(starts, families, strict=True):
        steps = _potential if adds else _closed
        steps(family, start, n, value, partial(price, start))
    return f"the order has {objective} {value} on {problem['network']}, and no order has less"


Price = Callable[[int, int], Fraction]


def _closed(family: Any, start: int, n: int, value: Fraction, price: Price) -> None:
    """Steps that cost less than the answer never leave the family, and it lacks the full set."""
    reached = {read_whole(S, 0, (1 << n) - 1) for S in family}
    full = (1 << n) - 1
    need(len(reached) == len(family), "duplicate set in a family")
    need(value == 0 or (start in reached and full not in reached), "a family has wrong ends")
    for S in reached:
        for j in range(n):
            inside = S >> j & 1 or S | 1 << j in reached
            need(bool(inside) or price(S, j) >= value, f"a cheap step leaves a family at {S}, {j}")


def _potential(family: Any, start: int, n: int, value: Fraction, price: Price) -> None:
    """Numbers that rise by the price of a step at most, from 0 to the answer."""
    height = {S: read_number(h) for S, h in enumerate(family)}
    full = (1 << n) - 1
    need(len(height) == full + 1, "every set needs a number")
    need(height[start] == 0 and height[full] >= value, "the numbers have wrong ends")
    for S in range(full):
        for j in range(n):
            if S & start == start and not S >> j & 1:
                need(height[S | 1 << j] <= height[S] + price(S, j), f"too steep at {S}, {j}")
