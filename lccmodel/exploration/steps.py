"""What moves, moment by moment: movements and routings step by step and message by message,
schedules step by step, worms cycle by cycle.
"""

from __future__ import annotations

from functools import partial
from itertools import islice, pairwise, product
from typing import TYPE_CHECKING, Any

from lccmodel.errors import InputError
from lccmodel.exploration.exploration import Control, Exploration, Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from lccmodel.movement import Certificate
    from lccmodel.movement.jumps import Jumps
    from lccmodel.permutations.comparison import Comparison
    from lccmodel.permutations.routing_result import RoutedPermutation
    from lccmodel.permutations.self_routing import SelfRouting
    from lccmodel.pipelining.schedules import Schedule
    from lccmodel.wormhole.tracing import Trace

_ALL = "all"
_MOST_NAMED = 256
"""Most messages, or planes, that a list offers."""


# -- movements --------------------------------------------------------------------------------


def explore_movement(movement: Jumps, title: str = "") -> Exploration:
    """Every step of a movement with what its channels carry, and the way of one message."""
    return Exploration(
        title or f"{movement.messages} messages on {movement.network.spec}",
        (
            Control("step", "step", min(1, movement.steps), "step", (), 0, movement.steps),
            Control("message", "message", _ALL, "choice", _messages(movement)),
        ),
        lambda step, message: _moment(movement, step, message),
    )


def explore_routed(routed: RoutedPermutation) -> Exploration:
    """The movement of one method.

    Raises:
        InputError: the method cannot route the permutation.
    """
    if routed.movement is None:
        raise InputError("routed", f"must move messages: {routed.reason}", routed.method)
    return explore_movement(routed.movement, routed.title)


def explore_self_routing(routed: SelfRouting) -> Exploration:
    """The movement of a self-routing algorithm."""
    return explore_movement(routed.movement, f"self-routing on {routed.movement.network.spec}")


def explore_certificate(certificate: Certificate) -> Exploration:
    """The movement that was replayed."""
    return explore_movement(certificate.movement)


def explore_comparison(comparison: Comparison) -> Exploration:
    """The movements of every method that can route the permutation."""
    able = {r.title: r.movement for r in comparison.values() if r.movement is not None}
    if not able:
        raise InputError("comparison", "must have a method that routes it", comparison.name)
    names, most = tuple(able), max(movement.steps for movement in able.values())

    def draw(method: str, step: int, message: Any) -> Picture:
        movement = able[method]
        return _moment(movement, min(step, movement.steps), message)

    controls = (
        Control("method", "method", names[0], "choice", names),
        Control("step", "step", min(1, most), "step", (), 0, most),
        Control("message", "message", _ALL, "choice", _messages(able[names[0]])),
    )
    return Exploration(f"methods for {comparison.name or 'a permutation'}", controls, draw)


def _messages(movement: Jumps) -> tuple[Any, ...]:
    return (_ALL, *range(min(_MOST_NAMED, movement.messages)))


def _moment(movement: Jumps, step: int, message: Any) -> Picture:
    """What every channel carries in a step, or in step 0 that nothing has moved yet."""
    words = f"step {step} of {movement.steps}: " + (
        f"{movement.moves[step - 1]} messages move, load {movement.loads[step - 1]}, "
        f"occupancy {movement.occupancies[step]}"
        if step
        else "every message is where it starts"
    )
    draw = partial(_draw_moment, movement, step, message, words)
    if message != _ALL:
        here, end = int(movement.positions[step][message]), int(movement.ends[message])
        words += f"; message {int(movement.starts[message])} to {end} stands at {here}"
    return Picture(draw, words)


def _draw_moment(movement: Jumps, step: int, message: Any, title: str) -> Figure:
    from lccmodel.network import ChannelLoads
    from lccmodel.show.animation import step_loads
    from lccmodel.show.drawing import draw_loads, draw_network
    from lccmodel.show.network_artists import LoadScale, draw_nodes, figure_of
    from lccmodel.show.node_positions import is_readable, node_positions

    network, use = movement.network, movement.channel_use
    loads = step_loads(movement, step - 1) if step else ChannelLoads(network, 0 * use.counts)
    scale = LoadScale(1, max(movement.loads, default=1))
    if not is_readable(network):
        figure = draw_loads(loads, title="", scale=scale)
    else:
        figure = draw_network(network, loads, title="", scale=scale, legend=False)
        if message != _ALL:
            here, end = int(movement.positions[step][message]), int(movement.ends[message])
            _draw_way(figure.axes[0], movement, message, step)
            draw_nodes(figure.axes[0], node_positions(network), ends=(here, end))
    figure.axes[0].set_title(title, fontsize=10)
    return figure_of(figure.axes[0])


def _draw_way(axes: Axes, movement: Jumps, message: int, step: int) -> None:
    """The channels that a message has taken so far; thin, those still to come."""
    from lccmodel.movement import Movement
    from lccmodel.show.network_artists import draw_channel
    from lccmodel.show.node_positions import node_positions

    network, where = movement.network, node_positions(movement.network)
    end = int(movement.first[step])
    jumps = movement.message[:end], movement.target[:end]
    so_far = Movement(
        network, movement.starts, movement.first[: step + 1], *jumps, movement.ties
    ).path(message)
    for k, channel in enumerate(pairwise(movement.path(message))):
        if min(channel) >= network.first_router:  # else a step between a node and its router
            draw_channel(axes, where, channel, width=2.6 if k < len(so_far) - 1 else 1.0)


# -- schedules --------------------------------------------------------------------------------


def explore_schedule(schedule: Schedule) -> Exploration:
    """Every step of a schedule; on three axes or more, plane by plane.

    Raises:
        InputError: a schedule without steps.
    """
    from lccmodel.show.schedule_drawing import draw_step, task_words

    if not schedule.length:
        raise InputError("schedule", "must have a step to show", schedule)
    planes = _planes(schedule.task.mesh.shape)

    def draw(step: int, plane: str = "") -> Picture:
        drawn = partial(draw_step, schedule, step, plane=planes.get(plane))
        count = len(schedule.messages(step))
        return Picture(drawn, f"step {step}, {step + 1} of {schedule.length}: {count} messages")

    controls = [Control("step", "step", 0, "step", (), 0, schedule.length - 1)]
    if planes:
        controls.append(Control("plane", "plane", next(iter(planes)), "choice", tuple(planes)))
    return Exploration(task_words(schedule.task), tuple(controls), draw)


def _planes(shape: tuple[int, ...]) -> dict[str, dict[int, int]]:
    """The planes of axes 0 and 1 of a mesh of more axes, by their coordinates."""
    if len(shape) < 3:
        return {}
    places = product(*(range(side) for side in shape[2:]))
    choices = (dict(enumerate(place, start=2)) for place in places)
    return {
        ", ".join(f"x{axis} = {x}" for axis, x in fixed.items()): fixed
        for fixed in islice(choices, _MOST_NAMED)
    }


# -- worms ------------------------------------------------------------------------------------


def explore_worms(trace: Trace) -> Exploration:
    """Every cycle of worms: the channels that they hold, on the network and in the chart."""
    from lccmodel.show.worm_drawing import draw_worms_at

    def draw(cycle: int) -> Picture:
        held = {int(m) for m in trace.holder[cycle - 1] if m >= 0}
        arrived = sum(w.delivered is not None and w.delivered <= cycle for w in trace.worms)
        words = (
            f"cycle {cycle} of {trace.cycles}: {len(held)} messages on their way, "
            f"{sum(cycle in worm.blocked for worm in trace.worms)} headers wait, "
            f"{arrived} of {len(trace.worms)} delivered"
        )
        return Picture(partial(draw_worms_at, trace, cycle), words)

    control = Control("cycle", "cycle", 1, "step", (), 1, trace.cycles)
    return Exploration(f"{trace.routing} on {trace.network.spec}", (control,), draw)
