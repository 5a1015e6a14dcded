"""`lccmodel map`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from lccmodel.cli.options import (
    chosen_format,
    emit,
    idle_option,
    network_option,
    output_options,
    plot_option,
    working,
)

if TYPE_CHECKING:
    from lccmodel.cli.launch import Launcher
    from lccmodel.communication.messages import Idle
    from lccmodel.methods.mapping.subset import Objective

__all__ = ["map_command"]


@click.command("map", short_help="The processor mapping of least contention, and its proof.")
@click.argument("communications", nargs=-1, required=True, metavar="COMMUNICATION...")
@network_option
@click.option(
    "--objective",
    type=click.Choice(("max-max", "max-sum", "sum-sum")),
    default="max-max",
    show_default=True,
    help="What to minimise for several communications: the busiest channel when they are called "
    "one at a time (max-max), the busiest dimension when they run at the same time (max-sum), the "
    "busiest channels of all dimensions added up (sum-sum).",
)
@click.option(
    "--weights",
    metavar="W,W,...",
    help="How often each communication is called, or its volume, such as 2,1,1/3.  "
    "[default: those of the files]",
)
@click.option(
    "--linear",
    is_flag=True,
    help="Search all nonsingular linear mappings of one communication, not only reorderings.",
)
@click.option("--count", is_flag=True, help="Count the optimal orders (up to 20 bits).")
@click.option(
    "--rankfile",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a file that makes the launcher place rank x on processor Qx.",
)
@click.option(
    "--hosts",
    metavar="HOSTS",
    help="The processors, for --rankfile: a file with a host to a line (`name slots=K`), or a "
    "list such as a:4,b:4.",
)
@click.option(
    "--launcher",
    type=click.Choice(("openmpi", "slurm", "cray")),
    help="Whose rank file to write.  [default: openmpi]",
)
@click.option(
    "--spmd",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a runnable mpi4py program of the mapped communication.",
)
@idle_option
@plot_option
@output_options
def map_command(
    communications: tuple[str, ...],
    network: str | None,
    objective: Objective,
    weights: str | None,
    linear: bool,
    count: bool,
    rankfile: Path | None,
    hosts: str | None,
    launcher: Launcher | None,
    spmd: Path | None,
    idle: Idle,
    plot: Path | None,
    form: str | None,
    output: Path | None,
) -> None:
    """Which processor mapping has the least contention, and what proves it?

    A COMMUNICATION is a name of the catalogue, equations or a file; for several, one mapping is
    found for all of them together. The answer is an order of the address bits: its k-th entry
    is the old bit that becomes bit k of the processor's number. --plot draws what every channel
    carries before and after, all communications added up.

    \b
    Examples:
      lccmodel map matrix-transpose --network cube:8 --plot loads.png
      lccmodel map program.toml --objective max-sum --count
      lccmodel map reverse-flip --network origin:5 --linear
      lccmodel map trace.csv --rankfile ranks.txt --hosts hosts.txt --launcher slurm
    """
    from lccmodel.cli.inputs import parse_weights, read_problem
    from lccmodel.cli.launch import rank_file, spmd_file
    from lccmodel.cli.options import check_plot, save_plot
    from lccmodel.errors import InputError
    from lccmodel.files import write_atomically
    from lccmodel.methods.mapping import optimal_linear_mapping, optimal_orders, optimal_reordering
    from lccmodel.show.answers import mapping_table
    from lccmodel.show.program import require_cube

    chosen = chosen_format(form, output)
    check_plot(plot, output, rankfile, spmd)
    if rankfile is None and (hosts is not None or launcher is not None):
        raise InputError("--rankfile", "must be stated with --hosts or --launcher", rankfile)
    program, target = read_problem(communications, network, idle)
    require_cube(target)
    if linear and len(program) > 1:
        raise InputError("--linear", "maps one communication", f"{len(program)} communications")
    if linear and (count or weights is not None):
        raise InputError("--linear", "does not go with --count or --weights", communications)
    numbers = parse_weights(weights, program)
    members = [one.communication for one in program]
    problem = members if len(members) > 1 else members[0]
    with working("searching for the best mapping"):
        if linear:
            mapping = optimal_linear_mapping(members[0], target)
        else:
            mapping = optimal_reordering(problem, target, objective, numbers)
    orders = None
    if count:
        with working("counting the optimal orders"):
            orders = optimal_orders(problem, target, objective, numbers).count()
    files: dict[Path, tuple[str, str]] = {}
    if rankfile is not None:
        files[rankfile] = rank_file(mapping, rankfile, hosts, launcher or "openmpi")
    if spmd is not None:
        files[spmd] = spmd_file(mapping, members, spmd)
    for file, (content, _) in files.items():
        write_atomically(file, content)
    if plot is not None:
        from lccmodel.show.figures import draw_mapping

        with working("drawing"):
            save_plot(draw_mapping(mapping), plot)
    usage = [use for _, use in files.values()]
    if len(files) > 1:
        usage.append(
            "use one of the two files: both rename the processes, and together do it twice"
        )
    emit(mapping_table(mapping, orders, usage), chosen, output)
