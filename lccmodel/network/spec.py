"""Networks as one word: "cube:8", "origin:5", "mesh:16x16", "torus:8x8x8"."""

from __future__ import annotations

import re

from lccmodel.errors import NetworkError
from lccmodel.network.base import Network
from lccmodel.network.bristled import BristledHypercube
from lccmodel.network.hypercube import Hypercube
from lccmodel.network.mesh import Mesh, Torus

__all__ = ["parse_network"]

_CUBES: dict[str, type[Hypercube] | type[BristledHypercube]] = {
    "cube": Hypercube,
    "hypercube": Hypercube,
    "origin": BristledHypercube,
    "bristled": BristledHypercube,
}
_GRIDS: dict[str, type[Mesh]] = {"mesh": Mesh, "torus": Torus}
_NUMBER = re.compile(r"[0-9]{1,20}")


def parse_network(text: str) -> Network:
    """Read a network from the word that `Network.spec` writes.

    Args:
        text: `cube:N` (or `hypercube:N`), `origin:N` (or `bristled:N`), `mesh:AxBx...` or
            `torus:AxBx...`; upper and lower case are the same.

    Raises:
        NetworkError: another word, a number that is not one, or a misfit of the network.
        SizeLimitError: more than 2^64 nodes.

    >>> parse_network("cube:8"), parse_network("torus:8x8x8")
    (Hypercube(8), Torus((8, 8, 8)))
    >>> parse_network("mesh:4x6")
    Traceback (most recent call last):
    ...
    lccmodel.errors.NetworkError: network mesh:4x6, shape[1]: must be a power of two; got 6
    """
    if not isinstance(text, str):
        raise NetworkError("network", "must be a word such as cube:8 or mesh:16x16", text)
    kind, colon, rest = text.strip().lower().partition(":")
    if not colon or kind not in {*_CUBES, *_GRIDS}:
        rule = "must be cube:N, origin:N, mesh:AxB or torus:AxB"
        raise NetworkError("network", rule, text)
    try:
        if kind in _CUBES:
            return _CUBES[kind](_number(rest, text, "N"))
        return _GRIDS[kind]([_number(part, text, "side length") for part in rest.split("x")])
    except NetworkError as error:
        if error.argument == "network":
            raise
        where = f"network {text.strip()}, {error.argument}"
        raise NetworkError(where, error.rule, error.value) from None


def _number(digits: str, text: str, what: str) -> int:
    if not _NUMBER.fullmatch(digits.strip()):
        raise NetworkError("network", f"{what} must be a positive integer, not {digits!r}", text)
    return int(digits)
