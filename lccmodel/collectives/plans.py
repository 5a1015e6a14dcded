"""A plan: the steps of a collective, each a set of messages that carry blocks of a vector.

Four ranks, a vector of four blocks, allreduce round a ring. In step 0 rank r sends block r - 1 to
rank r + 1, which adds it to its own; three such steps leave the whole sum of block r on rank r.
Three more carry the sums on, and now they are copied:

    step        0       1       2     | 3        4        5
    0 -> 1      b3 +    b2 +    b1 +  | b0 =     b3 =     b2 =
    1 -> 2      b0 +    b3 +    b2 +  | b1 =     b0 =     b3 =

A plan is the `Movement` of data that is copied and reduced: a message of a movement goes on in
the next step as it came, one of a plan splits into blocks that go different ways (a copy), and
merges with what is there (a sum). So what *holds* differs and is replayed by `collectives.replay`;
what *moves* does not: `Plan.movement` is the movement whose messages are those of the plan, and
its replay under a model of ports, drawings and unit steps are the ones that stand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import lcm
from typing import Any

import numpy as np

from lccmodel.collectives.replay import Fault, Kept, replay_plan
from lccmodel.collectives.steps import (
    MOST_LISTED,
    CollectiveName,
    Send,
    Stage,
    Steps,
    fixed,
)
from lccmodel.errors import InputError, SizeLimitError, checked_array, checked_integer
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Ints
from lccmodel.ground.words import checked_word
from lccmodel.movement import Movement
from lccmodel.network import Network


@typed_arguments
@dataclass(frozen=True, eq=False, repr=False)
class Plan(Steps):
    """Who sends which blocks to whom in every step.

    Args:
        collective: what it shall achieve: one of `COLLECTIVES`.
        ranks: how many take part, p.
        blocks: into how many equal parts the data is cut: those of one vector, and for
            "alltoall" those of all p vectors together.
        stages: the steps in order.
        root: where a broadcast starts and a reduction ends.
        name: of the algorithm.
        lag: a segment of the data starts so many steps behind the one before; see `segmented`.
        paced: the plan of every number of segments, if it is none of these; see `Paced`.

    Block b belongs to rank b // (blocks / p) where a collective asks for an owner.

    >>> ring = Plan.of_steps("allgather", 3, [
    ...     [(0, 1, [0]), (1, 2, [1]), (2, 0, [2])],
    ...     [(0, 1, [2]), (1, 2, [0]), (2, 0, [1])],
    ... ])
    >>> ring
    <Plan of allgather: 3 ranks, 2 steps, 6 messages>
    >>> ring.replay().ok
    True
    """

    @classmethod
    def of_steps(
        cls,
        collective: CollectiveName,
        ranks: int,
        steps: Iterable[Iterable[Any]],
        blocks: int | None = None,
        root: int = 0,
        name: str = "",
    ) -> Plan:
        """Return the plan of listed messages.

        Args:
            collective, ranks, root, name: as for `Plan`.
            steps: for every step its messages, (source, destination, blocks) or with a fourth
                entry "add" or "copy"; "copy" if left out.
            blocks: of the data; `ranks` if left out, ranks^2 for "alltoall".

        Raises:
            InputError: a rank or block that there is not, a message to its own rank, another
                operation.

        >>> Plan.of_steps("reduce", 2, [[(1, 0, [0, 1], "add")]]).replay().ok
        True
        """
        if blocks is None:
            blocks = ranks * ranks if collective == "alltoall" else ranks
        stages = [Stage(tuple(_sends(list(messages), ranks, blocks))) for messages in steps]
        return cls(collective, ranks, blocks, stages, root, name)

    # -- on a network, and replayed -------------------------------------------------------

    def movement(self, network: Network | str, node_of: Ints | None = None) -> Movement:
        """Return the same messages on a network, each a jump in its step: see the module.

        Args:
            network: of at least as many nodes.
            node_of: the node of every rank; rank r on node r if left out.

        Raises:
            SizeLimitError: more than 2^24 messages.

        >>> from lccmodel import collectives
        >>> collectives.plan("allreduce", "ring", 8).movement("torus:8").replay("one").ok
        True
        """
        if self.messages > MOST_LISTED:
            raise SizeLimitError("plan", f"at most {MOST_LISTED} messages move", self.messages)
        ends, steps = [np.empty((0, 2), np.int64)], [np.empty(0, np.int64)]
        for step, _, stage in self.timed():
            source, destination, _ = stage.ends()
            _, first = np.unique(stage.message_of(), return_index=True)
            ends.append(np.stack([source, destination], axis=1)[first])
            steps.append(np.full(len(first), step))
        pairs = np.concatenate(ends)
        if node_of is not None:
            node_of = checked_array("node_of", node_of)
            if node_of.shape != (self.ranks,):
                raise InputError("node_of", f"must be the node of all {self.ranks} ranks", node_of)
        placed = pairs if node_of is None else node_of[pairs]
        return Movement.of_schedule(network, placed, np.concatenate(steps), "split")

    def replay(self) -> Kept | Fault:
        """Move all blocks and see whether the collective is achieved; see `collectives.replay`."""
        return replay_plan(self)

    # -- other plans ----------------------------------------------------------------------

    def then(self, later: Plan, collective: CollectiveName) -> Plan:
        """Return this plan and then another of the same ranks; blocks are cut alike."""
        cut = lcm(self.blocks, later.blocks)
        first, second = self.refined(cut // self.blocks), later.refined(cut // later.blocks)
        stages = [*first.stages, *second.stages]
        lag = max(self.lag, later.lag)
        return replace(first, collective=collective, stages=stages, lag=lag, paced=None)

    def backwards(self, collective: CollectiveName, *, add: bool) -> Plan:
        """Return the plan run backwards: what was copied away is brought together.

        An allgather becomes a reduce-scatter, a broadcast a reduction, a scatter a gather.
        """

        def turned(send: Send, times: int) -> Send:
            blocks = send.blocks
            return Send(
                send.destination,
                send.source,
                send.size,
                lambda time, rows: blocks(times - 1 - time, rows),
                add,
            )

        stages = [
            Stage(tuple(turned(send, stage.times) for send in stage.sends), stage.times)
            for stage in reversed(self.stages)
        ]
        paced = self.paced and self.paced.mapped(lambda plan: plan.backwards(collective, add=add))
        return replace(self, collective=collective, stages=stages, paced=paced)

    def renamed(self, rank_of: Ints) -> Plan:
        """Return the plan in which rank r, with its blocks, is rank_of[r]."""
        per_rank = self.blocks // self.ranks if self.blocks % self.ranks == 0 else 0
        names = checked_array("rank_of", rank_of)
        if sorted(names.ravel().tolist()) != list(range(self.ranks)) or names.ndim != 1:
            raise InputError("rank_of", f"must be a permutation of 0..{self.ranks - 1}", rank_of)

        def moved(send: Send) -> Send:
            blocks = send.blocks

            def owned(time: int, rows: Ints) -> Ints:
                old = blocks(time, rows)
                return names[old // per_rank] * per_rank + old % per_rank if per_rank else old

            return replace(
                send,
                source=names[send.source],
                destination=names[send.destination],
                blocks=owned,
            )

        made = self._with(moved, self.blocks)
        paced = self.paced and self.paced.mapped(lambda plan: plan.renamed(names))
        return replace(made, root=int(names[self.root]), paced=paced)

    def segmented(self, segments: int) -> Plan:
        """Return the plan with so many segments, each `lag` steps behind the one before.

        In step t segment q does what the plan does in step t - q lag.

        >>> from lccmodel import collectives
        >>> collectives.plan("broadcast", "chain", 4).segmented(8)
        <Plan of chain broadcast: 4 ranks, 10 steps, 24 messages>
        """
        if checked_integer("segments", segments, least=1) == 1:
            return self
        if self.paced is not None and segments * self.ranks <= MOST_LISTED:
            made: Plan = self.paced.plan_of(segments)
            return replace(made, name=self.name, collective=self.collective)
        if segments * self.steps > MOST_LISTED or self.paced is not None:
            most = MOST_LISTED // max(1, self.steps)
            raise SizeLimitError("segments", f"must be at most {most}", segments)
        timed = [(time, stage) for _, time, stage in self.timed()]

        def part(send: Send, time: int, segment: int) -> Send:
            blocks = send.blocks
            numbered = send.segment * segments + segment
            return replace(
                send,
                blocks=lambda _, rows: blocks(time, rows) * segments + segment,
                segment=numbered,
            )

        stages = []
        lag = self.lag
        for step in range(len(timed) + lag * (segments - 1)):
            begun = (q for q in range(segments) if 0 <= step - q * lag < len(timed))
            now = [(timed[step - q * lag], q) for q in begun]
            sends = (part(s, time, q) for (time, stage), q in now for s in stage.sends)
            stages.append(Stage(tuple(sends)))
        return replace(self, stages=stages, blocks=self.blocks * segments, lag=1)

    def every(self, lag: int, first: int) -> Plan:
        """Return the steps `first`, `first` + `lag`, ... that segments use at one time."""

        def at(send: Send, time: int) -> Send:
            blocks = send.blocks
            return replace(send, blocks=lambda _, rows: blocks(time, rows))

        chosen = [timed for timed in self.timed() if timed[0] % lag == first]
        stages = [Stage(tuple(at(s, time) for s in stage.sends)) for _, time, stage in chosen]
        return replace(self, stages=stages, lag=1, paced=None)


def beside(plans: Sequence[Plan]) -> Plan:
    """Plans that run at the same time, each with its share of the data.

    They are of the same ranks and as many blocks; block b of plan i is block b * len(plans) + i.
    """
    first, many = plans[0], len(plans)
    if many == 1:
        return first

    def share(send: Send, number: int, start: int) -> Send:
        blocks = send.blocks
        return replace(send, blocks=lambda time, rows: blocks(start + time, rows) * many + number)

    queues = [[(stage, 0) for stage in plan.stages] for plan in plans]
    stages = []
    while any(queues):
        times = min(queue[0][0].times - queue[0][1] for queue in queues if queue)
        sends = []
        for number, queue in enumerate(queues):
            if not queue:
                continue
            stage, start = queue[0]
            sends += [share(send, number, start) for send in stage.sends]
            queue[:1] = [(stage, start + times)] if start + times < stage.times else []
        stages.append(Stage(tuple(sends), times))
    return replace(first, stages=stages, blocks=first.blocks * many, paced=None)


def _sends(messages: list[Any], ranks: int, blocks: int) -> Iterator[Send]:
    """Listed messages in groups that carry equally many blocks."""
    groups: dict[tuple[int, bool], list[tuple[int, int, list[int]]]] = {}
    for message in messages:
        u, v, carried, *operation = message
        add = _adds(operation[0] if operation else "copy")
        for rank in (u, v):
            if not 0 <= rank < ranks or u == v:
                rule = f"must be two ranks of 0..{ranks - 1}"
                raise InputError("source, destination", rule, (u, v))
        for block in carried:
            if not 0 <= block < blocks:
                raise InputError("block", f"must be in 0..{blocks - 1}", block)
        groups.setdefault((len(carried), add), []).append((u, v, list(carried)))
    for (size, add), group in groups.items():
        ends = np.array([(u, v) for u, v, _ in group], dtype=np.int64).T
        held = np.array([b for _, _, b in group], dtype=np.int64).reshape(len(group), size)
        yield Send(ends[0].copy(), ends[1].copy(), size, fixed(held), add)


def _adds(operation: object) -> bool:
    checked_word("operation", operation, ("add", "copy"))
    return operation == "add"
