"""The fastest algorithm of a collective over the size, with controls for α/τ and the ports."""

from __future__ import annotations

from functools import partial

from lccmodel.collectives import Envelope, envelope
from lccmodel.collectives.steps import COLLECTIVES
from lccmodel.exploration.controls import Control
from lccmodel.exploration.exploration import Exploration, Picture
from lccmodel.pipelining.message_cost import Linear
from lccmodel.show.collective_drawing import draw_envelope


def explore_envelope(found: Envelope) -> Exploration:
    """T over the size, its crossovers moving with α/τ; times in units of τ."""
    cost = found.prices.cost
    first = cost.supports[0] if cost.supports else Linear(1000, 1)
    start = float(first.alpha / first.tau) if first.tau and first.alpha else 1000.0

    def draw(ratio: float, collective: str, ports: str) -> Picture:
        low, high = found.ends[0], found.ends[-1]
        asked = envelope(
            collective,  # type: ignore[arg-type]  # checked there
            Linear(ratio, 1),
            low,
            high,
            found.network,
            ports=ports,  # type: ignore[arg-type]  # checked there
        )
        turns = zip(asked.crossovers, asked.algorithms[1:], strict=True)
        told = [asked.algorithms[0], *(f"{name} from {float(m):,.0f}" for m, name in turns)]
        return Picture(partial(draw_envelope, asked, unit="τ"), ", ".join(told))

    controls = (
        Control("ratio", "α/τ, bytes", start, "scale", (), start / 1e3, start * 1e3),
        Control("collective", "collective", found.collective, "choice", COLLECTIVES),
        Control("ports", "ports", found.ports, "choice", ("one", "all")),
    )
    return Exploration(f"The fastest collective on {found.network.spec}", controls, draw)
