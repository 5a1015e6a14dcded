"""Orders, networks and placements with the loads that they make.

An order says which old address bit becomes bit 0, 1, ... of a processor. On a hypercube messages
then correct the old bits in that order, which is a path in the correction lattice: its steps carry
the loads of the channels.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from lccmodel.communication.destinations import checked_order
from lccmodel.errors import InputError, SizeLimitError
from lccmodel.exploration.exploration import SCREEN, Control, Exploration, Picture
from lccmodel.network import Network, as_network, parse_network
from lccmodel.problem import Problem

if TYPE_CHECKING:
    from lccmodel.communication.lcc import LCC
    from lccmodel.communication.program import Program
    from lccmodel.lattice.lattice import CorrectionLattice
    from lccmodel.network import ChannelLoads
    from lccmodel.placement.placement_result import Placement

MAX_BITS = 14
"""Most address bits of a communication whose messages are walked for every choice."""

_ALL = "all phases"


# -- one communication ------------------------------------------------------------------------


def explore_communication(c: LCC, network: Any = None) -> Exploration:
    """Order and network of a communication: loads before and after, and the path in the lattice."""
    return _explore_orders(c, _words(c.n, network), "best")


def explore_placement(placement: Placement) -> Exploration:
    """A renaming from its order on, one communication at a time; else phases before and after."""
    if placement.Q is None:
        return _explore_places(
            placement.program, (placement.network.spec,), lambda _: placement.node_of
        )
    order = ",".join(map(str, placement.order)) if placement.order else "natural"
    words = _words(placement.network.n, placement.network)
    if len(placement.communications) == 1:
        return _explore_orders(placement.communications[0], words, order)
    several = {
        f"{k}: {c.name or 'communication'}": _explore_orders(c, words, order)
        for k, c in enumerate(placement.communications)
    }
    names = tuple(several)
    which = Control("communication", "communication", names[0], "choice", names)
    controls = (which, *several[names[0]].controls)
    title = f"{len(names)} communications"
    return Exploration(title, controls, lambda communication, **v: several[communication].draw(**v))


def _explore_orders(c: LCC, words: tuple[str, ...], order: str) -> Exploration:
    if c.n > MAX_BITS:
        raise SizeLimitError("communication", f"must have at most {MAX_BITS} bits", c.n)

    @cache
    def best(word: str) -> tuple[int, ...]:
        from lccmodel.placement.search.solve import place

        asked = Problem.read(c, word)
        return place(asked, over="orders").order or tuple(range(c.n))

    def draw(network: str, order: str) -> Picture:
        on = parse_network(network)
        chosen = _order_of(order, c.n, lambda: best(network))
        before, after, least = (
            on.channel_loads(c.reordered(bits)) for bits in (range(c.n), chosen, best(network))
        )
        text = (
            f"order {','.join(map(str, chosen))} on {network}: busiest channel {after.degree}, "
            f"as it is {before.degree}; best {least.degree}"
        )
        return Picture(partial(_three, c, on, before, after, chosen), text)

    controls = (
        Control("network", "network", words[0], "choice", words),
        Control("order", "order of bits", order, "text", (*_NAMED, ",".join(map(str, range(c.n))))),
    )
    return Exploration(c.name or "communication", controls, draw)


def explore_lattice(lattice: CorrectionLattice) -> Exploration:
    """Paths in a correction lattice."""
    from lccmodel.show.lattice_drawing import draw_lattice

    bits = lattice.external

    def draw(order: str) -> Picture:
        path = _digits(order)
        loads = lattice.loads(path)
        largest = max(loads, default=0)
        words = f"loads {', '.join(map(str, loads))}; largest {largest}"
        return Picture(partial(draw_lattice, lattice, path), words)

    suggested = tuple(",".join(map(str, bit_order)) for bit_order in (bits, bits[::-1]))
    control = Control("order", "order of bits", suggested[0], "text", suggested)
    name = lattice.communication.name or "communication"
    return Exploration(f"correction lattice of {name}", (control,), draw)


# -- programs ---------------------------------------------------------------------------------


def explore_program(program: Any, network: Any = None) -> Exploration:
    """A program on networks, with ranks in order and as `place` puts them, phase by phase."""
    from lccmodel.communication.program import Program
    from lccmodel.placement.search import place

    sent = Program.of(program)
    words = _words(sent.ranks.bit_length() - 1, network, exact=sent.ranks)

    @cache
    def placed(word: str) -> Any:
        return place(sent, parse_network(word), seconds=1).node_of

    return _explore_places(sent, words, placed)


def _explore_places(program: Program, words: tuple[str, ...], placed: Any) -> Exploration:
    names = [f"{k}: {phase.name or 'phase'}" for k, phase in enumerate(program.phases)]

    def draw(network: str, phase: str) -> Picture:
        from lccmodel.show.drawing import counted_in, draw_before_after
        from lccmodel.show.phase_loads import WORDS, loads_together

        on = parse_network(network)
        chosen = program.phases if phase == _ALL else program.phases[names.index(phase) :][:1]
        sent = [shown_phase.traffic for shown_phase in chosen]
        before, after = (
            loads_together(
                [on.channel_loads(traffic, node_of=node) for traffic in sent],
                [shown_phase.weight for shown_phase in chosen],
                "largest",
            )
            for node in (None, placed(network))
        )
        text = f"{phase} on {network}: busiest channel {before.degree}, placed {after.degree}"
        name = WORDS["largest"] if len(sent) > 1 else ""
        how: dict[str, Any] = {"titles": ("in order", "placed"), "name": name}
        how["counted"] = counted_in(sent)
        drawn = partial(draw_before_after, on, before, after, **how)
        return Picture(drawn, text)

    phases = (_ALL, *names)
    controls = (
        Control("network", "network", words[0], "choice", words),
        Control("phase", "phase", _ALL, "choice", phases),
    )
    return Exploration(f"{len(names)} phases of {program.ranks} ranks", controls, draw)


# -- parts ------------------------------------------------------------------------------------

_NAMED = ("best", "natural", "reversed")


def _order_of(text: str, n: int, best: Any) -> tuple[int, ...]:
    """The order that a person wrote: a word, or every bit once.

    Raises:
        InputError: something else.
    """
    word = text.strip().lower()
    if word in _NAMED:
        places = {"natural": range(n), "reversed": range(n - 1, -1, -1)}
        return tuple(places[word] if word in places else best())
    return checked_order(_digits(text), n)


def _digits(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.replace(",", " ").split())
    except ValueError:
        rule = "must name every bit once, as in 2,0,1"
        raise InputError("order", rule, text) from None


def _words(n: int, network: Any, exact: int | None = None) -> tuple[str, ...]:
    """The networks to choose from, the given one first."""
    size = 1 << n if exact is None else exact
    sides = f"{1 << (n + 1) // 2}x{1 << n // 2}"
    offered = [f"cube:{n}", *([f"origin:{n}"] if n > 1 else []), f"mesh:{sides}", f"torus:{sides}"]
    offered += [f"fattree:2^{n}"]
    fitting = [word for word in offered if n and parse_network(word).size == size]
    if network is None and not fitting:
        raise InputError("network", f"must be given: no usual network has {size} nodes", network)
    if network is not None:
        stated = as_network(network)
        if stated.size < size:
            raise InputError("network", f"must have {size} nodes or more", stated.spec)
        fitting = [stated.spec, *(word for word in fitting if word != stated.spec)]
    return tuple(fitting)


def _three(
    c: LCC, network: Network, before: ChannelLoads, after: ChannelLoads, order: Sequence[int]
) -> Any:
    """Loads as they are and in the order, and the path in the lattice, where it is one.

    The three stand side by side; a lattice of five bits is as wide as the screen, and below.
    """
    from lccmodel.lattice.lattice import CorrectionLattice
    from lccmodel.show.drawing import draw_loads, draw_network
    from lccmodel.show.lattice_drawing import MAX_DRAWN_BITS, draw_lattice
    from lccmodel.show.mapping_views import BUSIEST, bars
    from lccmodel.show.network_artists import LoadScale
    from lccmodel.show.node_positions import is_readable
    from lccmodel.show.style import new_figure

    figure = new_figure(*SCREEN) if c.n >= MAX_DRAWN_BITS else new_figure(SCREEN[0], 4.6)
    if c.n >= MAX_DRAWN_BITS:
        parts = figure.add_gridspec(2, 1, height_ratios=(1, 2))
    else:
        parts = figure.add_gridspec(1, 2, width_ratios=(2, 1))
    above, below = figure.add_subfigure(parts[0]), figure.add_subfigure(parts[1])
    scale = LoadScale.of(before, after)
    titles = ("as it is", f"order {','.join(map(str, order))}")
    for axes, loads, name in zip(above.subplots(1, 2), (before, after), titles, strict=True):
        text = f"{name}: busiest channel {loads.degree}"
        if is_readable(network):
            draw_network(network, loads, ax=axes, title=text, scale=scale, legend=False)
        else:
            draw_loads(loads, ax=axes, title=text, scale=scale, colorbar=False)
    on_cube = network.geometry.is_cube_or_origin
    internal = (order[0],) if on_cube and network.geometry.per_router == 2 else ()
    axes = below.subplots()
    if on_cube and c.n - len(internal) <= MAX_DRAWN_BITS:
        draw_lattice(CorrectionLattice(c, internal), order[len(internal) :], ax=axes)
    else:
        several = {"as it is": before.per_dimension, "in this order": after.per_dimension}
        bars(axes, several, "dimension, axis or level", BUSIEST)
    return figure
