"""`python -m lccmodel.mpi`: FFT, transposition, pictures on 2^n processes; collectives on any.

    python -m lccmodel.mpi fft --points 4096 --ranks 16 --mapping optimal
    mpirun -n 8 python -m lccmodel.mpi collective allreduce --measure

Exit codes: 0 the result is right; 1 it is not, or MPI is missing or fails; 2 bad input.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from lccmodel.errors import FileError, InputError, Reason

if TYPE_CHECKING:
    from lccmodel.communication.lcc import LCC
    from lccmodel.mpi.job import Job, JobOutcome

_SEED = 1999


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a command and leave with its exit code; errors are one line."""
    from lccmodel.mpi.launch import MPIError

    code, message = 2, ""
    try:
        code = cli.main(arguments, "python -m lccmodel.mpi", standalone_mode=False) or 0
    except click.Abort:
        code, message = 130, "interrupted"
    except click.ClickException as error:
        message = f"error: {error.format_message()}"
    except InputError as error:
        message = f"error: {error}"
    except (MPIError, TimeoutError) as error:
        code, message = 1, f"error: {error}"
    if message:
        click.echo(f"lccmodel.mpi: {' '.join(message.split())}", err=True)
    sys.exit(code)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
def cli() -> None:
    """Programs of mapped communications, and collectives, on MPI processes of this machine."""


def _options(command: Callable[..., int]) -> Callable[..., int]:
    """What all commands take."""
    added = (
        click.option("--ranks", type=int, default=4, show_default=True, help="Processes, 2^n."),
        click.option(
            "--mapping",
            default="none",
            show_default=True,
            metavar="none|optimal|library|ORDER",
            help="No mapping; the order of least contention for this program, or for the whole "
            "image library; or an order of address bits, such as 2,0,1,3 (entry k is the old bit "
            "that becomes bit k).",
        ),
        click.option(
            "--run",
            "way",
            type=click.Choice(("mpirun", "threads", "here")),
            default="mpirun",
            show_default=True,
            help="Start mpirun; use threads, without MPI; or take part in the MPI processes that "
            "a launcher has started already (srun ... python -m mpi4py -m lccmodel.mpi ...).",
        ),
        click.option("--timeout", type=float, default=120.0, show_default=True, help="Seconds."),
    )
    return functools.reduce(lambda made, option: option(made), reversed(added), command)


@cli.command()
@click.option("--points", type=int, default=256, show_default=True, help="2^(n+2d), d >= 0.")
@_options
def fft(points: int, **settings: Any) -> int:
    """Transform random points and compare with numpy."""
    import numpy as np

    from lccmodel.mpi.fft import distributed_fft

    n = _dimension(settings["ranks"])
    if not 1 <= points <= 1 << 26:
        raise InputError("--points", "must be in 1..2^26", points)
    rng = np.random.default_rng(_SEED)
    data = rng.standard_normal(points) + 1j * rng.standard_normal(points)
    return _report(distributed_fft(data, n), np.fft.fft(data), "numpy.fft.fft", **settings)


@cli.command()
@click.option("--rows", type=int, default=256, show_default=True, help="2^r.")
@click.option("--columns", type=int, default=256, show_default=True, help="2^c.")
@_options
def transpose(rows: int, columns: int, **settings: Any) -> int:
    """Transpose a random matrix and compare with numpy."""
    import numpy as np

    from lccmodel.mpi.redistribution import transposition

    n = _dimension(settings["ranks"])
    if rows < 1 or columns < 1 or rows * columns > 1 << 26:
        raise InputError("--rows, --columns", "must have 1..2^26 elements", (rows, columns))
    matrix = np.random.default_rng(_SEED).integers(0, 1 << 40, (rows, columns))
    return _report(transposition(matrix, n), matrix.T, "numpy's transpose", **settings)


@cli.command()
@click.argument("picture", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--operation", default="rotate180", show_default=True, help="As in Example 5.")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="A PNG file.")
@_options
def image(picture: Path, operation: str, output: Path | None, **settings: Any) -> int:
    """Perform an operation of the image library on a picture, cut to powers of two.

    The result is compared with that of a single process.
    """
    from lccmodel.mpi.images import image_operation

    n = _dimension(settings["ranks"])
    pixels = _read(picture)
    job = image_operation(operation, pixels, n)
    alone = _alone(operation, pixels, job.shape)
    return _report(job, alone, "the result of one process", output=output, **settings)


@cli.command()
@click.argument("collective")
@click.option("--ranks", type=int, default=4, show_default=True, help="Processes, any number.")
@click.option("--algorithm", "algorithms", multiple=True, help="Of these alone; repeatable.")
@click.option(
    "--bytes",
    "sizes",
    default="64,1024,16384",
    show_default=True,
    metavar="SIZE,...",
    help="Sizes of the vector of a process.",
)
@click.option("--measure", is_flag=True, help="Measure, beside MPI's own algorithms.")
@click.option("--alpha", metavar="TIME", help="Start-up time in µs; measured if left out.")
@click.option("--tau", metavar="TIME", help="Time per byte in µs.")
@click.option("--seconds", type=float, default=5.0, show_default=True, help="How long to measure.")
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), help="A picture file.")
@click.option(
    "--run",
    "way",
    type=click.Choice(("mpirun", "threads", "here")),
    help="As for the other commands; here if a launcher has started this process already.",
)
@click.option("--timeout", type=float, default=120.0, show_default=True, help="Seconds.")
def collective(
    collective: str,
    ranks: int,
    algorithms: tuple[str, ...],
    sizes: str,
    measure: bool,
    alpha: str | None,
    tau: str | None,
    seconds: float,
    plot: Path | None,
    way: str | None,
    timeout: float,
) -> int:
    """Run plans of a collective on real data, and compare with numpy.

    With --measure beside MPI's own algorithms, and measured times beside predicted ones.
    """
    from lccmodel.mpi import planned

    if (alpha is None) != (tau is None):
        raise InputError("--alpha, --tau", "must be given together", alpha or tau)
    if alpha is not None and not measure:
        rule = "require --measure, which compares measured with predicted times"
        raise InputError("--alpha, --tau", rule, f"{alpha}, {tau}")
    if plot is not None:
        from lccmodel.show.style import check_figure

        if not measure:
            raise InputError("--plot", "requires --measure", str(plot))
        check_figure(plot, "--plot")
    if not timeout > 0:
        raise InputError("--timeout", "must be positive", timeout)
    chosen = way or ("here" if _processes() > 1 else "mpirun")
    if chosen == "threads" and measure:
        raise InputError("--measure", "must be on MPI", chosen)
    try:
        lengths = [int(part) for part in sizes.split(",")]
    except ValueError:
        rule = "must be whole numbers of bytes, such as 64,1024"
        raise InputError("--bytes", rule, sizes) from None
    cost = None
    if alpha is not None:
        from lccmodel.pipelining.message_cost import Linear

        cost = Linear(alpha, tau)
    order = planned.ordered(
        collective,  # type: ignore[arg-type]  # checked there
        _processes() if chosen == "here" else ranks,
        *(lengths, algorithms, seconds),
        cost=measure and cost is None,
        measure=measure,
    )
    rows = planned.rows_of(order, chosen, timeout)
    if rows is None:  # another process reports
        return 0
    measured = planned.outcome(order, rows, cost if measure else None)
    click.echo(measured.table().render())
    click.echo(f"{'equals' if measured.right else 'DIFFERS from'} numpy on every process")
    if plot is not None:
        from lccmodel.ground.files import write_atomically
        from lccmodel.show.style import figure_file

        write_atomically(plot, figure_file(measured.draw(), plot))
    return 0 if measured.right else 1


def _processes() -> int:
    """How many processes the launcher has started of which this is one; 1 if none has."""
    words = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS")
    return next((int(os.environ[word]) for word in words if word in os.environ), 1)


def _dimension(ranks: int) -> int:
    if ranks < 2 or ranks & (ranks - 1) or ranks > 1 << 10:
        raise InputError("--ranks", "must be 2, 4, 8, ..., 1024", ranks)
    return ranks.bit_length() - 1


def _report(
    job: Job,
    expected: Any,
    against: str,
    *,
    ranks: int,
    mapping: str,
    way: str,
    timeout: float,
    output: Path | None = None,
) -> int:
    import numpy as np

    order = _order(job, mapping)
    if order is not None:
        from lccmodel.communication.permutations import bit_permutation

        job = job.mapped(bit_permutation(order, name="mapping").images())
    outcome = _run(job, way, timeout)
    if outcome is None:  # another process reports
        return 0
    difference = float(np.abs(outcome.values.astype(complex) - expected).max())
    scale = max(1.0, float(np.abs(expected).max()))
    right = outcome.values.shape == expected.shape and difference <= 1e-12 * scale
    shown = "none" if order is None else f"order {order}"
    click.echo(_table(outcome, job.n, f"{job.name} on {ranks} processes, mapping: {shown}"))
    verdict = "equals" if right else "DIFFERS from"
    click.echo(f"{verdict} {against}; largest difference {difference:.2g}")
    if output is not None:
        _write(output, outcome.values)
    return 0 if right else 1


def _order(job: Job, mapping: str) -> tuple[int, ...] | None:
    """The order of address bits that an option names."""
    from lccmodel.gf2.matrix import GF2Matrix

    if mapping == "none":
        return None
    if mapping in ("optimal", "library"):
        from lccmodel.mpi.images import library
        from lccmodel.network import Hypercube
        from lccmodel.placement.mapping import optimal_reordering

        wanted = job.communications if mapping == "optimal" else library(job.n)
        members: list[LCC] = list(wanted.values())
        return optimal_reordering(members, Hypercube(job.n)).order
    try:
        order = tuple(int(part) for part in mapping.split(","))
    except ValueError:
        rule = "must be none, optimal, library, or an order such as 1,0"
        raise InputError("--mapping", rule, mapping) from None
    if len(order) != job.n:
        raise InputError("--mapping", f"must be an order of {job.n} bits", mapping)
    return GF2Matrix.from_order(list(order)).as_order()


def _run(job: Job, way: str, timeout: float) -> JobOutcome | None:
    from lccmodel.mpi import launch, local
    from lccmodel.mpi.job import execute

    if not timeout > 0:
        raise InputError("--timeout", "must be positive", timeout)
    if way == "threads":
        return local.run([job], timeout=timeout)[0]
    if way == "mpirun":
        return launch.run([job], timeout=timeout)[0]
    from mpi4py import MPI

    return execute(job, MPI.COMM_WORLD)


def _table(outcome: JobOutcome, n: int, title: str) -> str:
    from lccmodel.network import Hypercube
    from lccmodel.show.quantities import Column, Quantity
    from lccmodel.show.records import Table

    rows = []
    for phase in outcome.phases:
        pairs = outcome.pairs(phase)
        sizes = sorted({m.size for m in outcome.sent if m.phase == phase})
        size_text = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]}..{sizes[-1]}"
        degree = Hypercube(n).channel_loads(pairs).degree
        rows.append((phase, len(pairs), size_text, degree, outcome.seconds[phase]))
    columns: list[Column] = [
        "phase",
        "messages",
        Quantity("bytes", "bytes each"),
        Quantity("degree", "busiest channel\nof the cube"),
        Quantity("seconds", form=".4f"),
    ]
    return Table(title, columns, rows).render()


def _read(path: Path) -> Any:
    """A picture as int64 (2^h, 2^w, channels), the middle of it, values 0..255."""
    import numpy as np
    from matplotlib.image import imread

    try:
        pixels = np.asarray(imread(path))
    except (OSError, ValueError, SyntaxError) as error:
        raise FileError(path, 0, "must be a picture that can be read", Reason(error)) from None
    if pixels.dtype.kind == "f":  # PNG files are read as 0..1
        pixels = np.rint(pixels * 255)
    height, width = (1 << side.bit_length() - 1 for side in pixels.shape[:2])
    top, left = (pixels.shape[0] - height) // 2, (pixels.shape[1] - width) // 2
    return pixels[top : top + height, left : left + width].astype(np.int64)


def _alone(operation: str, pixels: Any, shape: tuple[int, ...] | None) -> Any:
    """The operation in one process, message by message."""
    import numpy as np

    from lccmodel.mpi.images import elements_of
    from lccmodel.mpi.layout import side_bits

    pairs = elements_of(operation, *side_bits(pixels)).pairs()
    flat = pixels.reshape(-1, *pixels.shape[2:])
    result = np.zeros_like(flat)
    np.add.at(result, pairs[:, 1], flat[pairs[:, 0]])
    return result.reshape(shape)


def _write(path: Path, values: Any) -> None:
    import io

    import numpy as np
    from matplotlib.image import imsave

    from lccmodel.ground.files import write_atomically

    content = io.BytesIO()
    largest = max(255, int(values.max()))
    imsave(content, (values * 255 // largest).astype(np.uint8), format="png", cmap="gray")
    write_atomically(path, content.getvalue())


if __name__ == "__main__":
    main()
