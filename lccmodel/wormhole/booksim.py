"""Configuration files of BookSim 2 as questions to the simulator here, and answers in its names.

A file states parameters, "num_vcs = 4;". What is modelled is read (`PARAMETERS` lists how); what is
not is refused by its line, or taken as the nearest thing that is, with a sentence for each
difference. BookSim's router with its default delays is, in the terms of `Timing`,

    router      routing_delay + vc_alloc_delay             a header's cycles before it asks
    link        link latency + st_prepare + st_final       the crossbar is part of the way
    credit      link latency + 1 + credit_delay
    injection   1, and ejection 1 + st_prepare + st_final

so that a packet alone takes 4H + 6 + F - 1 cycles, and a channel serves one in F + 6, or in F + 1
where tail credits are not waited for. Its allocators `islip` are the service in turns, and
alloc_iters the rounds. There every node sends, to itself too, and rates are per node.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lccmodel.communication.patterns import pattern_traffic
from lccmodel.communication.traffic import Traffic
from lccmodel.errors import FileError, InputError
from lccmodel.ground.arguments import guard_methods, typed_arguments
from lccmodel.ground.arrays import Ints
from lccmodel.ground.files import read_at_most
from lccmodel.ground.words import word_rule
from lccmodel.network import Network, as_network
from lccmodel.reading.text import Text
from lccmodel.routing import (
    Adaptive,
    Fabric,
    MessageRouting,
    RoutingFunction,
    UserRouting,
    find_routing,
)
from lccmodel.routing.adaptive import OneAxisAdaptive
from lccmodel.routing.computed import ComputedRoutes, route_lengths
from lccmodel.wormhole.booksim_networks import (
    WiredNetwork,
    anynet,
    dragonfly_new,
    fat_tree,
    flattened_butterfly,
)
from lccmodel.wormhole.plan import NEVER
from lccmodel.wormhole.simulation import Simulation, lengths_of
from lccmodel.wormhole.statistics import bisect_load
from lccmodel.wormhole.traffic import Source

_LARGEST = 1 << 20
_MOST_NODES = 1 << 12
_DRAINED = 1000
"""Cycles between looks at the latency while packets drain, as in BookSim."""


class BookSimParameter(NamedTuple):
    """A parameter of BookSim 2.

    Attributes: `name`; `default`, as BookSim has it; `here`, what it is here, or what is taken
    instead; `fixed`: whether every other value than the default is refused.
    """

    name: str
    default: str
    here: str
    fixed: bool = False


_IDEAL = "an ideal allocator, which uses every free channel and wire"
_ONE = "not modelled"

PARAMETERS: tuple[BookSimParameter, ...] = (
    BookSimParameter(
        "topology",
        "torus",
        "mesh, torus (k = 2: a hypercube), fattree, flatfly, dragonflynew, anynet",
    ),
    BookSimParameter("k", "8", "sides of the network; children of a switch; nodes of a router"),
    BookSimParameter("n", "2", "number of axes or of levels; 1 for dragonflynew"),
    BookSimParameter("c", "1", "nodes at every router of flatfly; one elsewhere"),
    BookSimParameter("x", "8", "flatfly: routers in a row"),
    BookSimParameter("y", "8", "flatfly: routers in a column"),
    BookSimParameter("xr", "1", "flatfly, tornado and neighbor: nodes of a router along a row"),
    BookSimParameter("yr", "1", "flatfly: nodes of a router along a column"),
    BookSimParameter("network_file", "", "anynet: routers, nodes and links with latencies"),
    BookSimParameter("use_noc_latency", "1", "latency of links on a torus (2) and a flatfly"),
    BookSimParameter("routing_function", "none", "see the routing functions of every topology"),
    BookSimParameter("num_vcs", "16", "virtual_channels and end_channels"),
    BookSimParameter("vc_buf_size", "8", "depth"),
    BookSimParameter("wait_for_tail_credit", "0", "tail_credit"),
    BookSimParameter("routing_delay", "1", "router_latency, with vc_alloc_delay"),
    BookSimParameter("vc_alloc_delay", "1", "router_latency, with routing_delay", True),
    BookSimParameter("sw_alloc_delay", "1", "one cycle", True),
    BookSimParameter("st_prepare_delay", "0", "link_latency and ejection_latency"),
    BookSimParameter("st_final_delay", "1", "link_latency and ejection_latency"),
    BookSimParameter("credit_delay", "0", "credit_latency, with the latency of the link"),
    BookSimParameter("output_delay", "0", _ONE, True),
    BookSimParameter("internal_speedup", "1.0", _ONE, True),
    BookSimParameter("input_speedup", "1", "as many as virtual channels: inputs never limit"),
    BookSimParameter("output_speedup", "1", _ONE, True),
    BookSimParameter("output_buffer_size", "-1", _ONE, True),
    BookSimParameter("router", "iq", "an input-queued router", True),
    BookSimParameter("buffer_policy", "private", "a buffer for every virtual channel", True),
    BookSimParameter("buf_size", "-1", "a buffer for every virtual channel", True),
    BookSimParameter("speculative", "0", _ONE, True),
    BookSimParameter("noq", "0", _ONE, True),
    BookSimParameter("hold_switch_for_packet", "0", _ONE, True),
    BookSimParameter("vc_busy_when_full", "0", _ONE, True),
    BookSimParameter("vc_prioritize_empty", "0", _ONE, True),
    BookSimParameter("vc_priority_donation", "0", _ONE, True),
    BookSimParameter("vc_shuffle_requests", "0", _ONE, True),
    BookSimParameter("vc_allocator", "islip", "service in turns"),
    BookSimParameter("sw_allocator", "islip", "turns of the wires"),
    BookSimParameter("alloc_iters", "1", "service_rounds"),
    BookSimParameter("traffic", "uniform", "the messages: see the names of traffic"),
    BookSimParameter("perm_seed", "0", "the seed of randperm, of another generator"),
    BookSimParameter("packet_size", "1", "flits; several are drawn"),
    BookSimParameter("packet_size_rate", "1", "how often each length occurs"),
    BookSimParameter(
        "injection_rate", "0.1", "load, if injection_rate_uses_flits; else times the mean F"
    ),
    BookSimParameter("injection_rate_uses_flits", "0", "the unit of injection_rate"),
    BookSimParameter("injection_process", "bernoulli", "source: bernoulli, on_off as on-off"),
    BookSimParameter("burst_alpha", "0.5", "alpha of on-off"),
    BookSimParameter("burst_beta", "0.5", "beta of on-off"),
    BookSimParameter("burst_r1", "-1.0", "the rate while on; it replaces alpha or beta"),
    BookSimParameter("classes", "1", "one class of messages", True),
    BookSimParameter("use_read_write", "0", _ONE, True),
    BookSimParameter("priority", "none", "first come, first served", True),
    BookSimParameter("subnets", "1", "one network", True),
    BookSimParameter("link_failures", "0", "no link fails", True),
    BookSimParameter("include_queuing", "1", "packet latency counts from generation", True),
    BookSimParameter("sim_type", "latency", "latency and throughput are both measured"),
    BookSimParameter("sample_period", "1000", "cycles of a period"),
    BookSimParameter("warmup_periods", "3", "periods of the warm-up"),
    BookSimParameter("max_samples", "10", "all periods are simulated"),
    BookSimParameter("latency_thres", "500.0", "a mean latency above it is unstable"),
    BookSimParameter("sim_count", "1", "one run", True),
    BookSimParameter("seed", "0", "the seed, of another generator"),
)
"""What is read. A file that leaves a parameter out means its default."""

SILENT = (
    "warmup_thres", "acc_warmup_thres", "stopping_thres", "acc_stopping_thres", "print_activity",
    "print_csv_results", "deadlock_warn_timeout", "viewer_trace", "watch_file", "watch_flits",
    "watch_packets", "watch_transactions", "watch_out", "stats_out", "measure_stats", "pair_stats",
    "arb_type", "sim_power", "power_output_file", "tech_file", "channel_width", "channel_sweep",
    "fail_seed", "in_ports", "out_ports", "batch_size", "batch_count",
    "max_outstanding_requests",
)  # fmt: skip
"""Parameters that change no latency of what is modelled: output, power, rules to stop earlier."""

_GRIDS = ("mesh", "torus")
_MINIMAL = {"fattree": "nca", "flatfly": "ran_min", "dragonflynew": "min", "anynet": "min"}
"""Topologies other than grids, and the routing function of each that is modelled."""
_NOT_MODELLED = ("cmesh", "fly", "tree4", "qtree")
_FUNCTIONS: dict[str, tuple[str, ...]] = {
    "mesh": (
        "dor", "dim_order", "dim_order_ni", "dim_order_pni", "xy_yx", "adaptive_xy_yx", "romm",
        "romm_ni", "min_adapt", "planar_adapt", "valiant", "chaos",
    ),
    "torus": (
        "dor", "dim_order", "dim_order_ni", "dim_order_bal", "min_adapt", "valiant", "valiant_ni",
        "chaos",
    ),
    "fattree": ("nca", "anca"),
    "flatfly": (
        "ran_min", "adaptive_xyyx", "xyyx", "valiant", "ugal", "ugal_pni", "ugal_xyyx",
    ),
    "dragonflynew": ("min", "ugal"),
    "anynet": ("min",),
}  # fmt: skip
"""The routing functions that BookSim 2 has for each topology."""


class BookSimStatement(NamedTuple):
    """A parameter of a file: the line that states it, 0 of a default, and its value."""

    line: int
    value: str


class BookSimPoint(NamedTuple):
    """What BookSim calls the results of a run; cycles, and flits per node and cycle.

    Attributes: `injection_rate`, as the file counts it; `packet_latency`, mean cycles from
    generation to delivery; `network_latency`, from injection; `hops`, routers on the way;
    `accepted`, flits delivered per node and cycle; `unstable`, whether the mean latency, that of
    flits in flight included, exceeds latency_thres after a sample period or while packets drain;
    `packets`, how many were measured.

    >>> point = BookSimPoint(0.1, 12.5, 11.0, 3.0, 0.1, False, 400)
    >>> point.packet_latency - point.network_latency  # cycles before injection
    1.5
    """

    injection_rate: float
    packet_latency: float
    network_latency: float
    hops: float
    accepted: float
    unstable: bool
    packets: int


@dataclass(frozen=True, eq=False)
class BookSim:
    """A configuration of BookSim 2 as a simulation here.

    Attributes:
        network: where.
        traffic: who sends to whom, messages to the own node included.
        simulation: ready to run.
        flits: lengths and how often each occurs.
        rate: the injection rate of the file, in packets or flits.
        uses_flits: whether rates are in flits per cycle and node; else in packets.
        cycles, warm_up, period: simulated; not measured at the start; of a sample period.
        threshold: mean latency above which a run is unstable.
        seed: of the arrivals.
        differences: a sentence for everything that is not as in BookSim.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "mesh.cfg")
    ...     _ = path.write_text("topology = mesh; k = 4; routing_function = dor; packet_size = 4;")
    ...     configuration = read_booksim(path, closest=True)
    >>> configuration.network, configuration.load(0.1)  # packets of 4 flits
    (Mesh((4, 4)), 0.4)
    """

    network: Network
    traffic: Traffic
    simulation: Simulation
    flits: dict[int, float]
    rate: float
    uses_flits: bool
    source: Callable[[float], Source]
    cycles: int
    warm_up: int
    period: int
    threshold: float
    seed: int
    differences: tuple[str, ...]

    @cached_property
    def _mean(self) -> float:
        total = sum(self.flits.values())
        return sum(length * share for length, share in self.flits.items()) / total

    def load(self, rate: float) -> float:
        """Return flits per cycle and sending node of an injection rate in the file's unit.

        Raises:
            InputError: not above 0, or more than one flit a cycle.
        """
        load = rate * (1 if self.uses_flits else self._mean)
        if not 0 < load <= 1:
            rule = "must be above 0, and up to one flit per cycle and node"
            raise InputError("injection_rate", rule, rate)
        return load

    def run(self, rate: float | None = None) -> BookSimPoint:
        """Simulate an injection rate, that of the file if left out.

        Raises:
            InputError: not above 0, or more than one flit a cycle.
        """
        rate = self.rate if rate is None else rate
        load = self.load(rate)
        source = self.source(load / self._mean)
        lengths: Any = self.flits if len(self.flits) > 1 else next(iter(self.flits))
        how = (load, lengths, self.cycles, self.seed, self.warm_up)
        result = self.simulation.run(*how, source=source)
        measured = result.ready > self.warm_up
        arrived = measured & (result.delivered < NEVER)
        latencies = (result.delivered - result.ready)[arrived]
        network = (result.delivered - result.injected + 1)[arrived]
        hops = self._hops[result.source, result.destination][arrived]
        routing = self.simulation.table.routing
        if isinstance(routing, MessageRouting) and routing.choice == "any router":
            taken = result.channel_use.sum() * result.cycles / result.flits
            hops = np.array([1 + taken / max(1, int((result.injected < NEVER).sum()))])
        flits = np.asarray(lengths_of(self.flits).drawn(len(result.ready), self.seed))
        unstable = self._is_unstable(result.ready, result.delivered, flits)
        share = result.senders / self.network.size
        packet, inside, routers = (_mean(values) for values in (latencies, network, hops))
        accepted = result.throughput * share
        return BookSimPoint(rate, packet, inside, routers, accepted, unstable, len(latencies))

    def _is_unstable(self, ready: Ints, delivered: Ints, flits: Ints) -> bool:
        """Whether BookSim would end the run: a mean latency exceeds the threshold.

        It is looked at after every period, and every 1,000 cycles while measured packets drain. It
        is that of the packets delivered since statistics were cleared, before the odd periods of
        the warm-up and after it, and of all flits in flight, each with the age of its packet.
        """
        measured = ready > self.warm_up
        if (delivered[measured] == NEVER).any():
            return True
        last = int(delivered[measured].max(initial=0))
        drained = range(self.cycles + _DRAINED, last + 1, _DRAINED)
        for now in (*range(self.period, self.cycles + 1, self.period), *drained):
            if now <= self.warm_up:
                counted = delivered > (now - 1) // (2 * self.period) * 2 * self.period
            else:
                counted = measured
            counted = counted & (delivered <= now)
            flying = (ready <= now) & (delivered > now)
            left = np.minimum(flits, delivered - now)[flying]  # flits leave one a cycle
            ages = float((delivered - ready)[counted].sum() + (left * (now - ready[flying])).sum())
            if ages > self.threshold * (int(counted.sum()) + int(left.sum())):
                return True
        return False

    @cached_property
    def _hops(self) -> Ints:
        """Routers on the shortest way of every pair of nodes that sends."""
        table, size = self.simulation.table, self.network.size
        if isinstance(table, ComputedRoutes):
            hops = np.zeros((size, size), np.int64)
            pairs = self.simulation.sent.pairs
            hops[tuple(pairs.T)] = route_lengths(table.form, table.start_of(pairs)) + 1
            return hops
        links, following = np.zeros(table.states, np.int64), np.arange(table.states)
        onward = np.diff(table.first) > 0
        next_state = np.where(onward, np.append(table.following, 0)[table.first[:-1]], -1)
        while (going := onward[following]).any():
            links += going
            following = np.where(going, next_state[following], following)
        hops = np.zeros((size, size), np.int64)
        x, y = self.simulation.sent.pairs.T
        hops[x, y] = links[table.start] + 1
        return hops

    def saturation(self, tolerance: float = 0.01) -> tuple[float, float]:
        """Bisect the injection rate: return the highest stable one and the lowest unstable one.

        Args:
            tolerance: how far apart they may be, in flits per cycle and node.

        Raises:
            InputError: a tolerance outside (0, 0.5].
        """
        if not 0 < tolerance <= 0.5:
            raise InputError("tolerance", "must be in (0, 0.5]", tolerance)
        unit = 1 if self.uses_flits else self._mean
        low, high = bisect_load(lambda load: not self.run(load / unit).unstable, tolerance)
        return low / unit, high / unit


guard_methods(BookSim)


@typed_arguments
def read_booksim(
    path: str | os.PathLike[str], *, closest: bool = False, own_messages: bool = True
) -> BookSim:
    """Read a configuration file of BookSim 2.

    Args:
        path: the file.
        closest: whether what is not modelled is taken as the nearest thing that is; each such
            difference is a sentence of the result. Otherwise it is refused.
        own_messages: whether messages to the sender's own node are sent, as in BookSim.

    Raises:
        FileError: the file cannot be read, or states something that is unknown, out of range or
            not modelled; with its line.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name, "mesh.cfg")
    >>> text = "topology = mesh; k = 4; n = 2; routing_function = dor; num_vcs = 1;"
    >>> _ = path.write_text(text + " traffic = transpose; packet_size = 4; routing_delay = 0;")
    >>> read = read_booksim(path)
    >>> read.network, read.simulation.timing.pace
    (Mesh((4, 4)), Pace(depth=8, router=1, link=2, credit=2, waits_for_tail=0, ends=1, \
injection=1, ejection=2, rounds=1))
    >>> folder.cleanup()
    """
    return _Reading(Path(path), closest).made(own_messages)


class _Reading:
    """A file while it is read."""

    def __init__(self, path: Path, closest: bool) -> None:
        self.path, self.closest = path, closest
        self.stated = dict(_statements(path))
        self.known = {parameter.name: parameter for parameter in PARAMETERS}
        self.differences: list[str] = []

    def made(self, own_messages: bool) -> BookSim:
        for name, (line, value) in self.stated.items():
            if name not in self.known and name not in SILENT:
                raise self._error(line, f"{name} is no parameter that is read here", value)
        for parameter in PARAMETERS:
            line, value = self._get(parameter.name)
            if parameter.fixed and not _alike(value, parameter.default):
                self._differ(parameter.name, f"{parameter.default} is taken: {parameter.here}")
        wired = self._network()
        network, wires = wired.network, self._ends(wired)
        many = self._whole("num_vcs", 1)
        if self._whole("input_speedup", 1) < many:
            self._differ("input_speedup", "as many as virtual channels are taken: num_vcs")
        crossbar = self._whole("st_prepare_delay", 0) + self._whole("st_final_delay", 0)
        timing: dict[str, Any] = {
            "depth": self._whole("vc_buf_size", 1),
            "router_latency": self._whole("routing_delay", 0) + 1,
            "link_latency": 1 + crossbar,
            "credit_latency": 2 + self._whole("credit_delay", 0),
            "tail_credit": bool(self._whole("wait_for_tail_credit", 0)),
            "end_channels": many,
            "injection_latency": wires,
            "ejection_latency": wires + crossbar,
            **self._service(),
        }
        traffic = self._traffic(network)
        flits = self._lengths()
        line, process = self._get("injection_process")
        source = self._source(line, process)
        period = self._whole("sample_period", 1)
        periods, warm = self._whole("max_samples", 1), self._whole("warmup_periods", 0)
        if warm >= periods:
            line, value = self._get("max_samples")
            raise self._error(line, "max_samples must be above warmup_periods", value)
        function = self._routing(wired)
        is_fixed = isinstance(function, Adaptive) and any(network.geometry.rings)
        if is_fixed and many < 4:
            line, value = self._get("num_vcs")
            raise self._error(line, "num_vcs must be at least 4 for min_adapt on a torus", value)
        if isinstance(function, UserRouting):  # BookSim's takes two channels of however many
            is_fixed = True
            if many < function.virtual_channels:
                line, value = self._get("num_vcs")
                rule = "num_vcs must be at least 2 for min on a dragonfly"
                raise self._error(line, rule, value)
        fabric = Fabric(network, function.virtual_channels if is_fixed else 1)
        try:
            simulation = Simulation.of(
                traffic,
                network,
                function,
                virtual_channels=None if is_fixed else many,
                own_messages=own_messages,
                link_delays=wired.delays(fabric),
                **timing,
            )
        except InputError as error:
            line, value = self._get("num_vcs")
            raise self._error(line, f"{error.argument}: {error.rule}", value) from None
        made = BookSim(
            network,
            traffic,
            simulation,
            flits,
            self._real("injection_rate"),
            bool(self._whole("injection_rate_uses_flits", 0)),
            source,
            period * periods,
            period * warm,
            period,
            self._real("latency_thres"),
            self._seed("seed"),
            tuple(self.differences),
        )
        try:
            made.load(made.rate)
        except InputError as error:
            line, value = self._get("injection_rate")
            raise self._error(line, f"injection_rate {error.rule}", value) from None
        return made

    # -- values -------------------------------------------------------------------------

    def _get(self, name: str) -> BookSimStatement:
        return self.stated.get(name, BookSimStatement(0, self.known[name].default))

    def _error(self, line: int, rule: str, value: str) -> FileError:
        return FileError(self.path.name, line, rule, value)

    def _differ(self, name: str, taken: str) -> None:
        """Refuse what is not modelled, or write down what is taken instead."""
        line, value = self._get(name)
        if not self.closest:
            rule = f"{name} is not modelled; with closest (--closest) {taken}"
            raise self._error(line, rule, value)
        place = f"{self.path.name}:{line}: " if line else ""
        self.differences.append(f"{place}{name} = {value}: {taken}")

    def _whole(self, name: str, least: int) -> int:
        line, value = self._get(name)
        if not re.fullmatch(r"-?[0-9]{1,9}", value) or int(value) < least:
            raise self._error(line, f"{name} must be a whole number of at least {least}", value)
        return int(value)

    def _real(self, name: str) -> float:
        line, value = self._get(name)
        number = _number(value.strip("{}"))
        if number is None or number == inf:
            raise self._error(line, f"{name} must be one number", value)
        return number

    def _seed(self, name: str) -> int:
        if self._get(name).value == "time":
            self._differ(name, "0 is taken")
            return 0
        return self._whole(name, 0)

    # -- parts --------------------------------------------------------------------------

    def _service(self) -> dict[str, Any]:
        """The order of service: that of islip, or else an ideal allocator."""
        if self._get("sw_allocator").value != "islip":
            self._differ("sw_allocator", "turns of the wires, as of islip, are taken")
        if self._get("vc_allocator").value != "islip":
            self._differ("vc_allocator", f"{_IDEAL}, by arrival, is taken")
            return {}
        return {"service": "turns", "service_rounds": self._whole("alloc_iters", 1)}

    def _network(self) -> WiredNetwork:
        """The network with the latencies of its links, and its minimal routing."""
        line, topology = self._get("topology")
        if topology not in (*_GRIDS, *_MINIMAL):
            more = "; this one is not modelled" if topology in _NOT_MODELLED else ""
            rule = word_rule(topology, (*_GRIDS, *_MINIMAL), more)
            raise self._error(line, f"topology {rule}", topology)
        per_router = self._whole("c", 1)
        if topology != "flatfly" and per_router != 1:
            self._differ("c", f"1 is taken: {topology} has one node at every router")
            per_router = 1
        if topology == "anynet":
            return self._anynet()
        k, n = (
            self._whole("k", 1 if topology in ("fattree", "dragonflynew") else 2),
            self._whole("n", 1),
        )
        size = k**n * per_router if n <= 20 else _MOST_NODES + 1
        if topology == "dragonflynew":
            if n != 1:
                raise self._error(self._get("n").line, "n must be 1 for dragonflynew", str(n))
            size = 2 * k**2 * (2 * k**2 + 1)
        if not 2 <= size <= _MOST_NODES:
            rule = f"must make 2 to {_MOST_NODES} nodes"
            raise self._error(self._get("k").line, f"k and n {rule}", f"k = {k}, n = {n}")
        if topology == "fattree":
            return fat_tree(k, n)
        if topology == "dragonflynew":
            return dragonfly_new(k)
        noc = self._whole("use_noc_latency", 0) == 1
        if topology == "flatfly":
            x, y, xr, yr = (self._whole(name, 1) for name in ("x", "y", "xr", "yr"))
            if not (x == y and xr == yr and x * y == k**n and xr * yr == per_router):
                rule = "flatfly needs x = y, xr = yr, x y = k^n and xr yr = c"
                raise self._error(line, rule, f"x = {x}, y = {y}, xr = {xr}, yr = {yr}")
            return flattened_butterfly(k, n, x, xr, yr, noc)
        network = as_network(f"{topology}:{'x'.join([str(k)] * n)}")
        plain = find_routing("ring-classes" if topology == "torus" else "dimension-order", network)
        return WiredNetwork(network, plain, {}, latency=2 if topology == "torus" and noc else 1)

    def _anynet(self) -> WiredNetwork:
        """The network of a file beside the working folder or, if none is there, this one."""
        line, name = self._get("network_file")
        if not name:
            line, _ = self._get("topology")
            raise self._error(line, "network_file is required with anynet", "none")
        beside = self.path.parent / name
        try:
            return anynet(Text.at(beside if beside.exists() and not Path(name).exists() else name))
        except FileError as error:
            raise self._error(line, f"network_file {error}", name) from None

    def _ends(self, wired: WiredNetwork) -> int:
        """The latency of the wires of nodes."""
        nearest = min(wired.ends, default=1)
        if wired.ends and max(wired.ends) != nearest:
            taken = f"{nearest} cycles are taken for the wires of all nodes, which differ"
            self._differ("topology", taken)
        return nearest

    def _routing(self, wired: WiredNetwork) -> RoutingFunction:
        """The routing function; on rings a message keeps its virtual channel, as in BookSim."""
        line, name = self._get("routing_function")
        topology = self._get("topology").value
        network, plain = wired.network, wired.routing
        word = name.removesuffix(f"_{topology}")
        if word not in _FUNCTIONS[topology]:
            known = ", ".join(_FUNCTIONS[topology])
            rule = f"routing_function must be one for {topology}: {known}"
            raise self._error(line, rule, name)
        if topology in _MINIMAL:
            if word != _MINIMAL[topology]:
                self._differ("routing_function", f"{_MINIMAL[topology]} is taken")
            return plain
        rings = any(network.geometry.rings)
        if word in ("dor", "dim_order"):
            return plain
        if word == "valiant":
            return MessageRouting("valiant", "as BookSim 2", (plain, plain), "any router")
        if word in ("romm", "xy_yx") and not rings:
            return find_routing(word, network)
        if word == "min_adapt":
            taken = "a header takes the escape only if all adaptive channels are busy"
            self._differ("routing_function", taken)
            # on tori BookSim has one adaptive channel, number 3, above the two of the escape
            return OneAxisAdaptive(plain, 3 if rings else 0, stays=True)
        self._differ("routing_function", "dimension order is taken")
        return plain

    def _traffic(self, network: Network) -> Traffic:
        """The messages, those to the own node included."""
        line, text = self._get("traffic")
        name, _, inside = text.partition("(")
        size = network.size
        given = _groups(inside.removesuffix(")"))
        nodes, bits = np.arange(size), (size - 1).bit_length()
        power = size == 1 << bits
        if name in ("bitrev", "bitcomp", "shuffle", "transpose") and not power:
            raise self._error(line, f"{name} needs 2^b nodes", text)
        if name == "transpose" and bits % 2:
            raise self._error(line, "transpose needs an even number of address bits", text)
        if name == "uniform":
            x, y = np.divmod(np.arange(size * size), size)
            return Traffic(np.stack([x, y], axis=1), ranks=size)
        if name == "hotspot":
            return self._hotspot(given, size)
        if name == "bitrev":
            goal = sum((nodes >> b & 1) << (bits - 1 - b) for b in range(bits))
        elif name == "bitcomp":
            goal = nodes ^ (size - 1)
        elif name == "shuffle":
            goal = (nodes << 1 | nodes >> (bits - 1)) & (size - 1)
        elif name == "transpose":
            half = bits // 2
            goal = nodes >> half | (nodes & (1 << half) - 1) << half
        elif name in ("tornado", "neighbor"):
            goal = self._by_digits(name, [group[0] for group in given], nodes)
        elif name == "randperm":
            seed = given[0] if given else [str(self._seed("perm_seed"))]
            if len(seed) != 1 or not seed[0].isdigit():
                raise self._error(line, "randperm takes one seed of at least 0", text)
            self._differ("traffic", "a permutation of another random generator is taken")
            goal = _goals(pattern_traffic(f"randperm:{seed[0]}", (size,)), size)
        else:
            raise self._error(line, "traffic is not a pattern that is read here", text)
        return Traffic(np.stack([nodes, goal], axis=1), ranks=size)

    def _by_digits(self, name: str, given: list[str], nodes: Ints) -> Ints:
        """Where every node sends: each of n digits to the base xr k is moved round."""
        line, text = self._get("traffic")
        stated = [*given, *(self._get(part).value for part in ("k", "n", "xr")[len(given) :])]
        if len(stated) != 3 or not all(re.fullmatch("[0-9]{1,4}", value) for value in stated):
            raise self._error(line, f"{name} takes up to three numbers: {name}(k,n,xr)", text)
        k, n, xr = map(int, stated)
        base = k * xr
        if not (base >= 1 and 1 <= n <= 20 and base**n == len(nodes)):
            raise self._error(line, f"{name} needs (k xr)^n = {len(nodes)} nodes", f"({base})^{n}")
        step = 1 if name == "neighbor" else (base + 1) // 2 - 1
        digits = nodes[:, None] // base ** np.arange(n) % base
        goal: Ints = (digits + step) % base @ base ** np.arange(n)
        return goal

    def _hotspot(self, given: list[list[str]], size: int) -> Traffic:
        line, text = self._get("traffic")
        groups = [[_number(word) for word in group] for group in given]
        whole = all(number is not None and number % 1 == 0 for group in groups for number in group)
        if not (whole and len(groups) in (1, 2) and groups[0]):
            rule = "hotspot must be typed hotspot({nodes},{rates})"
            raise self._error(line, rule, text)
        hot = [int(number or 0) for number in groups[0]]
        rates = [int(number or 0) for number in (groups[1] if len(groups) > 1 else [1])]
        rates += rates[-1:] * (len(hot) - len(rates))
        if min(hot) < 0 or max(hot) >= size or min(rates) < 1 or len(rates) > len(hot):
            rule = f"hotspot needs nodes in 0..{size - 1} and rates of at least 1"
            raise self._error(line, rule, text)
        x, k = np.divmod(np.arange(size * len(hot)), len(hot))
        return Traffic(np.stack([x, np.array(hot)[k]], axis=1), np.array(rates)[k], size)

    def _lengths(self) -> dict[int, float]:
        line, text = self._get("packet_size")
        sizes = [_number(word) for word in text.strip("{}").split(",")]
        _, shares = self._get("packet_size_rate")
        rates = [_number(word) for word in shares.strip("{}").split(",")]
        rates = rates if len(rates) == len(sizes) else rates * len(sizes)
        if len(rates) != len(sizes):
            raise self._error(line, "packet_size and packet_size_rate differ in number", text)
        if not all(size and size % 1 == 0 and size > 0 for size in sizes):
            raise self._error(line, "packet_size must be whole numbers above 0", text)
        if not all(rate and rate > 0 for rate in rates):
            line, _ = self._get("packet_size_rate")
            raise self._error(line, "packet_size_rate must be numbers above 0", shares)
        found: dict[int, float] = {}
        for size, rate in zip(sizes, rates, strict=True):
            found[int(size or 0)] = found.get(int(size or 0), 0.0) + float(rate or 0)
        return found

    def _source(self, line: int, text: str) -> Callable[[float], Source]:
        """The source by the packets that a node generates in a cycle."""
        name, _, inside = text.partition("(")
        if name == "bernoulli":
            return lambda _: Source("bernoulli")
        if name != "on_off":
            raise self._error(line, "injection_process must be bernoulli or on_off", text)
        given = [_number(word) for word in inside.removesuffix(")").split(",") if word]
        names = ("burst_alpha", "burst_beta", "burst_r1")
        alpha, beta, peak = (
            self._real(name) if k >= len(given) or given[k] is None else float(given[k] or 0)
            for k, name in enumerate(names)
        )
        if sum(number < 0 for number in (alpha, beta, peak)) != 1:
            rule = "on_off needs two of burst_alpha, burst_beta and burst_r1, the third below 0"
            raise self._error(line, rule, text)

        def source(rate: float) -> Source:
            if peak >= 0 and rate >= peak:
                rule = "must be below burst_r1, the rate while a node is on"
                raise InputError("injection_rate", rule, rate)
            if alpha < 0:
                return Source("on-off", beta * rate / (peak - rate), beta)
            if beta < 0:
                return Source("on-off", alpha, alpha * (peak - rate) / rate)
            return Source("on-off", alpha, beta)

        return source


def _statements(path: Path) -> Iterable[tuple[str, BookSimStatement]]:
    """Every parameter of a file with its line; the last one counts, as in BookSim.

    Raises:
        FileError: the file cannot be read, or a line is no statement.
    """
    try:
        text = read_at_most(path, _LARGEST).decode("utf-8")
    except (OSError, ValueError) as error:
        if isinstance(error, FileError):
            raise
        reason = getattr(error, "strerror", None) or "not a text file"
        raise FileError(path.name, 0, f"cannot be read: {reason}", path.name) from None
    begun, open_text = 0, ""
    for number, row in enumerate(text.splitlines(), 1):
        for part in re.split(r"(;)", row.partition("//")[0]):
            if part == ";":
                name, equals, value = (piece.strip() for piece in open_text.partition("="))
                value = re.sub(r"\s+", "", value)
                if not (equals and value and re.fullmatch(r"[A-Za-z_]\w*", name)):
                    raise FileError(path.name, begun, 'must be statements "name = value;"', row)
                yield name, BookSimStatement(begun, value)
                open_text = ""
            elif part.strip():
                begun = begun if open_text else number
                open_text += f" {part.strip()}"
    if open_text:
        raise FileError(path.name, begun, "a statement must end in ;", open_text.strip()[:60])


def _mean(values: Ints) -> float:
    return float(values.mean()) if len(values) else float("nan")


def _groups(text: str) -> list[list[str]]:
    """The lists in braces of a parameter list, or its members one by one."""
    found = re.findall(r"\{([^}]*)\}|([^,{}]+)", text)
    return [(braced or plain).split(",") for braced, plain in found]


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _alike(value: str, default: str) -> bool:
    one, other = _number(value), _number(default)
    return value == default if one is None or other is None else one == other


def _goals(traffic: Traffic, size: int) -> Ints:
    """Where every node sends, to itself if it sends nothing."""
    goal = np.arange(size)
    goal[traffic.messages[:, 0]] = traffic.messages[:, 1]
    return goal
