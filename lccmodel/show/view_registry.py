"""How results look: for every view that a class of results names, its table and its picture.

`lccmodel.ground.views.Viewed` finds them here by name, so that a new kind of result is an entry in
`VIEWS`: a function from the result to a `Table`, and one from the result and axes to a drawing.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from lccmodel.errors import InputError
from lccmodel.ground.views import Answer
from lccmodel.show.records import Table
from lccmodel.show.style import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class View(NamedTuple):
    """How one kind of result looks."""

    table: str
    """The module here and its function to a `Table`, such as "placement_tables:all"."""
    draw: str
    """The function from the result and axes to a drawing; of the same module if none is named."""
    size: tuple[float, float] | str = (6.4, 3.6)
    """Inches of a new figure, or the function of the same module that says them of a result."""


def table_of(view: str, result: Any) -> Table:
    """The table of a result; that of an answer has its notes, and how its input was read."""
    table: Table = _found(VIEWS[view].table)(result)
    return answered_by(result, table) if isinstance(result, Answer) else table


def answered_by(answer: Answer, table: Table) -> Table:
    """A table of an answer, with the notes of the answer before its own."""
    return replace(table, notes=(*answer.notes, *table.notes), read_as=answer.read_as)


def plot_of(view: str, result: Any, ax: Axes | None) -> Axes:
    """Draw a result on axes, new ones if there are none.

    Raises:
        InputError: `ax` is no Axes of matplotlib.
    """
    if ax is not None and not hasattr(ax, "imshow"):
        raise InputError("ax", "must be Axes of matplotlib", ax)
    how = VIEWS[view]
    here = how.table.partition(":")[0]
    if ax is None:
        size = _found(how.size, here)(result) if isinstance(how.size, str) else how.size
        ax = new_axes(*size)
    _found(how.draw, here)(result, ax)
    return ax


def _found(name: str, here: str = "") -> Callable[..., Any]:
    """The function of a name such as "writers:csv_text", or of one in the module `here`."""
    module, _, function = name.rpartition(":")
    chosen = importlib.import_module(f"lccmodel.show.{module or here}")
    view: Callable[..., Any] = getattr(chosen, function)
    return view


def new_axes(width: float, height: float) -> Axes:
    """Axes of a new figure: of pyplot's where that is loaded, so that a notebook shows it."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        figure = pyplot.figure(figsize=(width, height), layout="compressed")
    else:
        figure = new_figure(width, height, "compressed")
    axes: Axes = figure.add_subplot()
    return axes


VIEWS: Mapping[str, View] = MappingProxyType(
    {
        "communication": View("mapping_views:lcc_view", "lcc_plot", (4.0, 4.0)),
        "traffic": View("mapping_views:traffic_view", "draw_matrix", (4.6, 4.2)),
        "program": View("mapping_views:program_view", "program_plot"),
        "certificate": View("run_views:certificate_view", "certificate_plot"),
        "deadlock": View("simulation_tables:deadlock_table", "run_views:deadlock_plot", (5.0, 4.0)),
        "recognition": View(
            "communication_tables:recognised_table",
            "mapping_views:recognition_plot",
            (4.0, 4.0),
        ),
        "contention": View("placement_tables:contention_table", "mapping_views:contention_plot"),
        "busiest": View("placement_tables:channels_table", "mapping_views:busiest_plot"),
        "placement": View("placement_tables:placement_table", "mapping_views:placement_plot"),
        "split-loads": View("mapping_views:split_view", "split_plot", (6.4, 2.4)),
        "front": View("mapping_views:front_view", "front_plot", (5.6, 4.0)),
        "lattice": View("mapping_views:lattice_view", "lattice_plot", (7.4, 5.6)),
        "loads": View("mapping_views:loads_view", "loads_plot", (7.5, 5.5)),
        "comparison": View("routing_tables:comparison_table", "run_views:comparison_plot"),
        "routed": View("routing_tables:steps_table", "run_views:movement_plot"),
        "movement": View("run_views:movement_view", "movement_plot"),
        "self-routing": View("run_views:movement_view", "movement_plot"),
        "degree": View("pipelining_tables:degree_table", "run_views:degree_plot", (7.2, 4.5)),
        "schedule": View("schedule_tables:schedule_table", "run_views:schedule_plot"),
        "replay": View("run_views:replay_view", "replay_plot"),
        "machine": View("pipelining_tables:machine_table", "run_views:machine_plot"),
        "simulation": View("run_views:result_view", "result_plot", (7.5, 4.5)),
        "curve": View("simulation_tables:curve_table", "run_views:curve_plot"),
        "timed": View("simulation_tables:timed_table", "run_views:timed_plot"),
        "worms": View("worm_drawing:worms_table", "run_views:worms_plot", "size_of"),
        "orders": View("plain_views:orders_view", "orders_plot", (4.6, 5.2)),
        "exchanges": View("plain_views:exchanges_view", "exchanges_plot", (7.5, 2.6)),
        "factors": View("plain_views:factors_view", "factors_plot", (6.4, 2.6)),
        "exchange-pipeline": View("plain_views:pipeline_view", "pipeline_plot"),
        "decomposition": View("plain_views:decomposition_view", "decomposition_plot", (7.5, 3.2)),
        "mesh-plan": View("plain_views:mesh_plan_view", "run_views:movement_plot"),
        "partition-tree": View("plain_views:tree_view", "tree_plot", (7.5, 2.6)),
        "switches": View("plain_views:switches_view", "switches_plot"),
        "benes": View("plain_views:benes_view", "benes_plot"),
        "conflict": View("plain_views:conflict_view", "conflict_plot", (5.0, 2.0)),
        "circuits": View("plain_views:circuits_view", "circuits_plot", (7.5, 5.5)),
        "mesh-run": View("plain_views:mesh_run_view", "mesh_run_plot"),
        "sensitivity": View("run_views:sensitivity_view", "sensitivity_plot", (6.4, 2.4)),
        "degree-interval": View("run_views:interval_view", "interval_plot"),
        "steps-of-degrees": View("run_views:steps_of_degrees_view", "steps_of_degrees_plot"),
        "bounds": View("run_views:bounds_view", "bounds_plot", (6.4, 2.4)),
        "composition": View("run_views:composition_view", "composition_plot", (6.4, 1.8)),
        "run": View("run_views:run_view", "run_plot"),
        "exchange-run": View("exchange_tables:run_table", "run_views:run_plot"),
        "fit": View("calibration:calibration_table", "draw_times", (7.0, 4.0)),
        "measurements": View("run_views:measurements_view", "measurements_plot"),
        "machine-file": View("run_views:machine_file_view", "machine_file_plot"),
        "kept": View("collective_drawing:kept_view", "kept_plot"),
        "fault": View("collective_drawing:fault_view", "fault_plot", (6.4, 3.0)),
        "plan-front": View(
            "collective_tables:front_table", "collective_drawing:plan_front_plot", (5.6, 4.0)
        ),
        "plan-loads": View("collective_drawing:plan_loads_view", "plan_loads_plot"),
        "collective": View(
            "collective_tables:collective_table", "collective_drawing:collective_plot"
        ),
        "ranking": View(
            "collective_tables:ranking_table", "collective_drawing:ranking_plot", (6.4, 4.0)
        ),
        "envelope": View(
            "collective_tables:envelope_table", "collective_drawing:envelope_plot", (7.2, 4.6)
        ),
        "pattern": View("plain_views:pattern_view", "pattern_plot", (4.4, 4.2)),
        "sustained": View("plain_views:sustained_view", "sustained_plot", (6.4, 2.4)),
        "fft-times": View("plain_views:fft_view", "fft_plot", (6.4, 2.4)),
        "orbits": View("plain_views:orbits_view", "orbits_plot"),
        "routing-table": View("plain_views:routing_states_view", "routing_states_plot"),
    }
)
"""Every view by its name."""
