"""Switch settings: what a Beneš-like network does, and how it realises a permutation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel._arguments import typed_arguments
from lccmodel._arrays import Ints
from lccmodel.communication.lcc import LCC
from lccmodel.errors import InputError, NetworkError
from lccmodel.methods.partitioned.network import BenesNetwork
from lccmodel.methods.partitioned.tree import checked_nodes
from lccmodel.movement import Movement
from lccmodel.network.hypercube import cube_of
from lccmodel.views import Viewed


@dataclass(frozen=True, eq=False)
class SwitchSettings(Viewed, view="switches"):
    """A setting of every switch of a network, and what it does.

    Args:
        network: the network.
        crossed: bool of shape (2n - 1, 2^n): whether the switch of line u in a stage is crossed;
            the two lines of a switch agree.

    Raises:
        InputError: another shape, or the lines of a switch disagree.

    >>> from lccmodel.methods import switch_settings
    >>> found = switch_settings([1, 0, 3, 2])
    >>> found.crossed.shape
    (3, 4)
    """

    network: BenesNetwork
    crossed: npt.NDArray[np.bool_]

    def __post_init__(self) -> None:
        crossed = np.array(self.crossed, dtype=bool)
        shape = (self.network.stages, 1 << self.network.n)
        if crossed.shape != shape:
            raise InputError("crossed", f"must have shape {shape}", crossed.shape)
        for stage in range(1, self.network.stages + 1):
            partner = np.arange(shape[1]) ^ 1 << self.network.paired(stage)
            row = crossed[stage - 1]
            if (row != row[partner]).any():
                u = int((row != row[partner]).argmax())
                raise InputError("crossed", "both lines of a switch cross or none", (stage, u))
        crossed.flags.writeable = False
        object.__setattr__(self, "crossed", crossed)

    @property
    def movement(self) -> Movement:
        """Where the message of every input is after each stage, as a walk on the hypercube."""
        rows = [np.arange(1 << self.network.n)]
        for stage in range(1, self.network.stages + 1):
            u = rows[-1]
            crossing = self.crossed[stage - 1][u].astype(np.int64)
            rows.append(u ^ crossing << self.network.paired(stage)[u])
        return Movement.of_positions(cube_of(len(rows[0])), np.array(rows))

    @property
    def destinations(self) -> Ints:
        """The output line of every input line, traced through the switches."""
        outputs: Ints = self.movement.positions[-1]
        return outputs


@typed_arguments
def switch_settings(
    permutation: LCC | Sequence[int] | npt.NDArray[Any], network: BenesNetwork | None = None
) -> SwitchSettings:
    """Settings that realise a permutation; in a nested network every permutation has some.

    They are found by the looping algorithm. In a mixed network it goes as far as all lines of a
    subcube choose alike; mixed subcubes of up to 16 lines are searched (`mixed`). Of 32 lines not
    every mixed network that HL makes realises every permutation (`boppana.benes.parts`).

    Args:
        permutation: an LCC, or 2^n destinations.
        network: the network; the Beneš network if left out.

    Raises:
        CommunicationError: not a permutation of 2^n lines, or a single line.
        NetworkError: the network has another number of lines; no setting of a mixed subcube
            realises what has to pass through it, or it has too many lines to try all.
        SizeLimitError: n > 16.

    >>> settings = switch_settings([3, 1, 0, 2])
    >>> settings.destinations.tolist(), settings.movement.occupancies
    ([3, 1, 0, 2], (1, 1, 1, 1))
    """
    destinations = checked_nodes(permutation)
    n = destinations.size.bit_length() - 1
    if network is None:
        network = BenesNetwork.constant(n)
    if network.n != n:
        rule = f"must have the {destinations.size} lines of the permutation"
        raise NetworkError("network", rule, network)
    if not network.is_nested:
        from lccmodel.methods.partitioned.mixed import settings_of_mixed

        return SwitchSettings(network, settings_of_mixed(network.dimensions, destinations))
    from lccmodel.methods.partitioned.looping import loop

    crossed = np.empty((network.stages, destinations.size), dtype=bool)
    loop(network.dimensions, destinations.copy(), crossed)
    return SwitchSettings(network, crossed)
