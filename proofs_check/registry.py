"""The claims that exist, found by importing the modules of `proofs_check.claims`."""

from __future__ import annotations

import difflib
import fnmatch
import importlib
import pkgutil
import re
import sys
from collections.abc import Iterable
from functools import cache

from lccmodel.errors import InputError
from proofs_check import claim as declared
from proofs_check.claim import Claim
from proofs_check.kept import kept_records
from proofs_check.statement import PAPERS

_loaded: set[str] = set()


def load(modules: Iterable[str] = ()) -> None:
    """Import every module of `proofs_check.claims`, and `modules` of the user's own.

    Raises:
        InputError: a module cannot be imported, or declares no claim.
    """
    modules = tuple(name.removesuffix(".py") for name in modules)
    for name in (*_own_modules(), *modules):
        if name in _loaded:
            continue
        is_new, before = name not in sys.modules, len(declared.registered)
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as error:
            raise InputError("claims", f"no such module ({error})", name) from None
        except SyntaxError as error:
            raise InputError("claims", "must be a module of Python", str(error)) from None
        except SystemExit as error:
            raise InputError("claims", f"ends the process ({error!r})", name) from None
        if name in modules and is_new and len(declared.registered) == before:
            raise InputError("claims", "must be a module that declares claims", name)
        _loaded.add(name)


@cache
def _own_modules() -> tuple[str, ...]:
    import proofs_check.claims as package

    modules = pkgutil.iter_modules(package.__path__)
    return tuple(sorted(f"{package.__name__}.{info.name}" for info in modules))


def all_claims() -> tuple[Claim, ...]:
    """Every claim by paper, in the order of the records that ship; amended ones follow theirs.

    Claims without a record come behind, by module and order of declaration.

    >>> all_claims()[0].source.paper
    'hou'
    """
    load()
    rank = {paper: i for i, paper in enumerate(PAPERS)}
    shipped = {id: i for i, id in enumerate(kept_records())}
    parents = {c.amended: c.id for c in declared.registered.values() if c.amended}
    position = {name: i for i, name in enumerate(declared.registered)}

    def key(claim: Claim) -> tuple[int, int, str, int, bool]:
        first = declared.registered.get(parents.get(claim.id, ""), claim)
        return (
            rank.get(claim.source.paper, len(rank)),
            shipped.get(first.id, len(shipped)),
            first.module,
            position[first.id],
            claim.id in parents,
        )

    return tuple(sorted(declared.registered.values(), key=key))


def get_claim(id: str) -> Claim:
    """The claim of an id.

    Raises:
        InputError: there is none; the nearest id is suggested.

    >>> get_claim("hou.thm11")
    Traceback (most recent call last):
    ...
    lccmodel.errors.InputError: claim: no such id, did you mean hou.thm1?; got 'hou.thm11'
    """
    load()
    if id in declared.registered:
        return declared.registered[id]
    near = difflib.get_close_matches(id, declared.registered, n=1, cutoff=0.4)
    hint = f", did you mean {near[0]}?" if near else "; `proofs-check list` shows all"
    raise InputError("claim", f"no such id{hint}", id)


def select(patterns: Iterable[str]) -> tuple[Claim, ...]:
    """The claims that match any of the ids, shell patterns (`hou.*`) or words, each once, in order.

    Words are a kind and a number as the papers have them: `theorem3` finds that of every paper,
    `hou.theorem3` that of one, with the parts that have a name of their own.

    Raises:
        InputError: an id or a pattern matches nothing.

    >>> [claim.id for claim in select(["hou.lem3.2*"])]
    ['hou.lem3.2', 'hou.lem3.2.amended']
    >>> [claim.id for claim in select(["Theorem 3"])]
    ['hou.thm3', 'calmant.thm3', 'calmant.thm3.proof', 'edelman.thm3.1', 'edelman.thm3.1.unique']
    """
    known = all_claims()
    chosen: set[str] = set()
    for pattern in patterns:
        if pattern not in declared.registered and (named := _named(pattern, known)):
            chosen |= named
            continue
        if not any(sign in pattern for sign in "*?["):
            chosen.add(get_claim(pattern).id)
            continue
        matched = {c.id for c in known if fnmatch.fnmatchcase(c.id, pattern)}
        if not matched:
            raise InputError("claim", "the pattern matches no id", pattern)
        chosen |= matched
    return tuple(c for c in known if c.id in chosen)


_KINDS = {
    "theorem": "thm",
    "lemma": "lem",
    "corollary": "cor",
    "example": "ex",
    "property": "prop",
    "figure": "fig",
    "table": "tab",
    "equation": "eq",
    "section": "sec",
    "definition": "def",
    "claim": "claim",
}
_WORDS = re.compile(rf"(?:(\w+)\.)?({'|'.join(_KINDS)})\s*([\d.]+)", re.IGNORECASE)


def _named(words: str, known: Iterable[Claim]) -> set[str]:
    """The ids that a kind and a number stand for, e.g. "theorem3"; none if it is no such name."""
    match = _WORDS.fullmatch(words.strip())
    if match is None:
        return set()
    paper, kind, number = match.groups()
    name = _KINDS[kind.lower()] + number
    return {
        claim.id
        for claim in known
        if paper in (None, claim.source.paper)
        and f"{claim.id.partition('.')[2]}.".startswith(f"{name}.")
    }
