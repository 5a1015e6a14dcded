"""The command line `lccmodel`.

    catalog, recognise           which communications there are, and which one a trace is
    contention, map, route       where messages collide, and the mapping or routing that avoids it
    pipeline, schedule, exchange hypercube algorithms on meshes: packets, steps, complete exchange
    simulate, fft, trace         wormhole switching: latency and throughput, an FFT, single worms
    report                       all of it for program files, and the tables and figures of papers
    references                   the papers, and their BibTeX entries

Nothing but click is loaded until a command runs, so that `--help` answers at once.
"""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """Run the command line and leave with its exit code; see `app.Tool.main`."""
    try:
        from lccmodel.cli.app import cli

        cli.main(prog_name="lccmodel")
    except KeyboardInterrupt:  # while modules are loaded
        raise SystemExit(130) from None
