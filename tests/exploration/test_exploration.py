"""Explorations: controls, the picture of every choice, and what a page without widgets shows."""

import base64
import itertools
import math
from collections.abc import Callable
from io import BytesIO
from typing import Any

import numpy as np
import pytest
from matplotlib.image import imread

import lccmodel as lcc
from lccmodel.communication import catalog
from lccmodel.errors import InputError
from lccmodel.exploration.degrees import MAPS, even_sides
from lccmodel.exploration.exploration import EXPLORERS, SCREEN, Control, Exploration, _readout
from lccmodel.lattice.lattice import CorrectionLattice
from lccmodel.movement import Movement
from lccmodel.network import Hypercube, Mesh
from lccmodel.pipelining.degree import optimal_degree
from lccmodel.pipelining.machine import Machine
from lccmodel.pipelining.message_cost import Linear
from lccmodel.pipelining.schedules import schedule
from lccmodel.pipelining.task import Task
from lccmodel.show.view_registry import VIEWS
from lccmodel.wormhole import trace
from tests.choosing import fast_only, sampled

C, CUBE = catalog.matrix_transpose(4), Hypercube(4)


THINGS: dict[str, Callable[[], Any]] = {
    "communication": lambda: C,
    "lattice": lambda: CorrectionLattice(lcc.LCC([[1, 0, 0], [1, 1, 0], [1, 1, 0]])),
    "program": lambda: lcc.Program.of([C, catalog.bit_reverse(4)]),
    "traffic": lambda: lcc.Traffic.of(C),
    "placement": lambda: lcc.place([C, catalog.bit_reverse(4)], CUBE),
    "movement": lambda: lcc.permutations.self_route(C).movement,
    "routed": lambda: lcc.compare(C)["hl"],
    "self-routing": lambda: lcc.permutations.self_route(C),
    "certificate": lambda: Movement.of_positions(CUBE, [[0, 1], [1, 0]]).replay("all"),
    "comparison": lambda: lcc.compare(catalog.bit_reverse(3)),
    "schedule": lambda: schedule(Task(0, 3, "mesh:4x4")),
    "worms": lambda: trace(catalog.bit_reverse(3), Hypercube(3)),
    "machine": lambda: Machine("8x16", 500, 1),
    "degree": lambda: optimal_degree(Machine("4x4", 500, 1), 64),
    "envelope": lambda: lcc.collectives.envelope("reduce", Linear(9, 1), 1, 99, "mesh:4"),
}


def test_every_explorer_is_of_a_view_and_has_an_example():
    assert set(THINGS) == set(EXPLORERS) <= set(VIEWS)


@pytest.mark.parametrize("kind", sampled(THINGS, 8))
def test_every_control_changes_something_that_can_be_drawn(kind):
    shown = lcc.explore(THINGS[kind]())
    first, words = shown.png()
    assert first.startswith(b"\x89PNG")
    changed = set()
    for control in shown.controls:
        values = [control.low, control.high]
        if control.kind in ("choice", "text"):
            values = list(control.options)[-1:]
        elif control.name in ("d", "c", "N", "alpha", "tau"):  # extremes are tried below
            values = [control.value + 1]
        for value in values:
            try:
                draw, said = shown.picture(**{control.name: value})
                assert draw().axes
            except InputError as error:  # such as 2 axes and 1 dimension
                said = str(error)
            changed.add(said)
    assert changed - {words}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("thing", "values"),
    [
        (lambda: C, {}),
        (lambda: trace(catalog.bit_reverse(4), CUBE), {"cycle": 5}),
        (lambda: catalog.bit_reverse(5), {}),
        (lambda: lcc.compare(catalog.bit_reverse(4)), {}),
    ],
)
def test_a_picture_fits_a_screen_with_its_controls(thing, values):
    """Two pixels for each of the 88 per inch of a screen; 0.4 drew worms 1,938 pixels high."""
    png, _ = lcc.explore(thing()).png(**values)
    size = [int.from_bytes(png[k : k + 4]) for k in (16, 20)]
    assert all(pixels <= 176 * inches + 1 for pixels, inches in zip(size, SCREEN, strict=True))


def test_numbers_of_scales_have_no_powers_of_ten():
    """4,100 items, and no 4.1e+3; times of less than 1 keep their digits."""
    controls = {c.name: c for c in lcc.explore(Machine("8x8", 500, 1)).controls}
    assert _readout(controls["N"]) == ",.0f"
    assert _readout(controls["alpha"]) == ",.2f"
    assert _readout(Control("t", "t", 0.001, "scale", (), 1e-6, 10)) == ".3g"
    assert "N = 4,096" in lcc.explore(Machine("8x8", 500, 1)).figure().axes[0].get_title()


@pytest.mark.parametrize("kind", fast_only(["communication", "machine"], "machine"))
def test_a_page_without_widgets_shows_the_first_picture(kind):
    shown = lcc.explore(THINGS[kind]())
    bundle = shown._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html", "image/png"}
    pngs = base64.b64decode(bundle["image/png"]), shown.png()[0]
    first, again = (imread(BytesIO(png)) for png in pngs)
    assert np.abs(first - again).max() < 0.02  # edges are smoothed with rounded numbers
    assert bundle["image/png"] in bundle["text/html"]
    assert bundle["text/plain"] == repr(shown)
    assert len(repr(shown)) <= 200


@pytest.mark.parametrize("network", ["cube:3", "mesh:4x2", "torus:4x2", "fattree:2^3"])
def test_the_best_order_is_the_best_of_all(network):
    """All 6 orders, each walked message by message on the network."""
    c, on = catalog.bit_reverse(3), lcc.network.parse_network(network)
    degrees = {}
    for order in itertools.permutations(range(3)):
        # bit k of the node is bit order[k] of the rank
        node_of = [sum((x >> order[k] & 1) << k for k in range(3)) for x in range(8)]
        sent = [(node_of[x], node_of[int(c.destination(x))]) for x in range(8)]
        degrees[order] = on.channel_loads(sent).degree
    shown = lcc.explore(c)
    for order, degree in degrees.items():
        said = shown.words(network=network, order=",".join(map(str, order)))
        assert f"busiest channel {degree}, as it is {degrees[0, 1, 2]}; " in said
        assert said.endswith(f"best {min(degrees.values())}")


def test_a_message_stands_where_the_movement_has_it():
    routing = lcc.compare(C)["hl"]
    movement = routing.movement
    assert movement is not None
    shown = lcc.explore(routing)
    for step in range(movement.steps + 1):
        for message in (0, 6, 15):
            said = shown.words(step=step, message=message)
            assert said.endswith(f"stands at {movement.positions[step][message]}")


def test_what_a_machine_says_is_the_best_degree():
    shown = lcc.explore(Machine("16x16", 500, 1), N=4096)
    for changed in ({}, {"alpha": 50.0}, {"N": 100_000.0}, {"d": 6}, {"c": 1}):
        d, c = changed.get("d", 8), changed.get("c", 2)
        mesh = Mesh(even_sides(int(d), int(c)))
        machine = Machine(mesh, changed.get("alpha", 500), 1)
        best = optimal_degree(machine, int(changed.get("N", 4096)), "schedule")
        assert shown.words(**changed).startswith(f"Q = {best.Q} ({best.regime})")


@pytest.mark.parametrize("of", MAPS)
def test_maps_of_machines_are_drawn_for_every_network(of):
    shown = lcc.explore(Machine("torus:8x8", 500, 1, ports="all"), of=of)
    assert shown.figure().axes
    assert shown.figure(axes=3, bits=2).axes
    if "network" in [control.name for control in shown.controls]:
        assert shown.figure(network="mesh, one port", barrier=100).axes


@pytest.mark.parametrize(("d", "c"), [(1, 1), (10, 2), (7, 3), (3, 3), (21, 4)])
def test_sides_have_all_dimensions(d, c):
    sides = even_sides(d, c)
    assert math.prod(sides) == 1 << d
    assert max(sides) <= 2 * min(sides)


def test_own_networks_come_first():
    shown = lcc.explore(C, network=Mesh((2, 8)))
    assert shown.controls[0].value == "mesh:2x8"
    assert "cube:4" in shown.controls[0].options
    assert lcc.explore(C, network="mesh:2x8").controls == shown.controls
    shown = lcc.explore(lcc.Program.of(RING), network="torus:3x4")
    assert shown.controls[0].options == ("torus:3x4",)


def test_degenerate_things():
    """One bit; the identity, which sends nothing; a gather to one node; a torus of three axes."""
    assert lcc.explore(catalog.identity(1)).words().startswith("order 0 on cube:1")
    gather = lcc.LCC([[0, 0], [0, 0]])
    assert "busiest channel 2" in lcc.explore(gather).words(order="natural")
    deep = lcc.explore(schedule(Task(0, 5, "mesh:4x4x4")))
    assert [control.name for control in deep.controls] == ["step", "plane"]
    assert deep.figure(plane="x2 = 3")
    large = lcc.explore(catalog.bit_reverse(8))  # heat maps, no lattice
    assert large.words(order="natural").startswith("order 0,1,2,3,4,5,6,7 on cube:8")


RING = [(x, (x + 1) % 12) for x in range(12)]
MACHINE, PAPER = Machine("4x4", 1, 1), {"network": "torus, one port", "model": "paper"}


@pytest.mark.parametrize(
    ("thing", "given", "choices", "text"),
    [
        (lambda: 3, {}, {}, "thing: must be a communication, or a result"),
        (lambda: catalog.bit_reverse(15), {}, {}, "must have at most 14 bits; got 15"),
        (lambda: C, {"alpha": 3}, {}, "alpha: is not an argument here; network can be given"),
        (lambda: C, {"network": "cube:3"}, {}, "network: must have 16 nodes or more"),
        (lambda: lcc.Program.of(RING), {}, {}, "network: must be given: no .* has 12 nodes"),
        (lambda: MACHINE, {"of": "x"}, {}, "of: must be one of degree, plane"),
        (lambda: lcc.compare(catalog.bit_reverse(2))["exchange"], {}, {}, "must move"),
        (lambda: C, {}, {"order": "0,1"}, r"order: must name each of the bits 0..3"),
        (lambda: C, {}, {"order": "x"}, "order: must name every bit once"),
        (lambda: C, {}, {"network": "cube:9"}, "network: must be one of cube:4"),
        (lambda: C, {}, {"colour": 1}, 'control: must be "network" or "order"'),
        (THINGS["certificate"], {}, {"step": 9}, r"step: must be in 0..1"),
        (THINGS["certificate"], {}, {"step": 0.5}, "step: must be a whole number"),
        (lambda: MACHINE, {}, {"d": 1}, "d: must be at least the 2 axes"),
        (lambda: MACHINE, {}, PAPER, "model: must be one of load, lower-bound, schedule"),
    ],
)
def test_what_cannot_be_is_said(thing, given, choices, text):
    with pytest.raises(InputError, match=text):
        lcc.explore(thing(), **given).figure(**choices)


def test_a_heading_does_not_name_a_network_that_can_be_changed():
    """0.4: "2 communications on cube:3" stood above the picture of mesh:2x4."""
    shown = lcc.explore(lcc.place([catalog.bit_reverse(3), catalog.perfect_shuffle(3)], "cube:3"))
    assert [c.value for c in shown.controls if c.name == "network"] == ["cube:3"]
    assert shown.title == "2 communications"
    assert "on cube:3" in shown.words()


# -- widgets ----------------------------------------------------------------------------------


def widgets_of(shown: Exploration) -> tuple[dict[str, Any], Any, Any]:
    pytest.importorskip("ipywidgets", reason="the notebook extra")
    _, row, words, image = shown.widget().children
    named = {one.description: one for one in row.children if getattr(one, "description", "")}
    return named, words, image


@pytest.mark.slow
def test_widgets_draw_again_when_a_control_changes():
    named, words, image = widgets_of(lcc.explore(C))
    before = image.value
    named["network"].value = "mesh:4x4"
    assert image.value != before
    assert "on mesh:4x4" in words.value
    before = image.value
    named["order of bits"].value = "0,0,1,2"
    assert "must name each of the bits 0..3 once" in words.value
    assert image.value == before, "a value that cannot be draws nothing"
    named["order of bits"].value = "natural"
    assert "order 0,1,2,3 on mesh:4x4" in words.value


def test_scales_are_rounded_to_three_digits_inside_their_range():
    named, words, _ = widgets_of(lcc.explore(Machine("16x16", 500, 1)))
    named["N"].value = 12345.678
    assert "12,345" not in words.value
    named["N"].value = 10.0**7.8  # the slider's last step is below its end
    assert "Q = " in words.value


def test_steps_can_be_played():
    pytest.importorskip("ipywidgets", reason="the notebook extra")
    shown = lcc.explore(schedule(Task(0, 3, "mesh:4x4")))
    kinds = [type(child).__name__ for child in shown.widget().children[1].children]
    assert kinds == ["Play", "IntSlider"]
