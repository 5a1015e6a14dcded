"""The one dictionary of quantities: key, heading, LaTeX, form and unit of whatever a table can say.

A record is a dictionary from these keys to plain values; what a key means is said here, once, so
that JSON, CSV, data frames, tables on a terminal, Markdown, LaTeX and legends of figures agree. A
table may give a quantity another heading where its title says the rest (`named`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal

from lccmodel.errors import InputError
from lccmodel.show.numbers import (
    Cell,
    CellForm,
    equations_latex,
    found_latex,
    joined,
    proof_text,
    ranges_text,
    spec_text,
    unit_text,
    written,
)

Audience = Literal["all", "people", "data"]


@dataclass(frozen=True, slots=True)
class Quantity:
    """What a key of a record means, and how its values are written for people.

    Attributes:
        key: its name in records, JSON and CSV; a word that stays the same between versions.
        heading: its name for people; the key if left out, and " " for none.
        form: how a value is written, see `numbers`.
        latex: its heading as LaTeX; the heading if left out.
        math: how a value is written in LaTeX; as `form` says if left out.
        unit: in which it is counted, where that is always the same.
        none: what people read where there is no value.
        audience: "people" leaves it out of records; "data" out of the facts above a table.
        aside: how soon a table that is too wide for a column of a paper leaves it out; 0 never.
    """

    key: str
    heading: str = ""
    form: CellForm = ""
    latex: str = ""
    math: Callable[[Cell], str] | None = None
    unit: str = ""
    none: str = ""
    audience: Audience = "all"
    aside: int = 0

    def __post_init__(self) -> None:
        if not self.heading:
            object.__setattr__(self, "heading", self.key.replace("_", " "))

    def text(self, cell: Cell) -> str:
        """A value for people."""
        return written(cell, self.form) if cell is not None or callable(self.form) else self.none


Column = str | Quantity
"""A quantity, or the key of one in the dictionary."""

Fact = tuple[Column, Any]
"""A quantity and its value."""


def quantity(key: str | Quantity) -> Quantity:
    """The quantity of a key.

    Raises:
        InputError: the dictionary has no such key.

    >>> quantity("degree").heading
    'degree'
    """
    if isinstance(key, Quantity):
        return key
    if key not in QUANTITIES:
        raise InputError("quantity", "must be a key of the dictionary, or a Quantity", key)
    return QUANTITIES[key]


def named(key: str, heading: str, **changes: Any) -> Quantity:
    """A quantity under another heading, for a table whose title or neighbours say the rest.

    >>> named("lower_bound", "bound").text(4096)
    '4,096'
    """
    return replace(quantity(key), heading=heading, latex="", **changes)


def data(key: str) -> Quantity:
    """A quantity that people do not see among the facts of a table."""
    return replace(quantity(key), audience="data")


# -- the dictionary -----------------------------------------------------------------------------

_Q = Quantity
_COMMUNICATIONS: Sequence[Quantity] = (
    _Q("communication"),
    _Q("kind", aside=5),
    _Q("n", latex="$n$"),
    _Q("rank", aside=4),
    _Q("weight"),
    _Q("A", audience="data"),
    _Q("b", audience="data"),
    _Q("equations", math=equations_latex),
    _Q("found", "equations, or why not", math=found_latex, audience="people"),
    _Q("equation", math=equations_latex),
    _Q("row", "row of A"),
    _Q("constant", "b"),
    _Q("name", audience="data"),
    _Q("usage", "typed"),
    _Q("typed", "name", audience="people"),
    _Q("title", "method"),
    _Q("description", "what it does", aside=1),
    _Q("source", aside=3),
    _Q("parameter"),
    _Q("required", "required"),
    _Q("meaning"),
    _Q("verdict"),
    _Q("messages", form=",", aside=2),
    _Q("missing_sources", "idle sources", aside=4),
    _Q("free_bits", "free bits", aside=4),
    _Q("explanation"),
    _Q("program"),
    _Q("file"),
    _Q("read_as", "read as"),
    _Q("notes"),
)

_CONTENTION: Sequence[Quantity] = (
    _Q("network", form=spec_text),
    _Q("method"),
    _Q("routing"),
    _Q("loads", "T", form=",", latex="$T_i$"),
    _Q("degree", form=","),
    _Q("busiest_messages", "messages", form=",", aside=3),
    _Q("sum", form=",", aside=2),
    _Q("phase"),
    _Q("volume"),
    _Q("volume_of_all", "volume of all"),
    _Q("ranks", form=","),
    _Q("distance", "volume × distance", ",", aside=3),
    _Q("dimension"),
    _Q("axis"),
    _Q("level"),
    _Q("load", form=",", unit="messages"),
    _Q("channels", form=","),
    _Q("channel"),
    _Q("mapping"),
    _Q("objective"),
    _Q("loads_before", "T before", form=",", latex="$T_i$ before", unit="messages"),
    _Q("degree_before", "degree", form=",", unit="messages"),
    _Q("loads_now", "T now", form=",", latex="$T_i$ now", unit="messages"),
    _Q("degree_now", "degree now", form=",", unit="messages"),
    _Q("loads_after", "T after", form=",", latex="$T_i$ after", unit="messages"),
    _Q("degree_after", "degree", form=",", unit="messages"),
    _Q("degree_alone", "M-S", form=",", unit="messages"),
    _Q("degree_linear", "linear", form=",", unit="messages"),
    _Q("loads_alone", "T, M-S", form=",", latex="$T_i$, M-S", unit="messages"),
    _Q("loads_linear", "T, linear", form=",", latex="$T_i$, linear", unit="messages"),
    _Q("linear", "y = Qx", math=equations_latex),
    _Q("order"),
    _Q("value_before", "before", ","),
    _Q("value_now", "now", ","),
    _Q("joint_now", "joint now", ","),
    _Q("phases_now", "phases now", ","),
    _Q("distance_now", "volume times distance now", ","),
    _Q("moved_ranks", "ranks that move", ","),
    _Q("node_of_now", "node of every rank now"),
    _Q("value_after", "after", ","),
    _Q("lower_bound", "lower bound", ",", aside=2),
    _Q("optimal", audience="data"),
    _Q("proof", "optimal", proof_text),
    _Q("optimal_orders", "optimal orders", ","),
    _Q("over", "best of"),
    _Q("bound", "by"),
    _Q("found_by", "found by", aside=3),
    _Q("gap", form=","),
    _Q("node_of", "node of every rank", audience="data"),
    _Q("host_of", "name of the node of every rank", audience="data"),
    _Q("idle_nodes", "nodes without a rank", audience="data"),
    _Q("joint_before", "joint before", ","),
    _Q("joint_after", "joint after", ","),
    _Q("phases_before", "phases before", ","),
    _Q("phases_after", "phases after", ","),
    _Q("distance_before", "volume times distance before", ","),
    _Q("distance_after", "volume times distance after", ","),
    _Q("port_volume", "largest volume at a host's port", ",", audience="data"),
    _Q("port_load", "load of the busiest host port", ",", audience="data"),
    _Q("ports_before", "largest volume at a host's port before", ","),
    _Q("ports_after", "largest volume at a host's port after", ","),
    _Q("port_load_before", "load of the busiest host port before", ","),
    _Q("port_load_after", "load of the busiest host port after", ","),
    _Q("channels_before", "objective of channels alone before", ","),
    _Q("channels_after", "objective of channels alone after", ","),
)

_ROUTING: Sequence[Quantity] = (
    _Q("mesh"),
    _Q("occupancy", unit="messages"),
    _Q("steps"),
    _Q("step"),
    _Q("bits", "bit", joined(", ")),
    _Q("moved", form=","),
    _Q("nodes", "nodes in use", ","),
    _Q("state"),
    _Q("condition", "sends if 1"),
    _Q("cycle"),
    _Q("shifts"),
    _Q("tags", audience="data"),
    _Q("rules"),
    _Q("numbering"),
    _Q("delivered"),
    _Q("contention_free", "free of contention"),
    _Q("follows_lattice", "corrects the bits in this order"),
    _Q("buffers", unit="messages"),
    _Q("rounds"),
    _Q("busiest", "busiest\nchannel", ",", unit="messages"),
    _Q("hops", form=","),
    _Q("unit_steps_all", "all\nports", ",", unit="unit steps"),
    _Q("unit_steps_one", "one\nport", ",", unit="unit steps"),
    _Q("unit_steps_one_direction", "one\ndirection", ",", unit="unit steps"),
    _Q("registers", form=",", unit="unit steps", aside=1),
    _Q("mesh_busiest", "busiest\nchannel", ",", unit="messages"),
    _Q("mesh_hops", "hops", ",", aside=2),
    _Q("mesh_buffers", "buffers,\none port", unit="messages", aside=1),
    _Q("xy_busiest", "busiest channel of XY routing", unit="messages"),
    _Q("xy_hops", "hops of XY routing"),
    _Q("requires", aside=4),
    _Q("reason", "why not", aside=1),
    _Q("node"),
    _Q("register"),
)

_SIMULATION: Sequence[Quantity] = (
    _Q("label", "curve"),
    _Q("offered", form=".4f", none="–", unit="flits/cycle"),
    _Q("throughput", form=".4f", none="–", unit="flits/cycle"),
    _Q("throughput_half_width", " ", "±.4f", unit="flits/cycle"),
    _Q("accepted", form=".4f", none="–", unit="flits/cycle", aside=4),
    _Q("accepted_half_width", " ", "±.4f", unit="flits/cycle", aside=4),
    _Q("throughput_low", "from", ".4f", none="–", unit="flits/cycle"),
    _Q("throughput_high", "to", ".4f", none="–", unit="flits/cycle"),
    _Q("latency", form=".1f", none="–", unit="cycles"),
    _Q("latency_half_width", " ", "±.1f", unit="cycles"),
    *(
        _Q(
            f"latency_p{percent}{end}",
            head or f"{percent} % within",
            ".1f",
            none="–",
            unit="cycles",
        )
        for percent in (50, 95, 99)
        for end, head in (("", ""), ("_low", "from"), ("_high", "to"))
    ),
    _Q("latency_low", "from", ".1f", none="–", unit="cycles"),
    _Q("latency_high", "to", ".1f", none="–", unit="cycles"),
    _Q("waiting", form=".1f", none="–", unit="messages", aside=3),
    _Q("saturated"),
    _Q("settled", aside=3),
    _Q("injection_rate", "injection rate", "g"),
    _Q("packet_latency_average", "packet latency average", ".2f", none="–", unit="cycles"),
    _Q("network_latency_average", "network latency average", ".2f", none="–", unit="cycles"),
    _Q("hops_average", "hops average", ".2f", none="–"),
    _Q("accepted_rate", "accepted rate", ".4f"),
    _Q("unstable"),
    _Q("highest_stable_rate", "highest stable rate", "g", none="none"),
    _Q("depth", "flits in a buffer"),
    _Q("burst", "messages at once, on average"),
    _Q("arrivals", "source of messages"),
    _Q("rates", "what senders generate by"),
    _Q("lengths", "lengths, and their shares"),
    _Q("router_latency", "latency of a router", unit="cycles"),
    _Q("link_latency", "latency of a link", unit="cycles"),
    _Q("virtual_channels", "virtual channels of a link"),
    _Q("own_wires", "a wire for every virtual channel"),
    _Q("credit_latency", "latency of a credit", unit="cycles"),
    _Q("longest_link_delay", "longest delay of a link", unit="cycles"),
    _Q("no_tail_credit", "channels granted again once the tail is sent"),
    _Q("end_channels", "channels of every injection and ejection port"),
    _Q("injection_latency", "latency of an injection wire", unit="cycles"),
    _Q("ejection_latency", "latency of an ejection wire", unit="cycles"),
    _Q("service", "order of service"),
    _Q("service_rounds", "rounds of offers in a cycle"),
    _Q("flits"),
    _Q("cycles", aside=2),
    _Q("cycles_before", "cycles before the placement", aside=1),
    _Q("cycles_after", "cycles after the placement", aside=1),
    _Q("warm_up", "not measured at the start", unit="cycles"),
    _Q("seed"),
    _Q("tie", "tie rule", aside=4),
    _Q("dependencies", form=","),
    _Q("message"),
    _Q("destination", "to"),
    _Q("ready", "generated", unit="cycles", aside=3),
    _Q("queued", unit="cycles", aside=2),
    _Q("blocked", unit="cycles"),
    _Q("path"),
    _Q("first", "first cycle"),
    _Q("last", "last cycle"),
    _Q("hardware", "machine"),
    _Q("points"),
    _Q("part"),
    _Q("cycles_printed", "cycles in print", aside=3),
    _Q("printed"),
    _Q("equal"),
    _Q("exact", audience="data"),
    _Q("random_least", "random, least"),
    _Q("random_most", "random, most"),
    _Q("random_exact", "hits"),
    _Q("reversal_barrier", "bit reversal, barriers", unit="cycles"),
    _Q("reversal_free", "none", unit="cycles"),
    _Q("neighbours_barrier", "neighbours, barriers", unit="cycles", aside=3),
    _Q("neighbours_free", "none", unit="cycles", aside=3),
    _Q("overlap", unit="cycles", aside=2),
    _Q("execution_barrier", "execution, barriers", unit="µs"),
    _Q("execution_free", "none", unit="µs"),
)

_PIPELINING: Sequence[Quantity] = (
    _Q("c", latex="$c$"),
    _Q("d", latex="$d$"),
    _Q("i", latex="$i$", audience="data"),
    _Q("M", latex="$M$", audience="data"),
    _Q("Q", form=",", latex="$Q$"),
    _Q("N", "N, items", ",", latex="$N$"),
    _Q("B", "B, items in a block", ",", latex="$B$"),
    _Q("ports", aside=2),
    _Q("unit", "unit of times", unit_text),
    _Q("alpha", "α, start-up"),
    _Q("tau", "τ, per item"),
    _Q("barrier"),
    _Q("ratio", "α/τ", ",", latex=r"$\alpha/\tau$"),
    _Q("regime", aside=3),
    _Q("packet", "items in a packet", "~", aside=4),
    _Q("time", form="~", none="∞"),
    _Q("gain", form=".3f"),
    _Q("excess", "over the best", "+%", aside=1),
    _Q("role", "what"),
    _Q("model"),
    _Q("best_Q", "best Q", ","),
    _Q("best_time", "time T", "~"),
    _Q("best_gain", "gain over Q = 1", ".3f"),
    _Q("best_regime", "regime"),
    _Q("stationary", "Q*", ".3f", latex="$Q^*$"),
    _Q("evidence", "why no other Q"),
    _Q("evidence_holds", audience="data"),
    _Q("candidates", audience="data"),
    _Q("feasible_time", "T with schedules", "~"),
    _Q("quantity", audience="data"),
    _Q("now", form="~", none="∞"),
    _Q("low", "from", "~", none="∞"),
    _Q("high", "to", "~", none="∞"),
    _Q("task"),
    _Q("rule"),
    _Q("length", "steps", ","),
    _Q("max_load", "busiest link carries", ","),
    _Q("composed", "composed of"),
    _Q("conflict_free", audience="data"),
    _Q("links", form=","),
    _Q("used_steps", "in the steps", ranges_text),
    _Q("per_step", "a step has"),
    _Q("process"),
    _Q("partner", "to process"),
    _Q("direction"),
    _Q("max", "most", ","),
    _Q("provenance", "cost is", aside=2),
    _Q("speedup", "speed-up", ".2f"),
    _Q("best", "fastest method"),
    _Q("blocks", form=","),
    _Q("bound_share", "bound in rounds / its time", "%"),
    _Q("iterations"),
    _Q("count", "times"),
    _Q("total", "steps in all"),
    _Q("replay", "replay on the mesh"),
    _Q("violations", "packets read too early", ","),
    _Q("ok", audience="data"),
    _Q("formula"),
    _Q("latex", "LaTeX", audience="data"),
    _Q("where", "holds for", aside=1),
    _Q("shallow_steps"),
    _Q("case", "printed case"),
    _Q("agree"),
    _Q("of"),
)

_COLLECTIVES: Sequence[Quantity] = (
    _Q("collective"),
    _Q("algorithm"),
    _Q("start_ups", "start-\nups", ",", aside=2),
    _Q("segments", "Q", ",", latex="$Q$"),
    _Q("segments_to", "Q to", ",", aside=3),
    _Q("time_to", "time to", "~", aside=3),
    _Q("sizes", audience="data"),
    _Q("second", "second best", aside=4),
    _Q("second_time", "its time", "~", aside=4),
    _Q("over_bound", "over the\nbound", ".2f", none="∞"),
    _Q("start_ups_bound", "start-ups\nat least", ",", aside=1),
    _Q("data_bound", "data\nat least", aside=1),
    _Q("wrong", "what is wrong"),
    _Q("exactly", "each contribution followed"),
    _Q("operation"),
    _Q("block"),
)

QUANTITIES: Mapping[str, Quantity] = MappingProxyType(
    {
        quantity.key: quantity
        for quantity in (
            *(*_COMMUNICATIONS, *_CONTENTION, *_ROUTING),
            *(*_SIMULATION, *_PIPELINING, *_COLLECTIVES),
        )
    }
)
"""Every quantity by its key."""
