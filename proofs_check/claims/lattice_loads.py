"""Occupancy and load on the bit-correction lattice, against messages that are walked and counted.

Beside the two formulas for gathers on the hypercube: scatters, bits inside a router (one, as in
the Origin 2000, or any set), and the symmetry that lets n = 5 and 6 do with b = 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from proofs_check.claim import Control, Sample, Sizes
from proofs_check.claims.lattice_stated import as_stated, show, tables
from proofs_check.domain import PAIRS, Domain
from proofs_check.driver import Case, compiled_claim
from proofs_check.stations import messages, set_images
from proofs_check.walk import route

_SUBSETS = PAIRS.described("all matrices A, all vectors b, each with all S")
_STEPS = PAIRS.described("all matrices A, all vectors b, each with all (S, j)")
_PLACE = "The bit-correction lattice"
_WALKED = (
    "all messages walked, sorted by the node where they stand after S, and counted; "
    "from n = 5 on for b = 0, and for the other b by lattice.translation"
)
_SAMPLES = {5: Sample(128, 1024), 6: Sample(64, 4096)}
_FEW_SAMPLES = {5: Sample(64, 1024), 6: Sample(16, 1024)}
_ROUTER = (1,)


@compiled_claim(
    "lattice.translation",
    place=_PLACE,
    says="after S every message of (A, b) stands where that of (A, 0) does, xor b_S; for j outside "
    "S it moves in j with b_j = 1 exactly if it does not with b_j = 0",
    latex=r"p_S^{(A,b)}(x) = p_S^{(A,0)}(x) + b_S",
    over=_SUBSETS,
    evidence="every message walked with b and with 0, its node compared after every S",
    control=Control("the node xor all of b", everywhere=True),
    sizes=Sizes(limit=6),
    samples={5: Sample(64, 1024), 6: Sample(16, 1024)},
)
def translation(case: Case, everywhere: bool = False) -> bool:
    """Which messages meet does not depend on b: y_S = (Ax)_S + b_S for all of them.

    So the numbers of messages in a node are those of b = 0, and those that move in j are the ones
    of b = 0 or, if b_j = 1, the others. A scatter is the same messages seen from the other end.
    """
    n, b, images = case.n, case.b, case.images[0]
    if case.is_new:
        set_images(n, case.rows, 0, images)
    for x in range(1 << n):
        y, unshifted = images[x] ^ b, images[x]
        for S in range(1 << n):
            position = x ^ (x ^ y) & S
            old = x ^ (x ^ unshifted) & S
            shift = b if everywhere else b & S
            moves, moved = (position ^ y) & ~S, (old ^ unshifted) & ~S
            if position != old ^ shift or moves != moved ^ (b & ~S):
                return False
    return True


@translation.explain
def _positions(A: GF2Matrix, b: GF2Vector, *, everywhere: bool = False) -> Mapping[str, Any]:
    n = len(b)
    for mask in range(1 << n):
        S = [k for k in range(n) if mask >> k & 1]
        paths = [route(x, y, S) for x, y in messages(A, int(b))]
        unshifted = [route(x, y, S)[-1] for x, y in messages(A, 0)]
        shift = int(b) if everywhere else int(b) & mask
        if [path[-1] for path in paths] != [u ^ shift for u in unshifted]:
            return {"S": S, "nodes for b = 0": unshifted, "paths": paths}
    return {}


def _stated(
    name: str,
    *,
    says: str,
    latex: str,
    over: Domain,
    control: Control,
    samples: Mapping[int, Sample] = _SAMPLES,
    **what: Any,
) -> None:
    """Declare a formula as a claim: `what` says which, see `tables`."""
    made = compiled_claim(
        f"lattice.{name}",
        place=_PLACE,
        says=says,
        latex=latex,
        over=over,
        evidence=_WALKED,
        control=control,
        sizes=Sizes(limit=6),
        samples=samples,
        tables=tables(**what),
    )(as_stated)

    @made.explain
    def shown(A: GF2Matrix, b: GF2Vector, **spoiled: Any) -> Mapping[str, Any]:
        return show(A, b, **what, **spoiled)


# The messages in one node agree in y_S and in x outside S: A_(S,S) x_S is fixed.
_stated(
    "occupancy",
    says="after the bits in S are corrected every node that holds a message holds exactly "
    "2^(|S| - rank A_(S,S))",
    latex=r"\operatorname{occupancy}(S) = 2^{\,|S|-\operatorname{rank} A_{S,S}}",
    over=_SUBSETS,
    control=Control("one row of S less", rows_less=True),
    loads=False,
)

# Those on one channel agree in y_j too: A_(S+j,S) x_S is fixed.
_stated(
    "load",
    says="when j is corrected after S every channel of dimension j that carries a message carries "
    "exactly 2^(|S| - rank A_(S+j,S)); none does if y_j = x_j for all x, else some do",
    latex=r"\operatorname{load}(S,j) = \begin{cases} 0 & y_j = x_j \\ "
    r"2^{\,|S|-\operatorname{rank} A_{S\cup\{j\},S}} & \text{otherwise} \end{cases}",
    over=_STEPS,
    control=Control("the rank of A_(S,S), without row j", rows_less=True),
    loads=True,
)

# The messages in one node agree in y_S and in x_R: A_(R,R) y_R is fixed.
_stated(
    "occupancy.scatter",
    says="of a scatter, which sends from Ay + b to y, every node that holds a message after S "
    "holds exactly 2^(|R| - rank A_(R,R)), where R is the complement of S",
    latex=r"\operatorname{occupancy}(S) = 2^{\,|R|-\operatorname{rank} A_{R,R}},\ "
    r"R = L_n \setminus S",
    over=_SUBSETS,
    control=Control("the gather's formula, S for R", on_cube=True),
    loads=False,
    scatter=True,
)

# The gather's path walked from its other end.
_stated(
    "load.scatter",
    says="of a scatter every channel that carries a message when j is corrected after S carries "
    "exactly 2^(|R| - rank A_(R+j,R)), where R are the bits corrected after j; none does if "
    "x_j = y_j for all y, else some do",
    latex=r"\operatorname{load}(S,j) = 2^{\,|R|-\operatorname{rank} A_{R\cup\{j\},R}},\ "
    r"R = L_n \setminus (S \cup \{j\}), \text{ or } 0 \text{ if } x_j = y_j",
    over=_STEPS,
    control=Control("the gather's formula, S for R", on_cube=True),
    loads=True,
    scatter=True,
)

# x_0 is free as well.
_stated(
    "occupancy.bristled",
    says="with bit 0 inside the routers, every router that holds a message after S holds exactly "
    "2^(|S| + 1 - rank A_(S,S+0))",
    latex=r"\operatorname{occupancy}(S) = 2^{\,|S|+1-\operatorname{rank} A_{S,S\cup\{0\}}}",
    over=PAIRS.described("all matrices A, all vectors b, each with all S without 0"),
    control=Control("the cube's formula, A_(S,S) and |S|", on_cube=True),
    loads=False,
    insides=_ROUTER,
)

# x_0 is free as well.
_stated(
    "load.bristled",
    says="with bit 0 inside the routers, every channel that carries a message when j is corrected "
    "after S carries exactly 2^(|S| + 1 - rank A_(S+j,S+0)); none does if y_j = x_j for all x, "
    "else some do",
    latex=r"\operatorname{load}(S,j) = 2^{\,|S|+1-\operatorname{rank} A_{S\cup\{j\},S\cup\{0\}}}"
    r"\text{ or } 0 \text{ if } y_j = x_j",
    over=PAIRS.described("all matrices A, all vectors b, each with all (S, j) without 0"),
    control=Control("the cube's formula, A_(S+j,S) and |S|", on_cube=True),
    loads=True,
    insides=_ROUTER,
)

# x_I is free as well.
_stated(
    "load.internal",
    says="with any set I of bits inside the routers, every channel that carries a message when j "
    "is corrected after S carries exactly 2^(|S+I| - rank A_(S+j,S+I)); none does if y_j = x_j for "
    "all x, else some do",
    latex=r"\operatorname{load}(S,j) = 2^{\,|S\cup I|-\operatorname{rank} A_{S\cup\{j\},S\cup I}}"
    r"\text{ or } 0 \text{ if } y_j = x_j",
    over=PAIRS.described("all matrices A, all vectors b, each with all (S, j, I), I not empty"),
    control=Control("the cube's formula, A_(S+j,S) and |S|", on_cube=True),
    samples=_FEW_SAMPLES,
    loads=True,
    insides=None,
)

# The gather's path walked from its other end; y_I is free as well.
_stated(
    "load.scatter.internal",
    says="of a scatter with any set I of bits inside the routers, every channel that carries a "
    "message when j is corrected after S carries exactly 2^(|R+I| - rank A_(R+j,R+I)), where R "
    "are the bits corrected after j; none does if x_j = y_j for all y, else some do",
    latex=r"\operatorname{load}(S,j) = 2^{\,|R\cup I|-\operatorname{rank} A_{R\cup\{j\},R\cup I}}"
    r"\text{ or } 0 \text{ if } x_j = y_j",
    over=PAIRS.described("all matrices A, all vectors b, each with all (S, j, I), I not empty"),
    control=Control("the gather's formula on a cube, S for R and I", on_cube=True),
    samples=_FEW_SAMPLES,
    loads=True,
    scatter=True,
    insides=None,
)
