"""Checks the theorems, lemmas, examples and tables of five papers, and says what holds.

>>> from proofs_check import check
>>> result = check("hou.thm1", max_n=2)
>>> result.verdict, result.cases
('holds', 68)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from proofs_check.registry import all_claims, get_claim, select
    from proofs_check.result import Result
    from proofs_check.runner import Options, check, run

__all__ = ["Options", "Result", "all_claims", "check", "get_claim", "run", "select"]

_HOME = {
    "Options": "runner",
    "Result": "result",
    "all_claims": "registry",
    "check": "runner",
    "get_claim": "registry",
    "run": "runner",
    "select": "registry",
}


def __getattr__(name: str) -> Any:
    """Import on first use, so that the command line starts fast."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
