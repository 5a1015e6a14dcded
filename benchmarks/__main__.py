"""`python -m benchmarks [NAME ...] [--list] [--repeats N] [--cpu] [--json FILE]`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time

from rich.console import Console
from rich.table import Table

from benchmarks.harness import Benchmark, Measurement, discover, machine, measure
from lccmodel.errors import InputError
from lccmodel.ground.files import write_atomically

_PIPE_WIDTH = 160  # a file has no width of its own


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", help="run those whose name contains one of these")
    parser.add_argument("--list", action="store_true", help="list the benchmarks and stop")
    parser.add_argument("--repeats", type=int, help="repeats instead of each one's own number")
    parser.add_argument("--cpu", action="store_true", help="CPU time, for a busy machine")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the measurements too")
    options = parser.parse_args(arguments)
    if options.repeats is not None and options.repeats < 1:
        parser.error(f"--repeats: must be at least 1; got {options.repeats}")
    every = discover()
    chosen = [b for b in every if not options.names or any(n in b.name for n in options.names)]
    if not chosen:
        names = ", ".join(benchmark.name for benchmark in every)
        parser.error(f"no benchmark has such a name; there are: {names}")
    if options.list:
        for benchmark in chosen:
            print(f"{benchmark.name:32} {benchmark.work}; peer: {benchmark.peer_name or 'none'}")
        return 0
    measured = _run(chosen, options.repeats, process_time if options.cpu else perf_counter)
    output = Console()
    if not output.is_terminal:
        output = Console(width=_PIPE_WIDTH)
    output.print(_table(measured, options.cpu))
    if options.json is not None:
        content = {
            "machine": machine(),
            "clock": "CPU" if options.cpu else "wall",
            "measurements": [m.record() for m in measured],
        }
        try:
            write_atomically(options.json, json.dumps(content, indent=2) + "\n")
        except InputError as error:
            parser.error(str(error))
    different = [m.name for m in measured if m.equal is False]
    if different:
        print(f"results differ from the peer's: {', '.join(different)}", file=sys.stderr)
    return 1 if different else 0


def _run(
    chosen: list[Benchmark], repeats: int | None, clock: Callable[[], float]
) -> list[Measurement]:
    progress = Console(stderr=True)
    measured = []
    for k, benchmark in enumerate(chosen, start=1):
        if progress.is_terminal:
            progress.print(f"[dim]{k}/{len(chosen)} {benchmark.name}[/dim]", end="\r")
        measured.append(measure(benchmark, repeats, clock))
    return measured


def _table(measured: list[Measurement], cpu: bool) -> Table:
    kind = "medians of CPU time" if cpu else "medians"
    table = Table(title=f"Speed: {kind}, peers in the same run, warm-up not counted")
    for heading in ("work", "size", "ours", "peer", "peer's time", "ratio", "goal", "reached"):
        words = heading in ("work", "peer", "reached")
        table.add_column(heading, justify="left" if words else "right", overflow="fold")
    for m in measured:
        table.add_row(
            m.work,
            _count(m.items),
            _time(m.seconds, m.items),
            m.peer or "-",
            _time(m.peer_seconds, m.peer_items) if m.peer_seconds else m.note or "-",
            f"{m.ratio:,.{0 if m.ratio >= 100 else 1}f}x" if m.ratio else "-",
            _goal(m),
            _verdict(m),
        )
    return table


def _time(seconds: float, items: int) -> str:
    return _seconds(seconds) + (f", {_seconds(seconds / items)} each" if items > 1 else "")


def _seconds(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def _count(items: int) -> str:
    return f"2^{items.bit_length() - 1}" if items > 64 and items & (items - 1) == 0 else f"{items}"


def _goal(m: Measurement) -> str:
    goals = [f"{m.goal:,g}x"] if m.goal is not None else []
    goals += [_seconds(m.goal_seconds)] if m.goal_seconds is not None else []
    return ", ".join(goals) or "-"


def _verdict(m: Measurement) -> str:
    if m.equal is False:
        return "[bold red]results differ[/bold red]"
    if m.reached is None:
        return "-"
    return "[green]yes[/green]" if m.reached else "[red]no[/red]"


if __name__ == "__main__":
    sys.exit(main())
