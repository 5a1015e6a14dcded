"""A counterexample drawn on its network: every path that it lists, every channel with its load.

    result = proofs_check.check("hou.thm5")
    draw_counterexample(result)

Where the details hold no paths, e-cube routing of the case's matrices and vectors is drawn, with
b = 0 where the claim is about the matrix alone.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from lccmodel.communication.lcc import LCC
from lccmodel.errors import InputError
from lccmodel.network import BristledHypercube, ChannelLoads, Hypercube, Network
from proofs_check.walk import route

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from proofs_check.claim import Claim
    from proofs_check.result import Counterexample, Result

_CAPTION_WIDTH = 48

Path = Sequence[int]


def is_drawable(result: Result) -> bool:
    """Whether a result has a counterexample with messages on a network; a count has none."""
    try:
        counterexample_loads(result)
    except InputError:
        return False
    return True


def draw_counterexample(result: Result, *, ax: Axes | None = None) -> Figure:
    """Draw the smallest counterexample of a result on its hypercube or bristled hypercube.

    Args:
        result: one whose claim, or whose print, has a counterexample.
        ax: where to draw; a new figure if left out.

    Raises:
        InputError: the result has no counterexample, or one without messages (a count, a table).
        SizeLimitError: the network has too many nodes for a drawing.
    """
    from lccmodel.show.drawing import draw_network

    loads = counterexample_loads(result)
    counterexample = _counterexample(result)
    title, caption = f"{result.claim.id} at n = {counterexample.n}", _caption(counterexample)
    if not loads.total:
        title += ": no channel is used"
    if ax is not None:
        wrapped = textwrap.fill(caption, _CAPTION_WIDTH, break_long_words=False)
        return draw_network(loads.network, loads, ax=ax, title=f"{title}\n{wrapped}", legend=False)
    figure = draw_network(loads.network, loads, title="")
    figure.suptitle(title)
    figure.supxlabel(caption, fontsize=9)
    return figure


def counterexample_network(claim: Claim, n: int) -> Network:
    """The network of a claim: section 7 of [hou] is about the Origin 2000, the rest about cubes."""
    if claim.source.paper == "hou" and claim.source.place.startswith("Section 7"):
        return BristledHypercube(n)
    return Hypercube(n)


def counterexample_loads(result: Result) -> ChannelLoads:
    """Messages on every channel, counted along the paths of the counterexample.

    Raises:
        InputError: no counterexample, or one without messages.
    """
    counterexample = _counterexample(result)
    network = counterexample_network(result.claim, counterexample.n)
    counts = np.zeros(network.counter_shape, dtype=np.int64)
    for path in _paths(counterexample):
        for u, v in pairwise(path):
            bit = (u ^ v).bit_length() - 1
            if bit >= network.internal_bits:  # a bit inside the router uses no channel
                counts[bit, u >> network.internal_bits] += 1
    return ChannelLoads(network, counts)


def _counterexample(result: Result) -> Counterexample:
    if result.counterexample is None:
        rule = "must have a counterexample"
        raise InputError("result", rule, f"{result.claim.id} {result.verdict}")
    return result.counterexample


def _paths(counterexample: Counterexample) -> Sequence[Path]:
    listed = counterexample.details.get("paths")
    if listed:
        return [path for path in listed if path]
    named = [
        name for name in counterexample.case if name.startswith("A")
    ]  # A, or A1 and A2 of a set
    if not named:
        rule = "must be about messages on a network to be drawn"
        raise InputError("counterexample", rule, counterexample.text)
    still = [0] * counterexample.n
    sets = (LCC(counterexample.case[A], counterexample.case.get(f"b{A[1:]}", still)) for A in named)
    return [route(int(x), int(y), range(counterexample.n)) for c in sets for x, y in c.pairs()]


def _caption(counterexample: Counterexample) -> str:
    shown = [f"{name} = {value}" for name, value in counterexample.case.items()]
    shown += [f"T = {counterexample.details['T']}"] if "T" in counterexample.details else []
    return ", ".join(shown)
