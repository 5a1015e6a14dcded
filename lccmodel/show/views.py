"""How results look: for every view that a class of results names, its table and its picture.

`lccmodel.views.Viewed` finds them here by name, so that a new kind of result is an entry in
`VIEWS`: a function from the result to a `Table`, and one from the result and axes to a drawing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from lccmodel.errors import InputError
from lccmodel.show import answers
from lccmodel.show import collective_views as collective
from lccmodel.show import factor_views as parts
from lccmodel.show import mapping_views as of
from lccmodel.show import pipelining_views as pipelining
from lccmodel.show import plain_views as plain
from lccmodel.show import run_views as run
from lccmodel.show.placements import placement_table
from lccmodel.show.records import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["new_axes", "plot_of", "table_of"]


class View(NamedTuple):
    """How one kind of result looks."""

    table: Callable[[Any], Table]
    draw: Callable[[Any, Axes], object]
    size: tuple[float, float] | Callable[[Any], tuple[float, float]] = (6.4, 3.6)
    """Inches of a new figure; some results need more the larger they are."""


def table_of(view: str, result: Any) -> Table:
    """The table of a result."""
    return VIEWS[view].table(result)


def plot_of(view: str, result: Any, ax: Axes | None) -> Axes:
    """Draw a result on axes, new ones if there are none.

    Raises:
        InputError: `ax` is no Axes of matplotlib.
    """
    if ax is not None and not hasattr(ax, "imshow"):
        raise InputError("ax", "must be Axes of matplotlib", ax)
    how = VIEWS[view]
    if ax is None:
        ax = new_axes(*(how.size(result) if callable(how.size) else how.size))
    how.draw(result, ax)
    return ax


def new_axes(width: float, height: float) -> Axes:
    """Axes of a new figure: of pyplot's where that is loaded, so that a notebook shows it."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        figure = pyplot.figure(figsize=(width, height), layout="compressed")
    else:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(width, height), layout="compressed")
    axes: Axes = figure.add_subplot()
    return axes


VIEWS: Mapping[str, View] = MappingProxyType(
    {
        "communication": View(of.lcc_view, of.lcc_plot, (4.0, 4.0)),
        "traffic": View(of.traffic_view, of.draw_matrix, (4.6, 4.2)),
        "program": View(of.program_view, of.program_plot),
        "certificate": View(run.certificate_view, run.certificate_plot),
        "deadlock": View(run.deadlock_view, run.deadlock_plot, (5.0, 4.0)),
        "recognition": View(of.recognition_view, of.recognition_plot, (4.0, 4.0)),
        "contention": View(answers.contention_table, of.contention_plot),
        "placement": View(placement_table, of.placement_plot),
        "lattice": View(of.lattice_view, of.lattice_plot, (7.4, 5.6)),
        "loads": View(of.loads_view, of.loads_plot, (7.5, 5.5)),
        "comparison": View(run.comparison_view, run.comparison_plot),
        "routed": View(
            run.routing_view, lambda found, axes: run.movement_plot(found.movement, axes)
        ),
        "movement": View(run.movement_view, run.movement_plot),
        "self-routing": View(
            lambda found: run.movement_view(found.movement),
            lambda found, axes: run.movement_plot(found.movement, axes),
        ),
        "degree": View(run.degree_view, run.degree_plot, (7.2, 4.5)),
        "schedule": View(run.schedule_view, run.schedule_plot),
        "replay": View(run.replay_view, run.replay_plot),
        "machine": View(run.machine_view, run.machine_plot),
        "simulation": View(run.result_view, run.result_plot, (7.5, 4.5)),
        "curve": View(run.curve_view, run.curve_plot),
        "timed": View(run.timed_view, run.timed_plot),
        "worms": View(run.worms_view, run.worms_plot, run.worms_size),
        "orders": View(parts.orders_view, parts.orders_plot, (4.6, 5.2)),
        "exchanges": View(parts.exchanges_view, parts.exchanges_plot, (7.5, 2.6)),
        "factors": View(parts.factors_view, parts.factors_plot, (6.4, 2.6)),
        "exchange-pipeline": View(parts.pipeline_view, parts.pipeline_plot),
        "decomposition": View(parts.decomposition_view, parts.decomposition_plot, (8.0, 2.2)),
        "mesh-plan": View(
            parts.mesh_plan_view, lambda found, axes: run.movement_plot(found.movement, axes)
        ),
        "partition-tree": View(parts.tree_view, parts.tree_plot, (7.5, 2.6)),
        "switches": View(parts.switches_view, parts.switches_plot),
        "benes": View(parts.benes_view, parts.benes_plot),
        "conflict": View(plain.conflict_view, plain.conflict_plot, (5.0, 2.0)),
        "circuits": View(plain.circuits_view, plain.circuits_plot, (7.5, 5.5)),
        "mesh-run": View(plain.mesh_run_view, plain.mesh_run_plot),
        "sensitivity": View(pipelining.sensitivity_view, pipelining.sensitivity_plot, (6.4, 2.4)),
        "degree-interval": View(pipelining.interval_view, pipelining.interval_plot),
        "steps-of-degrees": View(
            pipelining.steps_of_degrees_view, pipelining.steps_of_degrees_plot
        ),
        "bounds": View(pipelining.bounds_view, pipelining.bounds_plot, (6.4, 2.4)),
        "composition": View(pipelining.composition_view, pipelining.composition_plot, (6.4, 1.8)),
        "run": View(pipelining.run_view, pipelining.run_plot),
        "exchange-run": View(
            pipelining.exchange_run_view, lambda found, axes: pipelining.run_plot(found.run, axes)
        ),
        "fit": View(pipelining.fit_view, pipelining.fit_plot, (7.0, 4.0)),
        "measurements": View(pipelining.measurements_view, pipelining.measurements_plot),
        "machine-file": View(pipelining.machine_file_view, pipelining.machine_file_plot),
        "kept": View(collective.kept_view, collective.kept_plot),
        "fault": View(collective.fault_view, collective.fault_plot, (6.4, 3.0)),
        "plan-loads": View(collective.plan_loads_view, collective.plan_loads_plot),
        "collective": View(collective.collective_view, collective.collective_plot),
        "ranking": View(collective.ranking_view, collective.ranking_plot, (6.4, 4.0)),
        "envelope": View(collective.envelope_view, collective.envelope_plot, (7.2, 4.6)),
        "pattern": View(plain.pattern_view, plain.pattern_plot, (4.4, 4.2)),
        "sustained": View(plain.sustained_view, plain.sustained_plot, (6.4, 2.4)),
        "fft-times": View(plain.fft_view, plain.fft_plot, (6.4, 2.4)),
        "orbits": View(plain.orbits_view, plain.orbits_plot),
        "routing-table": View(plain.routing_states_view, plain.routing_states_plot),
    }
)
"""Every view by its name."""
