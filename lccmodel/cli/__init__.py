"""The command line `lccmodel`: catalog, contention, map, recognise, report.

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
