"""`lccmodel map`: where every rank should run, and what proves it; the files that put it to use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from signal import SIG_IGN, SIGINT, SIGTERM, signal
from typing import TYPE_CHECKING, Any, get_args

import click

from lccmodel.cli.check import certificate_option, save_certificate
from lccmodel.cli.modes import Rule, command, refuse_unless, refuse_unread
from lccmodel.cli.options import (
    Output,
    communications_argument,
    completed,
    file_option,
    network_option,
    output_options,
    plot_option,
    present_options,
    read_weights,
    table_options,
    working,
)
from lccmodel.errors import FileError, InputError
from lccmodel.ground.words import OBJECTIVES, Over
from lccmodel.placement.launchers import LAUNCHERS

if TYPE_CHECKING:
    from concurrent.futures import Executor

    import numpy.typing as npt

    from lccmodel.communication.program import Program
    from lccmodel.network import Network
    from lccmodel.placement.launchers import Launcher
    from lccmodel.placement.placement_result import Over
    from lccmodel.placement.search import ParetoFront, Placement
    from lccmodel.reading.hostlist import Host


_RULES = (
    Rule("launcher", lambda typed: typed["rankfile"], "requires --rankfile"),
    Rule(
        "hosts",
        lambda typed: typed["rankfile"] or typed["now"] is not None,
        "requires --rankfile or --now",
    ),
    Rule(
        "rankfile spmd certificate over objective weights linear count ports now hosts",
        lambda typed: not typed["front"],
        "cannot be combined with --front, which tries objectives between joint and distance",
    ),
    Rule(
        "seconds",
        lambda typed: typed["moves"] is None,
        "changes nothing with --moves, which says how long to search",
    ),
    Rule("workers", lambda typed: typed["cluster"] is None, "changes nothing with --cluster"),
)


@command(
    "map",
    rules=_RULES,
    short_help="Place the ranks of a program with minimum contention, and prove it.",
)
@communications_argument
@network_option
@click.option(
    "--over",
    type=click.Choice(get_args(Over)),
    help="Candidates: bit orders (orders), nonsingular linear maps (linear), or all placements. "
    "The first two require 2^n nodes.  [default: orders if every phase is linear-complement on a "
    "cube or Origin, else placements]",
)
@click.option(
    "--objective",
    metavar=f"[{'|'.join((*OBJECTIVES, 'distance'))}|mixture:S]",
    shell_complete=completed(lambda _: (*OBJECTIVES, "distance")),
    default="max-max",
    show_default=True,
    help="Quantity to minimise. max-max: maximum load with one communication at a time. joint: "
    "maximum load with all communications at the same time. max-sum: upper bound on joint, from "
    "the maximum load of each dimension. sum-sum: sum over dimensions of the maximum loads. "
    "distance: volume times distance (hop-bytes). mixture:S: S * channels * joint + (1 - S) * "
    "distance.",
)
@click.option(
    "--weights",
    metavar="W,W,...",
    help="Weight of each communication, such as its number of calls: 2,1,1/3.  [default: the "
    "weights in the files]",
)
@click.option(
    "--ports",
    metavar="BANDWIDTH",
    help="Bandwidth of a host's port. The objective then also covers the busiest port.",
)
@click.option(
    "--linear",
    is_flag=True,
    help="The same as --over linear.",
)
@click.option("--count", is_flag=True, help="Count the optimal orders (up to 20 bits).")
@file_option(
    "--rankfile",
    meaning="Write a file from which the launcher starts every rank on its node.",
)
@present_options
@click.option(
    "--launcher",
    type=click.Choice(tuple(LAUNCHERS)),
    help="Launcher that reads the rank file. jax and pytorch: the order of devices as a JSON "
    "list.  [default: openmpi]",
)
@click.option(
    "--front",
    is_flag=True,
    help="Find the Pareto front between maximum load (joint) and hop-bytes (distance). --plot "
    "draws it.",
)
@file_option(
    "--spmd",
    meaning="Write an mpi4py program that runs the mapped communication.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0, 1e6),
    default=10.0,
    show_default=True,
    help="Budget of the search in seconds of one core of a 2026 machine. It is a fixed number of "
    "moves, so a seed always gives the same result unless the search is cut off ten seconds "
    "later (processor time with one worker). Reading and bounds are not counted.",
)
@click.option(
    "--moves",
    type=click.IntRange(0),
    metavar="N",
    help="Number of moves to search, instead of --seconds. The search then has no time limit.",
)
@file_option(
    "--coordinates",
    meaning="File with the coordinates of each rank in the program's domain, one row per rank "
    "(with a header and, optionally, a column rank). Ranks that are near each other are placed "
    "near each other in one start of the search.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the search.")
@click.option(
    "--workers",
    type=click.IntRange(1, 1024),
    default=1,
    show_default=True,
    help="Number of parallel processes. The result does not depend on it.",
)
@click.option(
    "--cluster", metavar="ADDRESS", help="Address of a Dask cluster that runs the search."
)
@certificate_option
@plot_option
@table_options
@output_options
def map_command(
    communications: tuple[str, ...],
    network: Network | str | None,
    over: Over | None,
    objective: str,
    weights: str | None,
    ports: str | None,
    linear: bool,
    count: bool,
    rankfile: Path | None,
    now: str | None,
    hosts: str | None,
    launcher: Launcher | None,
    front: bool,
    spmd: Path | None,
    seconds: float,
    moves: int | None,
    coordinates: Path | None,
    seed: int,
    workers: int,
    cluster: str | None,
    certificate: Path | None,
    to: Output,
) -> None:
    """Place every rank of a program on a node of a network, and prove the result.

    A COMMUNICATION is a name of the catalogue, equations, a file of messages ("-" is standard
    input), or a process grid such as grid:16x4:rings:8,1: rings, shifts, stencil or all-to-all
    along its axes, with a volume for each axis. One mapping is found for all communications
    together. If it is a bit order, its k-th entry is the old address bit that becomes bit k of the
    node's number. --plot draws the load of every channel before and after.

    A search for placements ends after --seconds. Ctrl-C ends it at once and keeps the best
    placement so far. With --now it starts from the present placement, never returns a worse one,
    and counts the ranks that move.

    \b
    Examples:
      lccmodel map matrix-transpose --network cube:8 --plot loads.png
      lccmodel map program.toml --objective max-sum --count
      lccmodel map reverse-flip --network origin:5 --linear
      lccmodel map trace.csv --network torus:12x10x8 --rankfile ranks.txt --hosts node[001-960]
      lccmodel map run.prof --network 'slurm:topo.txt*16' --now now.txt --rankfile ranks.txt
      lccmodel map matrix-transpose --network cube:8 --certificate transpose.json
      lccmodel map grid:16x4:rings:8,1 --network torus:8x8 --objective joint
      lccmodel map grid:16x4:rings:8,1 --network torus:8x8 --front --plot front.png
    """
    from lccmodel.ground.files import write_atomically

    to.check(rankfile, spmd, certificate)
    if linear and over not in (None, "linear"):
        raise InputError("--over", "must be linear, or left out, with --linear", over)
    known = None if hosts is None else read_host_list(hosts)
    remarks: tuple[str, ...] = () if known is None else known[2]
    search = SearchOptions(seconds, seed, workers, cluster, moves, coordinates)
    if front:
        pareto_front = front_of(communications, network, search)
        to.check_columns(pareto_front.as_table())
        if to.plot is not None:
            from lccmodel.show.network_artists import figure_of

            to.draw(figure_of(pareto_front.plot()))
        to.emit(pareto_front.as_table())
        return
    lacks_hosts = rankfile is not None and known is None and now is None
    answer = answered(
        communications,
        network,
        "linear" if linear else over,
        objective,
        weights,
        count=count,
        search=search,
        now=now,
        hosts=None if now is None else hosts,
        ports=ports,
        launcher=(launcher or "openmpi") if lacks_hosts else None,
    )
    to.check_columns(answer.as_table())
    files: dict[Path, tuple[str, str]] = {}
    if rankfile is not None:
        listed = None if known is None else known[:2]
        files[rankfile], more = rank_file(answer, rankfile, listed, launcher or "openmpi")
        notes = dict.fromkeys((*answer.now_notes, *remarks, *more))
        answer = replace(answer, now_notes=tuple(notes))
        remarks = ()
    if spmd is not None:
        files[spmd] = spmd_file(answer.program, answer.node_of, spmd)
    if certificate is not None:
        save_certificate(answer, certificate)
    for file, (content, _) in files.items():
        write_atomically(file, content)
    if to.plot is not None:
        from lccmodel.show.summary import draw_placed

        with working("drawing"):
            to.draw(draw_placed(answer))
    usage = [use for _, use in files.values()]
    if len(files) > 1:
        usage.append(
            "use one of the two files: both rename the processes, and together do it twice"
        )
    to.emit(answer.as_table(), remarks=(*remarks, *usage))


@dataclass(frozen=True)
class SearchOptions:
    """How long and where to search: see the options of `lccmodel map`."""

    seconds: float
    seed: int
    workers: int
    cluster: str | None
    moves: int | None = None
    coordinates: Path | None = None

    @contextmanager
    def of(self, what: str) -> Iterator[dict[str, Any]]:
        """The arguments of `place` that they are, while it is said what is searched for."""
        from lccmodel.reading.coordinates import read_coordinates

        where = None if self.coordinates is None else read_coordinates(self.coordinates)
        with working(f"searching for {what}") as say, _executor(self) as executor:
            yield {
                "seconds": self.seconds,
                "seed": self.seed,
                "executor": executor,
                "moves": self.moves,
                "coordinates": where,
                "progress": _progress(say),
            }


def answered(
    arguments: Sequence[str],
    network: Network | str | None,
    over: Over | None,
    objective: str,
    weights: str | None,
    *,
    count: bool,
    search: SearchOptions,
    now: str | None = None,
    hosts: str | None = None,
    ports: str | None = None,
    launcher: Launcher | None = None,
) -> Placement:
    """The best placement of what is typed.

    Args:
        launcher: of a rank file without stated hosts; refused before the search if it needs them.

    Raises:
        InputError: bad input, or options that do not go together.
    """
    from lccmodel.placement.launchers import require_hosts
    from lccmodel.placement.objectives import loads_and_share, placement_objective
    from lccmodel.placement.placement_result import usual_over
    from lccmodel.placement.search.solve import place
    from lccmodel.problem import Problem

    problem = Problem.read(arguments, network)
    refuse_unread()
    if launcher is not None:
        try:
            require_hosts(problem.network, launcher)
        except InputError as error:
            raise InputError("--hosts", error.rule, error.value) from None
    kind = over or (usual_over(problem) if loads_and_share(objective)[1] == 1 else "placements")
    refuse_unless(
        kind == "placements",
        "seconds moves seed workers cluster coordinates",
        f"changes nothing over {kind}, which need no search; --over placements searches",
    )
    numbers = read_weights(weights, problem.program)
    with search.of("the best placement") as how:
        how |= {"weights": numbers, "count": count, "ports": ports}
        how |= {} if now is None else {"now": now, "hosts": hosts}
        return place(problem, None, placement_objective(objective), over, **how)


def front_of(
    arguments: Sequence[str], network: Network | str | None, search: SearchOptions
) -> ParetoFront:
    """Placements between busiest channel and hop-bytes for what is typed.

    Raises:
        InputError: bad input.
    """
    from lccmodel.placement.search.questions import pareto_front
    from lccmodel.problem import Problem

    problem = Problem.read(arguments, network)
    refuse_unread()
    with search.of("placements") as how:
        return pareto_front(problem, **how)


def _progress(say: Callable[[str], None]) -> Callable[[str], None]:
    done = 0

    def report(line: str) -> None:
        nonlocal done
        done += 1
        say(f"searching for the best placement: run {done}, {line} (Ctrl-C keeps the best so far)")

    return report


def _ignore_interrupts() -> None:
    """Ctrl-C and kill are for the process that keeps the best so far; its workers end with it."""
    signal(SIGINT, SIG_IGN)
    signal(SIGTERM, SIG_IGN)


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
            yield client.get_executor(pure=False)
    elif search.workers > 1:
        from concurrent.futures import ProcessPoolExecutor

        pool = ProcessPoolExecutor(search.workers, initializer=_ignore_interrupts)
        try:
            yield pool
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
    else:
        yield None


def read_host_list(text: str) -> tuple[tuple[Host, ...], str, tuple[str, ...]]:
    """Return the hosts of a file or a typed list, the file if Open MPI reads it, and notes.

    Raises:
        InputError: not a list of hosts.
    """
    from lccmodel.reading.hostlist import Host
    from lccmodel.reading.recognise import hosts_of, is_path

    try:
        hosts = hosts_of(text)
    except FileError:
        raise
    except InputError as error:
        raise InputError("--hosts", error.rule, error.value) from None
    own = text if hosts.format in ("openmpi-hostfile", "nodefile-pbs-oar") and is_path(text) else ""
    return tuple(Host(*host) for host in hosts.value), own, hosts.notes


def rank_file(
    answer: Placement,
    file: Path,
    hosts: tuple[Sequence[Host], str] | None,
    launcher: Launcher,
) -> tuple[tuple[str, str], tuple[str, ...]]:
    """Return the content of a rank file with a line that says how to use it, and notes.

    Raises:
        InputError: hosts are needed and not stated, are too few, or do not match the network.
    """
    from lccmodel.placement import launchers

    try:
        slots = None if hosts is None else hosts[0]
        network, now = answer.network, answer.now_nodes
        ranks = launchers.rank_file(network, answer.node_of, slots, launcher, now_nodes=now)
    except InputError as error:
        if error.argument != "hosts":
            raise
        raise InputError("--hosts", error.rule, error.value) from None
    usage = ranks.command(file, "" if hosts is None else hosts[1])
    return (ranks.content, f"{file}: {usage}"), ranks.notes


def spmd_file(
    program: Program, node_of: Sequence[int] | npt.NDArray[Any], file: Path
) -> tuple[str, str]:
    """The node program of what is sent, and a line that says how to use it.

    Raises:
        SizeLimitError: too many processors or messages.
    """
    from lccmodel.placement.placement_result import node_program

    usage = f"{file}: mpiexec -n {len(node_of)} python -m mpi4py {quote(str(file))}"
    return node_program(program, node_of), usage
