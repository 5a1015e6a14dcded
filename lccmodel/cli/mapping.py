"""How `lccmodel map` searches: options, where restarts run, what is told meanwhile."""

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
    from lccmodel.methods.placed import Over
    from lccmodel.methods.placement import Placement


@dataclass(frozen=True)
class SearchOptions:
    """How long and where to search: see the options of `lccmodel map`."""

    seconds: float
    seed: int
    workers: int
    cluster: str | None
    moves: int | None = None
    coordinates: Path | None = None


def answered(
    arguments: Sequence[str],
    network: str | None,
    over: Over | None,
    objective: Objective,
    weights: str | None,
    *,
    count: bool,
    search: SearchOptions,
) -> Placement:
    """The best placement of what is typed.

    Raises:
        InputError: bad input, or options that do not go together.
    """
    from lccmodel.communication.coordinates import read_coordinates
    from lccmodel.methods.placement.door import best_placement
    from lccmodel.problem import Problem

    problem = Problem.read(arguments, network)
    numbers = _weights(weights, problem.program)
    where = None if search.coordinates is None else read_coordinates(search.coordinates)
    with working("searching for the best placement") as say, _executor(search) as executor:
        return best_placement(
            problem,
            objective,
            over,
            numbers,
            count=count,
            seed=search.seed,
            seconds=search.seconds,
            executor=executor,
            moves=search.moves,
            coordinates=where,
            progress=_progress(say),
        )


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
