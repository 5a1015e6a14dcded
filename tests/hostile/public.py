"""The public callables of the library, and for each a small call that is right.

`RESULTS` are values that only the library makes: their fields are checked where they are made.
"""

import importlib
import inspect
import pkgutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import lccmodel as lcc

EXAMPLE = Path(__file__).parents[2] / "examples" / "trace.csv"

_RESULTS = """
    BookSim Control Exploration CatalogEntry Certificate Circuits Composition Conflict Contention
    Bruhat ContentionSet Corner Curve DeadlockVerdict Decomposition ExchangeFactors ExchangeStep
    ExchangesThenPermutation FFTProgram FFTTimes Failure Fit MachineFile Mapping
    MeshPass MeshPlan MeshRun Message Operation OptimalDegree OptimalOrders Orbits
    Outcome Parameter PartitionTree Pipeline Placement Recognition Registers Replay
    RoutedCount RoutingTable Schedule Segment Simulation SimulationResult TimedMessages Sustained
    JobOutcome PlanFront PlanRow RoutingRow SelfRouting SentMessage SwitchSettings Trace
    TriangularFactors Use WalkStep Witness
    Checked ContentionFormula Family Formula MeshContentionFormula PatternFormula
    ReorderingFormula
"""
_MODULES = {
    "lccmodel.communication.catalog": (),
    "lccmodel.communication.recognition":
        ("Recognition", "Verdict", "analyse", "message_for_message", "recognise"),
    "lccmodel.errors": (),
    "lccmodel.ground.views": ("Viewed",),
}  # fmt: skip
"""Modules, not packages, whose names are tried: these, or all that `__all__` lists."""
_NONE = object()

RESULTS = frozenset(_RESULTS.split())
"""Results: a caller gets them and never makes them."""

NOT_CALLED = {
    "Network": "abstract",
    "RoutingFunction": "a protocol",
    "Reading": "a type",
    "Verdict": "a type",
    "Viewed": "the base of results",
    "main": "the command line, fuzzed by its commands",
    "execute": "needs a communicator of MPI",
    "VirtualComm": "needs a communicator of MPI",
    "shown": "takes everything",
    "checked_index": "for the library's own checks",
    "clipped": "for texts of the library",
    "printable": "for texts of the library",
    "waiting_ring": "needs the outcome of an engine",
}


def public_names() -> dict[str, Any]:
    """`package.name` of every public object of the library that can be called, each once."""
    found: dict[str, Any] = {}
    seen: set[int] = set()
    packages = [m.name for m in pkgutil.walk_packages(lcc.__path__, "lccmodel.") if m.ispkg]
    for package in ["lccmodel", *sorted(packages), *_MODULES]:
        module = importlib.import_module(package)
        for name in _MODULES.get(package) or getattr(module, "__all__", ()):
            value = getattr(module, name)
            if callable(value) and not inspect.ismodule(value) and id(value) not in seen:
                seen.add(id(value))
                found[f"{package.removeprefix('lccmodel').removeprefix('.')}.{name}"] = value
    return found


def public_callables() -> dict[str, Callable[..., Any]]:
    """Those that a user calls with values of his own."""
    found = {}
    for name, value in public_names().items():
        short = name.rpartition(".")[2]
        error = isinstance(value, type) and issubclass(value, Exception)
        if short not in RESULTS and short not in NOT_CALLED and not error:
            found[name] = value
    return found


@cache
def _small() -> dict[str, Any]:
    """A right value for the parameters of each name; `function.parameter` where it differs."""
    c = lcc.catalog.bit_reverse(2)
    cube, mesh = lcc.Hypercube(2), lcc.Mesh((2, 2))
    p, w = lcc.pipelining, lcc.wormhole
    mpi = importlib.import_module("lccmodel.mpi")
    partitioned = importlib.import_module("lccmodel.permutations.partitioned")
    machine = p.Machine("mesh:2x2", 10, 1)
    task = p.Task(0, 2, "mesh:2x2")
    placement = lcc.place(lcc.Traffic([[0, 1], [1, 2]], None, 4), cube, seconds=0.01)
    table = lcc.routing.routing_table(
        lcc.routing.find_routing("e-cube", cube), lcc.routing.Fabric(cube), [(0, 1)]
    )
    from lccmodel.calibration import Measurements, fit

    times = Measurements(np.array([8, 64, 512, 4096, 9000]), np.array([1.0, 2.0, 4, 20, 40]))
    ring = lcc.collectives.plan("allreduce", "ring", 4)
    named = {"allreduce": "ring", "reduce_scatter": "ring", "allgather": "ring", "reduce": "chain"}
    named |= {"broadcast": "chain", "alltoall": "pairwise", "barrier": "dissemination"}
    named |= {"scatter": "binomial", "gather": "binomial"}
    named |= {"plan": "ring", "collective_of": "ring", "own": "mine"}
    return {
        **{f"{function}.name": name for function, name in named.items()},
        **{f"{kind}.{field}": getattr(ring.stages[0].sends[0], field)
           for kind in ("Send",) for field in ("source", "destination", "size", "blocks")},
        "Plan.blocks": 4, "Plan.stages": ring.stages, "Plan.ranks": 4, "plan.ranks": 4,
        "Stage.sends": ring.stages[0].sends, "run_plan.plan": ring,
        "run_plan.vectors": np.ones((4, 4)), "closed_form.algorithm": "ring",
        "closed_form.family": "ring", "collective": "allreduce", "rules_file.kind": "ompi",
        "choose.m": 100, "choose.network": mesh, "envelope.network": mesh,
        "rules_file.network": mesh, "envelope.low": 1, "envelope.high": 9, "rules_file.low": 1,
        "rules_file.high": 9, "Site.sides": (2, 2), "Site.ranks": 4,
        "front.collective": "allgather", "synthesize.collective": "allgather",
        "synthesize.steps": 1, "synthesize.rounds": 1, "synthesize.network": mesh,
        "front.network": mesh, "front.seconds": 60.0,  # a limit that no answer reaches
        "rules_text.files": [
            lcc.collectives.rules_file("ompi", "allreduce", p.Linear(1, 1), 1, 9, "mesh:4")
        ],
        "own.messages": lambda rank, step, ranks: (), "own.steps": lambda ranks: 1,
        "A": [[1, 1], [0, 1]], "M": 2, "N": 8, "B": 4, "Q": 2, "P": c, "algorithm": p.cube_fft(2),
        "alpha": 1, "argument": "n", "as_drawn": False, "axes": None, "axes_from": None,
        "axes_to": [[0], [1]], "b": 0, "bandwidth": None, "barrier": 0,
        "blocks": [1, 2], "c": c, "column_bits": 1, "columns": None, "communication": c,
        "communications": [c], "complement": 1, "confidence": 0.9, "cost": None,
        "costs": [p.Linear(1, 1)], "count": 2, "counts": np.zeros(cube.counter_shape, int),
        "cycles": 50, "d": 2, "data": np.arange(4.0), "data_sets": 2,
        "degree": 2, "devices": None, "dimensions": np.array([[0] * 4, [1] * 4]), "down": [2, 2],
        "engine": "auto", "entries": [[1]], "exchanges": [(0, 1)], "executor": None,
        "fabric": lcc.routing.Fabric(cube),
        "factors": lcc.permutations.exchange_factors([[1, 1], [0, 1]]),
        "figure": 5, "first": None, "flits": 2, "form": "5.6", "found": fit(times),
        "function": lambda *_: (), "hardware": w.NCUBE2, "high": 1, "i": 0, "idle": "unknown",
        "internal": (), "items": 2, "j": 1, "k": 1,
        "load": 0.1, "loads": [0.1], "local": 1, "low": 0, "machine": machine, "mapping": None,
        "matrices": [[[1, 0], [0, 1]]], "matrix": [[0, 1], [1, 0]], "max_Q": 3, "max_d": 4,
        "measurements": times, "mesh": "mesh:2x2", "message": np.array([0]),
        "messages": [1, 0, 3, 2], "method": "formula", "mode": "simd", "model": "schedule",
        "movement": lcc.movement.Movement.along(c, [0, 1], mesh),
        "n": 2, "n_columns": 2, "n_rows": 2,
        "name": "bit-reverse", "network": cube, "node_of": None, "notes": (),
        "numbering": "shuffled-row-major", "objective": "max-max", "of": "destination",
        "operation": "rotate180", "order": [0, 1], "over": "orders", "packets": "even",
        "pairs": [(0, 1)], "parity": "printed", "pattern": "rings",
        "per_node": 2, "permutation": c, "permutations": [[0, 1, 2, 3]], "phases": [[[0, 1]]],
        "picture": np.zeros((4, 4)), "pieces": [(None, 1, 1)], "pivoting": "first",
        "placement": placement, "plan": p.PacketPlan(2, 1), "points": 16, "ports": "one",
        "processor_bits": (0,), "program": lcc.Traffic([[0, 1]]), "rank": 1, "ranks": None,
        "reading": None, "receive": "any", "regime": "deep", "rng": np.random.default_rng(1),
        "routing": "e-cube", "rule": "optimal", "seconds": 0.01, "seed": 1, "seeds": [1],
        "segments": None, "shape": (2, 2), "share": 1.0, "sides": (2, 2), "sign": -1,
        "sizes": np.array([1, 2]), "skip": False, "start": 0, "starts": (),
        "steps": None, "stop": 1, "table": table, "target": np.array([1]), "task": task,
        "tau": 1, "text": "cube:2", "third": "kept", "tie": "lowest-input", "ties": "split",
        "times": np.array([1.0, 2.0]), "tolerance": 0.1, "routed": lcc.permutations.self_route(c),
        "traffic": [[0, 1]], "up": None, "variant": "lsb", "values": [1],
        "vector": 1, "virtual_channels": 1, "volumes": None, "warm_up": 10, "weight": 1,
        "weights": None, "whatever_b": False, "width_bits": 1, "wrap": None, "x": 0,
        "y_axis": "up", "also": (), "value": 1, "exact": True,
        "percent": 50, "benchmark": None,
        "nodes": None, "names": None, "levels": (), "word": None, "hosts": None, "dimension": None,
        "RouteTable.links": [(0, 1), (1, 0)], "RouteTable.routes": [[-1, 0], [1, -1]],
        "Allocation.nodes": [0, 1],
        "router": 0, "as_network.network": cube,
        # where one name means several things
        "run_trace.messages": [[0, 1, 0], [1, 2, 5]], "run_program.program": [[[0, 1]], [[1, 2]]],
        "ManyChannels.function": lcc.routing.find_routing("e-cube", cube),
        "run_trace.network": cube, "run_program.network": cube,
        "Movement.starts": np.array([0]), "Movement.first": np.array([0, 1]),
        "Movement.ties": "plus", "move_on_mesh.mesh": mesh,
        "move_on_mesh.ports": "all",
        "replay.steps": p.schedule(task).steps,
        "average_dilation.network": mesh, "average_dilation.placement": [0, 1, 2, 3],
        "place_grid.sides": (2, 2), "place_grid.objective": "joint", "Layout.bits": 2,
        "paper_extra_step.c": 2, "paper_parts.c": 2, "printed_total.c": 1, "Phase.name": "a",
        "communication_time.c": 1, "stationary_point.c": 1, "compare_with_print.c": 1,
        "exchange_time.method": "baseline", "contention.network": cube, "LCC.name": "",
        "printed_total.d": 2, "paper_steps.task": task, "exchanges_then_permutation.pivoting":
        "keep", "simd_mesh_route.network": mesh, "self_route.network": None,
        "switch_settings.network": None, "parallel_fft.points": 16, "Program.network": "",
        "Numbering.mesh": mesh, "Numbering.C": c.A,
        "Numbering.d": lcc.gf2.GF2Vector([0, 0]), "Numbering.name": "", "Embedding.mesh": mesh,
        "Embedding.order": "cyclic",
        "figure_curves.loads": [0.01], "exchange_times.methods": None, "modes": ["simd"],
        "code_change.permutation": None,
        "ChannelLoads.unit": 1, "FatTree.routing": "d-mod-k", "Measurements.kind": "x",
        "Hardware.name": "", "latency": 1, "per_byte": 1, "butterfly": 1, "half_butterfly": 1,
        "optimal_degrees.N": [8], "GF2Vector.bits": [0, 1],
        "count_partitioned.blocks": "triangular", "count_undivided.blocks": "triangular",
        "contention.routing": "ascending", "find_routing.network": cube, "run_pipelined.check":
        "raise", "UserRouting.name": "mine", "routing_table.routing":
        lcc.routing.find_routing("e-cube", cube), "list_partitioned.definition": 3,
        "compare.network": None, "write_machine.path": "/dev/null/machine", "Rules.steps": None,
        "label": None, "thing": c, "place.ports": None, "read.shape": None,
        "place.count": False, "read.n": None, "read_communications.n": None,
        "symbolic.contention.communication": "bit-reverse", "symbolic.contention.network": "cube:n",
        "symbolic.optimal_reordering.communication": "bit-reverse",
        "symbolic.optimal_reordering.network": "cube:n", "symbolic.family.word": "bit-reverse",
        "symbolic.symbols.names": "n r",
        "symbolic.total_time.communications": ["bit-reverse"],
        "symbolic.total_time.network": "cube:n", "trace.name": None,
        "within": (), "across": (), "above": (), "partition": (),
        "unpacked.permutations": partitioned.list_partitioned(2), "run_pipelined.algorithm":
        p.complete_exchange(2), "run_pipelined.data": np.arange(32).reshape(4, 4, 2),
        "layout": mpi.Layout(2, (0,)),

        "trace.messages": [[0, 1]], "path": str(EXAMPLE),
        "to_physical": None,
    }  # fmt: skip


def base_arguments(name: str, function: Callable[..., Any]) -> dict[str, Any]:
    """Right arguments of a function; parameters that have a default may be left out."""
    found = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        value = argument_named(name, parameter.name, _NONE)
        if value is not _NONE:
            found[parameter.name] = value
        elif parameter.default is parameter.empty:
            found[parameter.name] = 1  # a new name: give it a right value above
    return found


def argument_named(name: str, parameter: str, otherwise: Any = 1) -> Any:
    """A right value for a parameter of this name, of this function first."""
    small, short = _small(), name.rpartition(".")[2]
    for key in (f"{name}.{parameter}", f"{short}.{parameter}", parameter):
        if key in small:
            return small[key]
    return otherwise
