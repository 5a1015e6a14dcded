"""Checks the theorems, lemmas, examples and tables of five papers, and says what holds.

>>> from proofs_check import check
>>> result = check("hou.thm1", max_n=2)
>>> result.verdict, result.cases
('holds', 68)
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
