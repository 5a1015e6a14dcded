"""Closed forms of P(d,Q), derived by `derive`. Written by `generate`: do not edit.

FORMS[c, regime, model] = (numerator, excess): P = numerator / 18 + excess, in d and Q; in c too
where c is None.
"""

from __future__ import annotations

# fmt: off
# ruff: noqa: E501 - generated
FORMS: dict[tuple[int | None, str, str], tuple[str, str]] = {
    (None, "shallow", "load"): (
        "2**(2 + d/c)*(3*Q + 4*c - 3) + Piecewise((2**(-ceiling(Q/c) + 2 + d/c)*(-3*Q + 3*c*ceiling(Q/c) - 4*c + 3) - 9*c*ceiling(Q/c), Eq(Mod(ceiling(Q/c), 2), 0)), (2**(-ceiling(Q/c) + 1 + d/c)*(-3*Q + 3*c*ceiling(Q/c) - c + 3) - 9*c*ceiling(Q/c) - 9*c, True))",
        "0",
    ),
    (None, "deep", "load"): (
        "2**(2 + d/c)*(3*Q + 4*c - 3) + Piecewise((-12*Q - 16*c + 3*d + 12, Eq(Mod(d/c, 2), 0)), (-6*Q - 11*c - 3*d + 6, True))",
        "0",
    ),
    (1, "shallow", "load"): (
        "2**(d + 2)*(3*Q + 1) + Piecewise((-2**(-Q + d + 2) - 9*Q, Eq(Mod(Q, 2), 0)), (2**(-Q + d + 2) - 9*Q - 9, True))",
        "0",
    ),
    (1, "deep", "load"): (
        "2**(d + 2)*(3*Q + 1) + Piecewise((-12*Q + 3*d - 4, Eq(Mod(d, 2), 0)), (-6*Q - 3*d - 5, True))",
        "0",
    ),
    (1, "shallow", "lower-bound"): (
        "2**(d + 2)*(3*Q + 1) + Piecewise((-2**(-Q + d + 2) - 9*Q, Eq(Mod(Q, 2), 0)), (2**(-Q + d + 2) - 9*Q - 9, True))",
        "0",
    ),
    (1, "deep", "lower-bound"): (
        "2**(d + 2)*(3*Q + 1) + Piecewise((-12*Q + 3*d - 4, Eq(Mod(d, 2), 0)), (-6*Q - 3*d - 5, True))",
        "0",
    ),
    (1, "shallow", "paper"): (
        "2**(d + 2)*(3*Q + 1) + Piecewise((-2**(-Q + d + 2) - 9*Q, Eq(Mod(Q, 2), 0)), (2**(-Q + d + 2) - 9*Q - 9, True))",
        "0",
    ),
    (1, "deep", "paper"): (
        "2**(d + 2)*(3*Q + 1) + Piecewise((-12*Q + 3*d - 4, Eq(Mod(d, 2), 0)), (-6*Q - 3*d - 5, True))",
        "0",
    ),
    (1, "shallow", "schedule"): (
        "2**(d + 2)*(3*Q + 1) + Piecewise((-2**(-Q + d + 2) - 9*Q, Eq(Mod(Q, 2), 0)), (2**(-Q + d + 2) - 9*Q - 9, True))",
        "0",
    ),
    (1, "deep", "schedule"): (
        "2**(d + 2)*(3*Q + 1) + Piecewise((-12*Q + 3*d - 4, Eq(Mod(d, 2), 0)), (-6*Q - 3*d - 5, True))",
        "0",
    ),
    (2, "shallow", "load"): (
        "2**(d/2 + 2)*(3*Q + 5) + Piecewise((2**(d/2 - ceiling(Q/2) + 2)*(-3*Q + 6*ceiling(Q/2) - 5) - 18*ceiling(Q/2), Eq(Mod(ceiling(Q/2), 2), 0)), (2**(d/2 - ceiling(Q/2) + 1)*(-3*Q + 6*ceiling(Q/2) + 1) - 18*ceiling(Q/2) - 18, True))",
        "0",
    ),
    (2, "deep", "load"): (
        "2**(d/2 + 2)*(3*Q + 5) + Piecewise((-12*Q + 3*d - 20, Eq(Mod(d/2, 2), 0)), (-6*Q - 3*d - 16, True))",
        "0",
    ),
    (2, "shallow", "lower-bound"): (
        "2**(d/2 + 2)*(3*Q + 5) + Piecewise((2**(d/2 - ceiling(Q/2) + 2)*(-3*Q + 6*ceiling(Q/2) - 5) - 18*ceiling(Q/2), Eq(Mod(ceiling(Q/2), 2), 0)), (2**(d/2 - ceiling(Q/2) + 1)*(-3*Q + 6*ceiling(Q/2) + 1) - 18*ceiling(Q/2) - 18, True))",
        "Piecewise((Piecewise((1, Eq(d, 4)), (0, True)), Eq(Q, d)), (0, True)) + Piecewise((0, Eq(Q, 1)), (1, Eq(Q, 2)), (3, Eq(Q, 3)), (4, Eq(Q, 4) | Eq(Q, 5)), (5, True))",
    ),
    (2, "deep", "lower-bound"): (
        "2**(d/2 + 2)*(3*Q + 5) + Piecewise((-12*Q + 3*d - 20, Eq(Mod(d/2, 2), 0)), (-6*Q - 3*d - 16, True))",
        "(Q - d)*Piecewise((1, Eq(d, 2) | Eq(d, 6)), (2, Eq(d, 4)), (0, True)) + Piecewise((1, Eq(d, 2)), (5, True))",
    ),
    (2, "shallow", "paper"): (
        "2**(d/2 + 2)*(3*Q + 5) + Piecewise((2**(d/2 - ceiling(Q/2) + 2)*(-3*Q + 6*ceiling(Q/2) - 5) - 18*ceiling(Q/2), Eq(Mod(ceiling(Q/2), 2), 0)), (2**(d/2 - ceiling(Q/2) + 1)*(-3*Q + 6*ceiling(Q/2) + 1) - 18*ceiling(Q/2) - 18, True))",
        "Piecewise((Piecewise((2, (d >= 2) & Eq(Mod(d, 4), 0)), (0, True)), Eq(Q, d)), (0, True)) + Piecewise((5*Q/4 - 5/4, Eq(Mod(Q, 4), 1)), (5*Q/4 - 3/2, Eq(Mod(Q, 4), 2)), (5*Q/4 + 5/4, Eq(Mod(Q, 4), 3)), (5*Q/4, True))",
    ),
    (2, "deep", "paper"): (
        "2**(d/2 + 2)*(3*Q + 5) + Piecewise((-12*Q + 3*d - 20, Eq(Mod(d/2, 2), 0)), (-6*Q - 3*d - 16, True))",
        "(Q - d)*Piecewise((1, Eq(Mod(d, 4), 2)), (2, True)) + Piecewise((5*d/4 - 3/2, Eq(Mod(d, 4), 2)), (5*d/4 + 2, True))",
    ),
    (2, "shallow", "schedule"): (
        "2**(d/2 + 2)*(3*Q + 5) + Piecewise((2**(d/2 - ceiling(Q/2) + 2)*(-3*Q + 6*ceiling(Q/2) - 5) - 18*ceiling(Q/2), Eq(Mod(ceiling(Q/2), 2), 0)), (2**(d/2 - ceiling(Q/2) + 1)*(-3*Q + 6*ceiling(Q/2) + 1) - 18*ceiling(Q/2) - 18, True))",
        "Piecewise((Piecewise((1, Eq(d, 4)), (0, True)), Eq(Q, d)), (0, True)) + Piecewise((0, Eq(Q, 1)), (1, Eq(Q, 2)), (3, Eq(Q, 3)), (4, Eq(Q, 4) | Eq(Q, 5)), (5, True))",
    ),
    (2, "deep", "schedule"): (
        "2**(d/2 + 2)*(3*Q + 5) + Piecewise((-12*Q + 3*d - 20, Eq(Mod(d/2, 2), 0)), (-6*Q - 3*d - 16, True))",
        "(Q - d)*Piecewise((1, Eq(d, 2) | Eq(d, 6)), (2, Eq(d, 4)), (0, True)) + Piecewise((1, Eq(d, 2)), (5, True))",
    ),
    (3, "shallow", "load"): (
        "2**(d/3 + 2)*(3*Q + 9) + Piecewise((3*2**(d/3 - ceiling(Q/3) + 2)*(-Q + 3*ceiling(Q/3) - 3) - 27*ceiling(Q/3), Eq(Mod(ceiling(Q/3), 2), 0)), (3*2**(d/3 - ceiling(Q/3) + 1)*(-Q + 3*ceiling(Q/3)) - 27*ceiling(Q/3) - 27, True))",
        "0",
    ),
    (3, "deep", "load"): (
        "2**(d/3 + 2)*(3*Q + 9) + Piecewise((-12*Q + 3*d - 36, Eq(Mod(d/3, 2), 0)), (-6*Q - 3*d - 27, True))",
        "0",
    ),
    (3, "shallow", "lower-bound"): (
        "2**(d/3 + 2)*(3*Q + 9) + Piecewise((3*2**(d/3 - ceiling(Q/3) + 2)*(-Q + 3*ceiling(Q/3) - 3) - 27*ceiling(Q/3), Eq(Mod(ceiling(Q/3), 2), 0)), (3*2**(d/3 - ceiling(Q/3) + 1)*(-Q + 3*ceiling(Q/3)) - 27*ceiling(Q/3) - 27, True))",
        "Piecewise((Piecewise((1, Eq(d, 9)), (0, True)), Eq(Q, d - 3)), (0, True)) + Piecewise((Piecewise((5, Eq(d, 9)), (0, True)), Eq(Q, d - 1)), (0, True)) + Piecewise((Piecewise((1, Eq(d, 6)), (3, Eq(d, 9)), (0, True)), Eq(Q, d - 2)), (0, True)) + Piecewise((Piecewise((-2, Eq(d, 3)), (8, Eq(d, 9)), (1, Eq(d, 12)), (0, True)), Eq(Q, d)), (0, True)) + Piecewise((0, Eq(Q, 1)), (2, Eq(Q, 2)), (6, Eq(Q, 3)), (9, Eq(Q, 4)), (14, Eq(Q, 5)), (18, Eq(Q, 6) | Eq(Q, 7)), (20, Eq(Q, 8)), (21, Eq(Q, 9) | Eq(Q, 10)), (23, Eq(Q, 11)), (24, True))",
    ),
    (3, "deep", "lower-bound"): (
        "2**(d/3 + 2)*(3*Q + 9) + Piecewise((-12*Q + 3*d - 36, Eq(Mod(d/3, 2), 0)), (-6*Q - 3*d - 27, True))",
        "(Q - d)*Piecewise((2, Eq(d, 3) | Eq(d, 12)), (4, Eq(d, 6) | Eq(d, 9)), (0, True)) + Piecewise((4, Eq(d, 3)), (18, Eq(d, 6)), (29, Eq(d, 9)), (25, Eq(d, 12)), (24, True))",
    ),
    (3, "shallow", "paper"): (
        "2**(d/3 + 2)*(3*Q + 9) + Piecewise((3*2**(d/3 - ceiling(Q/3) + 2)*(-Q + 3*ceiling(Q/3) - 3) - 27*ceiling(Q/3), Eq(Mod(ceiling(Q/3), 2), 0)), (3*2**(d/3 - ceiling(Q/3) + 1)*(-Q + 3*ceiling(Q/3)) - 27*ceiling(Q/3) - 27, True))",
        "Piecewise((Piecewise((2, (d >= 6) & Eq(Mod(d, 6), 3)), (0, True)), Eq(Q, d - 3)), (0, True)) + Piecewise((Piecewise((-3, (d >= 6) & Eq(Mod(d, 6), 0)), (6, (d >= 6) & Eq(Mod(d, 6), 3)), (0, True)), Eq(Q, d - 1)), (0, True)) + Piecewise((Piecewise((1, (d >= 6) & Eq(Mod(d, 6), 0)), (4, (d >= 6) & Eq(Mod(d, 6), 3)), (0, True)), Eq(Q, d - 2)), (0, True)) + Piecewise((Piecewise((-2, Eq(d, 3)), (1, (d >= 6) & Eq(Mod(d, 6), 0)), (6, (d >= 6) & Eq(Mod(d, 6), 3)), (0, True)), Eq(Q, d)), (0, True)) + Piecewise((19*Q/6 - 19/6, Eq(Mod(Q, 6), 1)), (19*Q/6 - 13/3, Eq(Mod(Q, 6), 2)), (19*Q/6 - 7/2, Eq(Mod(Q, 6), 3)), (19*Q/6 - 11/3, Eq(Mod(Q, 6), 4)), (19*Q/6 + 19/6, Eq(Mod(Q, 6), 5)), (19*Q/6, True))",
    ),
    (3, "deep", "paper"): (
        "2**(d/3 + 2)*(3*Q + 9) + Piecewise((-12*Q + 3*d - 36, Eq(Mod(d/3, 2), 0)), (-6*Q - 3*d - 27, True))",
        "(Q - d)*Piecewise((2, Eq(d, 3)), (4, True)) + Piecewise((4, Eq(d, 3)), (19*d/6 + 1, Eq(Mod(d, 6), 0)), (19*d/6 + 5/2, True))",
    ),
    (3, "shallow", "schedule"): (
        "2**(d/3 + 2)*(3*Q + 9) + Piecewise((3*2**(d/3 - ceiling(Q/3) + 2)*(-Q + 3*ceiling(Q/3) - 3) - 27*ceiling(Q/3), Eq(Mod(ceiling(Q/3), 2), 0)), (3*2**(d/3 - ceiling(Q/3) + 1)*(-Q + 3*ceiling(Q/3)) - 27*ceiling(Q/3) - 27, True))",
        "Piecewise((Piecewise((1, Eq(d, 9)), (0, True)), Eq(Q, d - 3)), (0, True)) + Piecewise((Piecewise((5, Eq(d, 9)), (0, True)), Eq(Q, d - 1)), (0, True)) + Piecewise((Piecewise((1, Eq(d, 6)), (3, Eq(d, 9)), (0, True)), Eq(Q, d - 2)), (0, True)) + Piecewise((Piecewise((-2, Eq(d, 3)), (8, Eq(d, 9)), (1, Eq(d, 12)), (0, True)), Eq(Q, d)), (0, True)) + Piecewise((0, Eq(Q, 1)), (2, Eq(Q, 2)), (6, Eq(Q, 3)), (9, Eq(Q, 4)), (14, Eq(Q, 5)), (18, Eq(Q, 6) | Eq(Q, 7)), (20, Eq(Q, 8)), (21, Eq(Q, 9) | Eq(Q, 10)), (23, Eq(Q, 11)), (24, True))",
    ),
    (3, "deep", "schedule"): (
        "2**(d/3 + 2)*(3*Q + 9) + Piecewise((-12*Q + 3*d - 36, Eq(Mod(d/3, 2), 0)), (-6*Q - 3*d - 27, True))",
        "(Q - d)*Piecewise((2, Eq(d, 3) | Eq(d, 12)), (4, Eq(d, 6) | Eq(d, 9)), (0, True)) + Piecewise((4, Eq(d, 3)), (18, Eq(d, 6)), (29, Eq(d, 9)), (25, Eq(d, 12)), (24, True))",
    ),
}
