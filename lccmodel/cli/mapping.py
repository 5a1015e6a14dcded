"""How `lccmodel map` finds its answer: ranks of submatrices where they apply, else `place`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from signal import SIG_IGN, SIGINT, signal
from typing import TYPE_CHECKING, Any

from lccmodel.cli.options import working
from lccmodel.errors import InputError

if TYPE_CHECKING:
    from lccmodel.communication.program import Program
    from lccmodel.lattice.programme import Objective
    from lccmodel.methods.mapping import Mapping
    from lccmodel.methods.placement import Placement
    from lccmodel.methods.placement.result import Over
    from lccmodel.network import Network
    from lccmodel.problem import Problem
    from lccmodel.show.records import Table

__all__ = ["SearchOptions", "answered"]


@dataclass(frozen=True)
class SearchOptions:
    """How long and where to search: see the options of `lccmodel map`."""

    seconds: float
    seed: int
    workers: int
    cluster: str | None
    moves: int | None = None
    coordinates: Path | None = None


@dataclass(frozen=True)
class MappedProgram:
    """A program, where it runs, and the mapping or placement found for it."""

    program: Program
    network: Network
    found: Mapping | Placement
    orders: int | None = None

    @property
    def node_of(self) -> Any:
        """The node of every rank; SizeLimitError for too many to list."""
        from lccmodel.methods.mapping import Mapping

        return self.found.to_physical if isinstance(self.found, Mapping) else self.found.node_of

    def table(self, notes: Sequence[str]) -> Table:
        """The answer for people and for programs."""
        from lccmodel.methods.mapping import Mapping
        from lccmodel.show.answers import mapping_table
        from lccmodel.show.placements import placement_table

        more = [*notes, *self.program.notes]
        if isinstance(self.found, Mapping):
            return mapping_table(self.found, self.orders, more)
        return placement_table(self.found, more)


def answered(
    arguments: Sequence[str],
    network: str | None,
    over: Over | None,
    objective: Objective,
    weights: str | None,
    *,
    count: bool,
    search: SearchOptions,
) -> MappedProgram:
    """The best mapping of what is typed.

    Raises:
        InputError: bad input, or options that do not go together.
    """
    from lccmodel.methods.placement.orders import is_linear_complement, usual_over
    from lccmodel.problem import Problem

    problem = Problem.read(arguments, network)
    program, target = problem.program, problem.network
    ranked = is_linear_complement(program, target)
    chosen = over or usual_over(problem)
    if chosen == "linear" and (count or (weights is not None and len(program) == 1)):
        raise InputError("--linear", "does not go with --count or --weights", list(arguments))
    numbers = _weights(weights, program)
    if ranked and objective != "joint" and chosen == "orders":
        return _ordered(program, target, objective, numbers, count)
    if count:
        rule = "counts orders of linear-complement communications on a cube or Origin"
        raise InputError("--count", rule, list(arguments))
    if ranked and objective == "max-max" and chosen == "linear" and len(program) == 1:
        return _linear(program, target)
    return _placed(problem, chosen, objective, numbers, search)


def _ordered(
    program: Program,
    network: Network,
    objective: Objective,
    numbers: Sequence[Fraction] | None,
    count: bool,
) -> MappedProgram:
    from lccmodel.methods.mapping import optimal_orders, optimal_reordering

    assert objective != "joint"
    members, stated = _members(program)
    weights = stated if numbers is None else numbers
    if len(members) == 1 and numbers is None:
        weights = [Fraction(1)]  # the objective is then the degree of contention
    problem = members if len(members) > 1 else members[0]
    with working("searching for the best mapping"):
        mapping = optimal_reordering(problem, network, objective, weights)
    orders = None
    if count:
        with working("counting the optimal orders"):
            orders = optimal_orders(problem, network, objective, weights).count()
    return MappedProgram(program, network, mapping, orders)


def _linear(program: Program, network: Network) -> MappedProgram:
    from lccmodel.methods.mapping import optimal_linear_mapping

    with working("searching for the best mapping"):
        return MappedProgram(
            program, network, optimal_linear_mapping(_members(program)[0][0], network)
        )


def _members(program: Program) -> tuple[list[Any], list[Fraction]]:
    """The communications with the names of their phases, and weight times volume of each."""
    from lccmodel.communication.entries import relabelled
    from lccmodel.communication.volumes import as_fraction

    members, weights = [], []
    for phase in program.phases:
        assert phase.lcc is not None
        volume = 1 if phase.traffic.total == phase.traffic.ranks else phase.traffic.volumes[0]
        members.append(relabelled(phase.lcc, phase.name) if phase.name else phase.lcc)
        weights.append(as_fraction(phase.weight) * as_fraction(volume))
    return members, weights


def _placed(
    problem: Problem,
    over: Over,
    objective: Objective,
    numbers: Sequence[Fraction] | None,
    search: SearchOptions,
) -> MappedProgram:
    from lccmodel.communication.coordinates import read_coordinates
    from lccmodel.methods.placement import place

    where = None if search.coordinates is None else read_coordinates(search.coordinates)
    with working("searching for the best placement") as say, _executor(search) as executor:
        best = place(
            problem,
            None,
            objective,
            over,
            weights=numbers,
            seed=search.seed,
            seconds=search.seconds,
            executor=executor,
            moves=search.moves,
            coordinates=where,
            progress=_progress(say),
        )
    return MappedProgram(problem.program, problem.network, best)


def _progress(say: Callable[[str], None]) -> Callable[[str], None]:
    done = 0

    def report(line: str) -> None:
        nonlocal done
        done += 1
        say(f"searching for the best placement: run {done}, {line} (Ctrl-C keeps the best so far)")

    return report


def _ignore_interrupts() -> None:
    """Ctrl-C is for the process that keeps the best so far; its workers end with it."""
    signal(SIGINT, SIG_IGN)


@contextmanager
def _executor(search: SearchOptions) -> Iterator[Executor | None]:
    """Where restarts run: here, on processes, or on a Dask cluster."""
    if search.cluster is not None:
        import distributed

        connect: Any = distributed.Client

        try:
            client = connect(search.cluster, timeout=10)
        except (OSError, ValueError, TypeError) as error:
            raise InputError("--cluster", "must be a Dask cluster", search.cluster) from error
        with client:
            yield client.get_executor()
    elif search.workers > 1:
        from concurrent.futures import ProcessPoolExecutor

        pool = ProcessPoolExecutor(search.workers, initializer=_ignore_interrupts)
        try:
            yield pool
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
    else:
        yield None


def _weights(text: str | None, program: Program) -> list[Fraction] | None:
    """The weights as typed."""
    if text is None:
        return None
    rule = f"must be {len(program)} positive numbers such as 2,1,1/3: one a communication"
    try:
        weights = [Fraction(part) for part in text.replace(",", " ").split()]
    except (ValueError, ZeroDivisionError):
        raise InputError("--weights", rule, text) from None
    if len(weights) != len(program) or min(weights, default=Fraction(0)) <= 0:
        raise InputError("--weights", rule, text)
    return weights
