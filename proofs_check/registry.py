"""The claims that exist, found by importing the modules of `proofs_check.claims`."""

from __future__ import annotations

import difflib
import fnmatch
import importlib
import pkgutil
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING

from lccmodel.errors import InputError

if TYPE_CHECKING:
    from proofs_check.claim import Claim

__all__ = ["all_claims", "get_claim", "load", "register", "select"]

_claims: dict[str, Claim] = {}
_loaded: set[str] = set()


def register(claim: Claim) -> Claim:
    """Enter a claim; the declaring decorators do it.

    Raises:
        InputError: another function has entered the id before.
    """
    known = _claims.get(claim.id)
    if known is not None and _home(known) != _home(claim):
        raise InputError("id", f"is already used in {known.module}", claim.id)
    _claims[claim.id] = claim
    return claim


def _home(claim: Claim) -> tuple[str, str]:
    return claim.module, claim.check.__qualname__


def load(modules: Iterable[str] = ()) -> None:
    """Import every module of `proofs_check.claims`, and `modules` of the user's own.

    Raises:
        InputError: a module cannot be imported.
    """
    for name in (*_own_modules(), *modules):
        if name in _loaded:
            continue
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as error:
            raise InputError("claims", f"no such module ({error})", name) from None
        _loaded.add(name)


@cache
def _own_modules() -> tuple[str, ...]:
    import proofs_check.claims as package

    found = pkgutil.iter_modules(package.__path__)
    return tuple(sorted(f"{package.__name__}.{info.name}" for info in found))


def all_claims() -> tuple[Claim, ...]:
    """Every claim by paper, module and order of declaration; amended ones follow theirs.

    >>> all_claims()[0].source.paper
    'hou'
    """
    from proofs_check.claim import PAPERS

    load()
    rank = {paper: i for i, paper in enumerate(PAPERS)}
    parents = {c.amended: c.id for c in _claims.values() if c.amended}
    position = {name: i for i, name in enumerate(_claims)}

    def key(claim: Claim) -> tuple[int, str, int, bool]:
        first = _claims.get(parents.get(claim.id, ""), claim)
        return (
            rank.get(claim.source.paper, len(rank)),
            first.module,
            position[first.id],
            claim.id in parents,
        )

    return tuple(sorted(_claims.values(), key=key))


def get_claim(id: str) -> Claim:  # noqa: A002 - it is called id everywhere
    """The claim of an id.

    Raises:
        InputError: there is none; the nearest id is suggested.

    >>> get_claim("hou.thm11")
    Traceback (most recent call last):
    ...
    lccmodel.errors.InputError: claim: no such id, did you mean hou.thm1?; got 'hou.thm11'
    """
    load()
    if id in _claims:
        return _claims[id]
    near = difflib.get_close_matches(id, _claims, n=1, cutoff=0.4)
    hint = f", did you mean {near[0]}?" if near else "; `proofs-check list` shows all"
    raise InputError("claim", f"no such id{hint}", id)


def select(patterns: Iterable[str]) -> tuple[Claim, ...]:
    """The claims that match any of the ids or shell patterns (`hou.*`), each once, in order.

    Raises:
        InputError: an id or a pattern matches nothing.
    """
    known = all_claims()
    chosen: set[str] = set()
    for pattern in patterns:
        if not any(sign in pattern for sign in "*?["):
            chosen.add(get_claim(pattern).id)
            continue
        matched = {c.id for c in known if fnmatch.fnmatchcase(c.id, pattern)}
        if not matched:
            raise InputError("claim", "the pattern matches no id", pattern)
        chosen |= matched
    return tuple(c for c in known if c.id in chosen)
