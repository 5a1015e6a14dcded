"""Formulas in n: communications for every size, proved by rules, and the papers' formulas.

    T = symbolic.contention("matrix-transpose:r", "cube:n")    # a catalogue word, parameters open
    T.load, T.degree                                           # sympy, in plain symbols
    T.at(n=8, r=4), T.checked(12)                              # values, and counts that agree

A family that no rule proves is refused, with what was counted (docs/symbolic.md).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
