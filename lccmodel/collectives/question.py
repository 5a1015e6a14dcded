"""What is asked of all algorithms: a collective, where, at what prices, and of which ranks.

`choose`, `envelope` and `rules_file` make one of what they are given; answers carry it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from lccmodel.collectives.algorithms import Algorithm, AllOrOne
from lccmodel.collectives.collective import Collective, algorithm, algorithms_of, collective_of
from lccmodel.collectives.steps import CollectiveName
from lccmodel.collectives.times import Prices, prices_of
from lccmodel.errors import InputError
from lccmodel.network import Network, as_network
from lccmodel.pipelining.machine import Machine
from lccmodel.pipelining.message_cost import Linear


@dataclass(frozen=True, eq=False)
class Question:
    """A collective on a network at the prices of a machine.

    Attributes:
        collective, network, ports: which and where.
        prices: of messages.
        only: names of algorithms; all whose rule covers the ranks if there are none.
        also: algorithms of one's own.
        node_of: the node of every rank, if it is not rank r on node r.
        root: of a broadcast or reduction.
    """

    collective: CollectiveName
    network: Network
    ports: AllOrOne
    prices: Prices
    only: tuple[str, ...] = ()
    also: tuple[Algorithm, ...] = ()
    node_of: Any = None
    root: int = 0

    @classmethod
    def of(
        cls,
        collective: CollectiveName,
        machine: Any,
        network: Network | str | None = None,
        ports: AllOrOne | None = None,
        only: Sequence[str] = (),
        also: Iterable[Algorithm] = (),
        **more: Any,
    ) -> Question:
        """That of the arguments of `choose`: a machine may name its network and ports.

        >>> Question.of("allreduce", Machine("8x8", alpha=5, tau=1)).network.spec
        'mesh:8x8'
        """
        algorithms_of(collective)  # a name that there is not is said first
        if isinstance(machine, Machine):
            where: Network = machine.mesh if network is None else as_network(network)
            chosen = machine.ports if ports is None else ports
        elif network is None:
            raise InputError("network", "must be stated, unless the machine has one", network)
        else:
            where, chosen = as_network(network), ports or "one"
        names = [name for name in ("hop", "add", "inside") if name in more]
        prices = prices_of(machine, **{name: more.pop(name) for name in names})
        return cls(collective, where, chosen, prices, tuple(only), tuple(also), **more)

    def made(self, rules: Iterable[Algorithm]) -> list[Collective]:
        """The plans here of rules that cover the ranks; those that are asked for by name must."""
        options = {"node_of": self.node_of, "ports": self.ports, "root": self.root}
        found = []
        for rule in rules:
            try:
                found.append(collective_of(self.collective, rule, self.network, **options))
            except InputError as error:
                if self.only or not error.argument.startswith("algorithm "):
                    raise
        return found

    def collectives(self) -> Sequence[Collective]:
        """The plans of all algorithms that are asked for."""
        if self.only:
            return self.made(algorithm(self.collective, name) for name in self.only)
        if self.also or self.node_of is not None:
            return self.made(algorithms_of(self.collective, self.also))
        return _known(self.collective, self.network, self.ports, self.root)


@lru_cache(maxsize=32)
def _known(
    collective: CollectiveName, network: Network, ports: AllOrOne, root: int
) -> Sequence[Collective]:
    """Plans have no prices."""
    asked = Question(collective, network, ports, Prices(Linear(1, 1)), root=root)
    return asked.made(algorithms_of(collective))
