"""The one loop of every compiled claim: cases go by, a few lines say whether the claim holds.

A claim on matrices or pairs (A, b) that is too long for numpy is a function of one case, which is
compiled. It says what is asserted and nothing else:

    @compiled_claim("hou.cor1", ..., over=Nonsingular("A") * AllVectors("b"),
                    control=Control("the bound 0", bound=0),
                    tables=lambda n, **_: (all_orders(n), walked_degrees(n)))
    def cor1(case: Case, orders: Ints, degrees: Degrees, bound: int = 1) -> bool:
        return best_reordered(case.n, case.number, orders, degrees, bound) <= bound

The loop cuts the range, unpacks the rows, passes over matrices that the domain does not hold (by
the rank, taken once a matrix), counts the cases and stops at the first that fails. On any other
domain the function goes by `case.number`, or by both parts of it: on a product `case.code` is the
index in the left factor and `case.b` that in the right one. Where they hold no case it says
`NO_CASE`, and is given no rows that mean anything. `counted` says what is
counted of every case before the function sees it, once a matrix where b does not matter:

    counted=NOTHING   rows and b; scratch to work in
    counted=MEETINGS  case.meeting[S, j]: how many v lie in S with Av outside S and j; they meet on
                      a channel when j is corrected after S; case.found = #{v : Av = 0}
    counted=STATIONS  case.held[S], case.crossing[side, S, j]: what nodes hold and channels carry
                      after S, walked (`proofs_check.stations`); case.found = flips, see there

A case has scratch: what the function leaves there in one case it finds in the next, so what
depends on A alone is computed where `case.is_new`. What the loop itself works in stands apart, in
`case.of_loop`. References are not counted inside the loop (`borrowed`): for a `Case`, which is
made for every case, counting would take longer than many a case does.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple, Unpack

import numpy as np

from lccmodel.kernels.jit import borrowed, inlined_kernel, kernel, kernel_filed_under
from proofs_check.arrays import Ints, Words
from proofs_check.claim import Claim, Examined, Stated, batch_claim, with_stated
from proofs_check.domain import AllMatrices, Product
from proofs_check.orders import count_meetings
from proofs_check.packed import rank_within, unpack_rows
from proofs_check.stations import by_translation, set_images, walk_subsets
from proofs_check.walk import set_source_planes

NO_CASE = -1
"""What a function says of an index that holds no case."""


class _OfLoop(NamedTuple):
    """What the loop works in, which is no scratch of a function."""

    basis: Ints  # n + 2 numbers
    of_matrix: Ints  # one number that is counted once a matrix
    images: Ints  # 4·2^n
    tags: Ints  # 2^n, see `tags_of`
    sets: Words  # 3n + 2^n


class Case(NamedTuple):
    """One case of a compiled claim, what is counted of it, and scratch."""

    n: int
    number: int  # in its domain
    code: int  # of the matrix
    b: int  # the packed vector; 0 on a domain of matrices
    found: int  # as the module says, as are `meeting`, `held` and `crossing`
    is_new: bool  # whether the matrix is not that of the case before
    rows: Ints  # packed
    order: Ints  # 0, 1, ..., n-1
    nodes: Words  # the planes of x = 0, 1, ..., 2^n - 1
    meeting: Ints
    held: Ints
    crossing: Ints
    work: Ints  # scratch: 11 vectors of n + 2 numbers,
    images: Ints  # 3 of 4·2^n,
    planes: Words  # 3 of n words,
    sets: Words  # 3n + 2^n words
    of_loop: _OfLoop


def _blank(n: int) -> Case:
    """A case with all scratch made."""
    nodes, size = np.zeros(n, np.uint64), 1 << n
    set_source_planes(n, nodes)
    return Case(
        *(n, 0, 0, 0, 0, True),
        rows=np.zeros(n, np.int64),
        order=np.arange(n),
        nodes=nodes,
        meeting=np.zeros((size, n), np.int64),
        held=np.zeros((size, 2), np.int64),
        crossing=np.zeros((2, size, n, 2), np.int64),
        work=np.zeros((11, n + 2), np.int64),
        images=np.zeros((3, 4 * size), np.int64),
        planes=np.zeros((3, n), np.uint64),
        sets=np.zeros(3 * n + size, np.uint64),
        of_loop=_OfLoop(
            basis=np.zeros(n + 2, np.int64),
            of_matrix=np.zeros(1, np.int64),
            images=np.zeros(4 * size, np.int64),
            tags=np.zeros(size, np.int64),
            sets=np.zeros(3 * n + size, np.uint64),
        ),
    )


@kernel
def tags_of(case: Case) -> Ints:
    """Ax + b for every x; the next case has others in the same place."""
    set_images(case.n, case.rows, case.b, case.of_loop.tags)
    return case.of_loop.tags


@inlined_kernel
def NOTHING(case: Case, code: int, b: int, is_new: bool) -> int:
    """Nothing is counted beforehand."""
    return 0


@inlined_kernel
def MEETINGS(case: Case, code: int, b: int, is_new: bool) -> int:
    """Fill `meeting`; the number of v with Av = 0."""
    if is_new:
        own = case.of_loop
        own.of_matrix[0] = count_meetings(case.n, case.rows, 0, own.images, case.meeting)
    return int(case.of_loop.of_matrix[0])


@inlined_kernel
def STATIONS(case: Case, code: int, b: int, is_new: bool) -> int:
    """Fill `held` and `crossing`, walked with b or, beyond n = 4, with 0; b xor what was walked."""
    walked_b = 0 if by_translation(case.n) else b
    if is_new or not by_translation(case.n):
        sets = case.of_loop.sets
        for k in range(case.n):  # a slice to a slice would be compiled with its error message
            sets[k] = case.nodes[k]
        walk_subsets(case.n, case.rows, walked_b, False, 0, sets, case.held, case.crossing)
    return b ^ walked_b


@cache
def _loop(check: Callable[..., int], count: Callable[..., int]) -> Callable[..., tuple[int, int]]:
    """The compiled loop around one function."""
    holds = inlined_kernel(check)

    @kernel_filed_under(check)
    def loop(owned: Case, range_: Ints, kept: Ints, tables: Any) -> tuple[int, int]:
        """(cases, the least index of a case where the function says no, or -1)."""
        blank, given = borrowed(owned), borrowed(tables)
        n, start, stop, width = blank.n, range_[0], range_[1], range_[2]
        cases = 0
        for code in range(start // width, -(-stop // width)):
            if not _take_up(n, code, kept, blank.rows, blank.of_loop.basis):
                continue
            is_new = True
            for b in range(max(start - code * width, 0), min(stop - code * width, width)):
                found = count(blank, code, b, is_new)
                case = Case(n, code * width + b, code, b, found, is_new, *blank[6:])
                is_new = False
                said = int(holds(case, *given))
                if said == NO_CASE:
                    continue
                cases += 1
                if not said:
                    return cases, case.number
        return cases, -1

    return loop


@kernel
def _take_up(n: int, code: int, kept: Ints, rows: Ints, basis: Ints) -> bool:
    """Unpack the rows of a matrix; whether the domain holds it."""
    unpack_rows(code, n, rows)
    least, most, apart = kept
    if least > 0 or most < n:
        everything = (1 << n) - 1
        if not least <= rank_within(rows, everything, everything, basis) <= most:
            return False
    return bool(code != apart)


def _no_tables(n: int, **parameters: Any) -> tuple[()]:
    return ()


def compiled_claim(
    id: str,
    *,
    counted: Callable[..., int] = NOTHING,
    tables: Callable[..., Sequence[Any]] = _no_tables,
    **declared: Unpack[Stated],
) -> Callable[[Callable[..., int]], Claim]:
    """Declare a claim whose function is compiled and says of one `Case` whether it holds there.

    The function takes the case, what `tables(n, **parameters)` returns, and the parameters, which
    have defaults; it is compiled by numba. `counted` is `NOTHING`, `MEETINGS` or `STATIONS`, the
    latter two on matrices and pairs (A, b) only; other arguments are those of `claim`.
    """

    def decorate(function: Callable[..., int]) -> Claim:
        given = with_stated(function, declared)
        over = given["over"]
        left, right = (over.left, over.right) if isinstance(over, Product) else (over, None)
        loop = _loop(function, counted)
        defaults = {
            name: parameter.default
            for name, parameter in inspect.signature(function).parameters.items()
            if parameter.default is not inspect.Parameter.empty
        }

        def check(n: int, start: int, stop: int, **parameters: Any) -> Examined:
            chosen = defaults | parameters
            given = (*tables(n, **chosen), *(type(defaults[k])(chosen[k]) for k in defaults))
            range_ = np.array([start, stop, 1 if right is None else right.span(n)])
            kept = np.array([0, n, -1])
            if isinstance(left, AllMatrices):
                kept = np.array([*left.ranks_kept(n), left.code_left_out(n)])
            cases, failing = loop(_blank(n), range_, kept, given)
            return Examined(int(cases), None if failing < 0 else int(failing))

        check.__module__, check.__qualname__ = function.__module__, function.__qualname__
        check.__doc__ = function.__doc__
        return batch_claim(id, **given)(check)

    return decorate
