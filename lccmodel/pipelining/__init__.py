"""CALMANT: hypercube algorithms on meshes, schedules of their messages, and the pipelining degree.

    from lccmodel import pipelining

    task = pipelining.Task(0, 4, c=2, d=4)           # exchange in dimensions 0..3 on a 4x4 mesh
    task.lower_bound                                 # no schedule has fewer steps
    pipelining.schedule(task).steps                  # the step in which every message is sent
    machine = pipelining.Machine(d=10, c=2, alpha=500, tau=1)
    pipelining.optimal_degree(machine, N=4096).Q     # into how many packets to cut a message

The pattern is fixed here - a hypercube's, on the standard embedding - and the schedule is the
unknown: [calmant]. Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lccmodel._lazy import lazy_names

if TYPE_CHECKING:
    from lccmodel.pipelining.bounds import exchange_bounds as exchange_bounds
    from lccmodel.pipelining.cost.formulas import communication_time as communication_time
    from lccmodel.pipelining.cost.formulas import stationary_point as stationary_point
    from lccmodel.pipelining.cost.printed import compare_with_print as compare_with_print
    from lccmodel.pipelining.cost.printed import printed_total as printed_total
    from lccmodel.pipelining.cost.steps import MODELS as MODELS
    from lccmodel.pipelining.cost.sums import total_steps as total_steps
    from lccmodel.pipelining.degree import OptimalDegree as OptimalDegree
    from lccmodel.pipelining.degree import optimal_degree as optimal_degree
    from lccmodel.pipelining.degree import time as time
    from lccmodel.pipelining.exchange import CompleteExchange as CompleteExchange
    from lccmodel.pipelining.exchange import complete_exchange as complete_exchange
    from lccmodel.pipelining.fft import cube_fft as cube_fft
    from lccmodel.pipelining.grid import optimal_degrees as optimal_degrees
    from lccmodel.pipelining.grid import times as times
    from lccmodel.pipelining.loads import dilation as dilation
    from lccmodel.pipelining.loads import lower_bound as lower_bound
    from lccmodel.pipelining.loads import max_load as max_load
    from lccmodel.pipelining.machine import Machine as Machine
    from lccmodel.pipelining.methods import METHODS as METHODS
    from lccmodel.pipelining.methods import exchange_time as exchange_time
    from lccmodel.pipelining.methods import exchange_times as exchange_times
    from lccmodel.pipelining.paper_rules import Reading as Reading
    from lccmodel.pipelining.paper_rules import paper_extra_step as paper_extra_step
    from lccmodel.pipelining.paper_rules import paper_parts as paper_parts
    from lccmodel.pipelining.paper_rules import paper_steps as paper_steps
    from lccmodel.pipelining.replays import Conflict as Conflict
    from lccmodel.pipelining.replays import Replay as Replay
    from lccmodel.pipelining.replays import replay as replay
    from lccmodel.pipelining.robustness import sensitivity as sensitivity
    from lccmodel.pipelining.schedules import Schedule as Schedule
    from lccmodel.pipelining.schedules import best_parts as best_parts
    from lccmodel.pipelining.schedules import schedule as schedule
    from lccmodel.pipelining.standard_embedding import average_dilation as average_dilation
    from lccmodel.pipelining.standard_embedding import dilations as dilations
    from lccmodel.pipelining.standard_embedding import embed as embed
    from lccmodel.pipelining.standard_embedding import embedding as embedding
    from lccmodel.pipelining.standard_embedding import embedding_graph as embedding_graph
    from lccmodel.pipelining.standard_embedding import mesh_of as mesh_of
    from lccmodel.pipelining.standard_embedding import (
        minimum_average_dilation as minimum_average_dilation,
    )
    from lccmodel.pipelining.standard_embedding import process_of as process_of
    from lccmodel.pipelining.subtask_rule import subtask_steps as subtask_steps
    from lccmodel.pipelining.task import Task as Task
    from lccmodel.pipelining.transformation import Pipeline as Pipeline
    from lccmodel.pipelining.transformation import pipeline as pipeline
    from lccmodel.pipelining.whole_tasks import optimal_steps as optimal_steps
    from lccmodel.pipelining.whole_tasks import schedule_length as schedule_length
    from lccmodel.pipelining.whole_tasks import splitting as splitting

_HOME = {
    "CompleteExchange": "lccmodel.pipelining.exchange",
    "Conflict": "lccmodel.pipelining.replays",
    "METHODS": "lccmodel.pipelining.methods",
    "MODELS": "lccmodel.pipelining.cost.steps",
    "Machine": "lccmodel.pipelining.machine",
    "OptimalDegree": "lccmodel.pipelining.degree",
    "Pipeline": "lccmodel.pipelining.transformation",
    "Reading": "lccmodel.pipelining.paper_rules",
    "Replay": "lccmodel.pipelining.replays",
    "Schedule": "lccmodel.pipelining.schedules",
    "Task": "lccmodel.pipelining.task",
    "average_dilation": "lccmodel.pipelining.standard_embedding",
    "best_parts": "lccmodel.pipelining.schedules",
    "communication_time": "lccmodel.pipelining.cost.formulas",
    "compare_with_print": "lccmodel.pipelining.cost.printed",
    "complete_exchange": "lccmodel.pipelining.exchange",
    "cube_fft": "lccmodel.pipelining.fft",
    "dilation": "lccmodel.pipelining.loads",
    "dilations": "lccmodel.pipelining.standard_embedding",
    "embed": "lccmodel.pipelining.standard_embedding",
    "embedding": "lccmodel.pipelining.standard_embedding",
    "embedding_graph": "lccmodel.pipelining.standard_embedding",
    "exchange_bounds": "lccmodel.pipelining.bounds",
    "exchange_time": "lccmodel.pipelining.methods",
    "exchange_times": "lccmodel.pipelining.methods",
    "lower_bound": "lccmodel.pipelining.loads",
    "max_load": "lccmodel.pipelining.loads",
    "mesh_of": "lccmodel.pipelining.standard_embedding",
    "minimum_average_dilation": "lccmodel.pipelining.standard_embedding",
    "optimal_degree": "lccmodel.pipelining.degree",
    "optimal_degrees": "lccmodel.pipelining.grid",
    "optimal_steps": "lccmodel.pipelining.whole_tasks",
    "paper_extra_step": "lccmodel.pipelining.paper_rules",
    "paper_parts": "lccmodel.pipelining.paper_rules",
    "paper_steps": "lccmodel.pipelining.paper_rules",
    "pipeline": "lccmodel.pipelining.transformation",
    "printed_total": "lccmodel.pipelining.cost.printed",
    "process_of": "lccmodel.pipelining.standard_embedding",
    "replay": "lccmodel.pipelining.replays",
    "schedule": "lccmodel.pipelining.schedules",
    "schedule_length": "lccmodel.pipelining.whole_tasks",
    "sensitivity": "lccmodel.pipelining.robustness",
    "splitting": "lccmodel.pipelining.whole_tasks",
    "stationary_point": "lccmodel.pipelining.cost.formulas",
    "subtask_steps": "lccmodel.pipelining.subtask_rule",
    "time": "lccmodel.pipelining.degree",
    "times": "lccmodel.pipelining.grid",
    "total_steps": "lccmodel.pipelining.cost.sums",
}

__all__ = [*_HOME]


__getattr__, __dir__ = lazy_names(__name__, _HOME)
