"""CALMANT: hypercube algorithms on meshes, schedules of their messages, and the pipelining degree.

    from lccmodel import pipelining

    task = pipelining.Task(0, 4, "mesh:4x4")         # exchange in dimensions 0..3 on a 4x4 mesh
    task.lower_bound                                 # no schedule has fewer steps
    pipelining.schedule(task).steps                  # the step in which every message is sent
    machine = pipelining.Machine("mesh:32x32", alpha=500, tau=1)
    pipelining.optimal_degree(machine, N=4096).Q     # into how many packets to cut a message

The pattern is fixed here - a hypercube's, on the standard embedding - and the schedule is the
unknown: [calmant]. Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lccmodel._lazy import lazy_names

if TYPE_CHECKING:
    from lccmodel.movement import Conflict as Conflict
    from lccmodel.pipelining.bounds import exchange_bounds as exchange_bounds
    from lccmodel.pipelining.compositions import Composition as Composition
    from lccmodel.pipelining.compositions import splitting as splitting
    from lccmodel.pipelining.cost.formulas import communication_time as communication_time
    from lccmodel.pipelining.cost.formulas import stationary_point as stationary_point
    from lccmodel.pipelining.cost.printed import compare_with_print as compare_with_print
    from lccmodel.pipelining.cost.printed import printed_total as printed_total
    from lccmodel.pipelining.cost.steps import MODELS as MODELS
    from lccmodel.pipelining.cost.sums import step_table as step_table
    from lccmodel.pipelining.cost.sums import total_steps as total_steps
    from lccmodel.pipelining.degree import OptimalDegree as OptimalDegree
    from lccmodel.pipelining.degree import optimal_degree as optimal_degree
    from lccmodel.pipelining.degree import time as time
    from lccmodel.pipelining.embedding import Embedding as Embedding
    from lccmodel.pipelining.embedding import average_dilation as average_dilation
    from lccmodel.pipelining.embedding import minimum_average_dilation as minimum_average_dilation
    from lccmodel.pipelining.exchange import CompleteExchange as CompleteExchange
    from lccmodel.pipelining.exchange import complete_exchange as complete_exchange
    from lccmodel.pipelining.execution import run_pipelined as run_pipelined
    from lccmodel.pipelining.fft import cube_fft as cube_fft
    from lccmodel.pipelining.grid import optimal_degrees as optimal_degrees
    from lccmodel.pipelining.grid import times as times
    from lccmodel.pipelining.machine import Machine as Machine
    from lccmodel.pipelining.message_cost import Linear as Linear
    from lccmodel.pipelining.message_cost import Piecewise as Piecewise
    from lccmodel.pipelining.methods import METHODS as METHODS
    from lccmodel.pipelining.methods import exchange_time as exchange_time
    from lccmodel.pipelining.methods import exchange_times as exchange_times
    from lccmodel.pipelining.paper_rules import paper_extra_step as paper_extra_step
    from lccmodel.pipelining.paper_rules import paper_parts as paper_parts
    from lccmodel.pipelining.paper_rules import paper_steps as paper_steps
    from lccmodel.pipelining.replays import Replay as Replay
    from lccmodel.pipelining.replays import replay as replay
    from lccmodel.pipelining.robustness import degree_interval as degree_interval
    from lccmodel.pipelining.robustness import sensitivity as sensitivity
    from lccmodel.pipelining.schedules import Schedule as Schedule
    from lccmodel.pipelining.schedules import schedule as schedule
    from lccmodel.pipelining.task import Task as Task
    from lccmodel.pipelining.transformation import PacketPlan as PacketPlan

_HOME = {
    "CompleteExchange": "lccmodel.pipelining.exchange",
    "Composition": "lccmodel.pipelining.compositions",
    "Conflict": "lccmodel.movement",
    "Embedding": "lccmodel.pipelining.embedding",
    "Linear": "lccmodel.pipelining.message_cost",
    "METHODS": "lccmodel.pipelining.methods",
    "MODELS": "lccmodel.pipelining.cost.steps",
    "Machine": "lccmodel.pipelining.machine",
    "OptimalDegree": "lccmodel.pipelining.degree",
    "PacketPlan": "lccmodel.pipelining.transformation",
    "Piecewise": "lccmodel.pipelining.message_cost",
    "Replay": "lccmodel.pipelining.replays",
    "Schedule": "lccmodel.pipelining.schedules",
    "Task": "lccmodel.pipelining.task",
    "average_dilation": "lccmodel.pipelining.embedding",
    "communication_time": "lccmodel.pipelining.cost.formulas",
    "compare_with_print": "lccmodel.pipelining.cost.printed",
    "complete_exchange": "lccmodel.pipelining.exchange",
    "cube_fft": "lccmodel.pipelining.fft",
    "degree_interval": "lccmodel.pipelining.robustness",
    "exchange_bounds": "lccmodel.pipelining.bounds",
    "exchange_time": "lccmodel.pipelining.methods",
    "exchange_times": "lccmodel.pipelining.methods",
    "minimum_average_dilation": "lccmodel.pipelining.embedding",
    "optimal_degree": "lccmodel.pipelining.degree",
    "optimal_degrees": "lccmodel.pipelining.grid",
    "paper_extra_step": "lccmodel.pipelining.paper_rules",
    "paper_parts": "lccmodel.pipelining.paper_rules",
    "paper_steps": "lccmodel.pipelining.paper_rules",
    "printed_total": "lccmodel.pipelining.cost.printed",
    "replay": "lccmodel.pipelining.replays",
    "run_pipelined": "lccmodel.pipelining.execution",
    "schedule": "lccmodel.pipelining.schedules",
    "sensitivity": "lccmodel.pipelining.robustness",
    "splitting": "lccmodel.pipelining.compositions",
    "stationary_point": "lccmodel.pipelining.cost.formulas",
    "step_table": "lccmodel.pipelining.cost.sums",
    "time": "lccmodel.pipelining.degree",
    "times": "lccmodel.pipelining.grid",
    "total_steps": "lccmodel.pipelining.cost.sums",
}

__all__ = [*_HOME]


__getattr__, __dir__ = lazy_names(__name__, _HOME)
