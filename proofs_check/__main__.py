"""`python -m proofs_check` and the command `proofs-check`."""

from __future__ import annotations

from proofs_check.cli import main

if __name__ == "__main__":
    main()
