"""From a family and a network word to formulas: the entry points of the derivations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lccmodel.communication.patterns import is_pattern_word
from lccmodel.errors import CommunicationError, InputError
from lccmodel.ground.arguments import typed_arguments
from lccmodel.symbolic.cases import by_cases
from lccmodel.symbolic.catalogue import family
from lccmodel.symbolic.contention_formula import ContentionFormula, network_kind
from lccmodel.symbolic.counting import walked_cube
from lccmodel.symbolic.exponents import derive
from lccmodel.symbolic.families import Family
from lccmodel.symbolic.mesh import MeshContentionFormula, mesh_contention
from lccmodel.symbolic.pattern_formula import PatternFormula, pattern_contention
from lccmodel.symbolic.translation import TranslationFormula
from lccmodel.symbols import symbols


@typed_arguments
def contention(
    communication: Family | str, network: str = "cube"
) -> ContentionFormula | MeshContentionFormula | PatternFormula:
    """Derive the contention of a family or a traffic pattern for every n.

    Args:
        communication: a `Family`, a catalogue word with its parameters left open, or "uniform",
            "neighbor" or "tornado".
        network: "cube" or "origin" of the family's number of address bits, which may be stated,
            "cube:n"; or a mesh or torus of two sides, "mesh:2^a x 2^b" with b = n - a.

    Raises:
        CommunicationError: no rule proves this family; the message has what was counted. Or a
            pattern without a formula in n: hotspot, randperm.
        NetworkError: another network, or another number of address bits.

    >>> contention("bit-reverse").degree
    Piecewise((0, n <= 1), (2**(floor(n/2) - 1), True))
    """
    if isinstance(communication, str) and is_pattern_word(communication):
        return pattern_contention(communication, network)
    chosen = family(communication) if isinstance(communication, str) else communication
    if network.startswith(("mesh", "torus")):
        return mesh_contention(chosen, network)
    kind = network_kind(network, chosen)
    internal = kind == "origin"
    if chosen.vector is not None:
        return TranslationFormula(chosen, kind, (), ("R1", "R5") if internal else ("R1",))
    try:
        cases = by_cases(
            chosen.where, chosen.parameters, lambda case: derive(chosen, case, internal)
        )
    except CommunicationError as error:
        counted = counted_table(chosen, internal)
        rule = f"no rule proves this family: {error.rule}; counted for n <= 6: {counted}"
        raise CommunicationError("family", rule, chosen.name) from error
    rules = ["R1"]
    rules += ["R2"] if chosen.lower or chosen.upper else []
    rules += ["R3"] if chosen.sums_from_0 else []
    rules += ["R9"] if chosen.is_scatter else []
    rules += ["R4"] if " + " in chosen.name else []
    rules += ["R5"] if internal else []
    return ContentionFormula(chosen, kind, tuple(cases), (*rules, "R6", "R6b"))


@typed_arguments
def total_time(
    communications: Sequence[Family | str],
    network: str = "cube",
    volumes: Sequence[Any] | None = None,
) -> Any:
    """Return the time of several communications, one after the other, as a formula.

    Each takes alpha + v m tau T: a start-up, and the size v m of a message for every message on
    its busiest channel, T being the contention degree.

    Args:
        communications: families or catalogue words.
        network: as for `contention`.
        volumes: v of each communication, 1 if left out.

    Raises:
        InputError: other numbers of volumes than communications, or volumes below 0.

    >>> total_time(["perfect-shuffle", "vector-reversal"], volumes=[1, 2])
    2*alpha + 3*m*tau
    """
    import sympy

    sizes = [1] * len(communications) if volumes is None else list(volumes)
    if not len(communications):  # an array has no truth value
        raise InputError("communications", "must be at least one", communications)
    if len(sizes) != len(communications):
        rule = f"must be {len(communications)}, one for each communication"
        raise InputError("volumes", rule, volumes)
    alpha, tau, m = symbols("alpha tau m")
    total = sympy.Integer(0)
    for chosen, volume in zip(communications, sizes, strict=True):
        total += alpha + symbols["m"].checked(volume) * m * tau * contention(chosen, network).degree
    return total


def counted_table(family: Family, internal: bool, n: int = 6) -> str:
    """The degrees of the members of at most n bits, walked, as a text."""
    texts = []
    for values in family.members(n):
        degree = max(walked_cube(family.at(**values), internal), default=0)
        texts.append(f"{', '.join(f'{k} = {v}' for k, v in values.items())}: {degree}")
    return "; ".join(texts[-8:])
