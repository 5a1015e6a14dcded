"""Write the derived closed forms to `closed_forms.py`.

python -m lccmodel.pipelining.cost.generate [FILE]
"""

from __future__ import annotations

import sys
from pathlib import Path

from lccmodel.files import write_atomically
from lccmodel.pipelining.cost.derive import derived_form
from lccmodel.pipelining.cost.steps import MODELS

_HEAD = '''"""Closed forms of P(d,Q), derived by `derive`. Written by `generate`: do not edit.

FORMS[c, regime, model] = (numerator, excess): P = numerator / 18 + excess, in d and Q; in c too
where c is None.
"""

from __future__ import annotations

# fmt: off
# ruff: noqa: E501 - generated
FORMS: dict[tuple[int | None, str, str], tuple[str, str]] = {
'''


def generated_module() -> str:
    """The text of the module: any c for the load, c = 1, 2, 3 for every model."""
    keys = [(None, "load"), *((c, model) for c in (1, 2, 3) for model in MODELS)]
    lines = [_HEAD]
    for c, model in keys:
        for regime in ("shallow", "deep"):
            form = derived_form(c, regime, model)
            lines.append(f'    ({c}, "{regime}", "{model}"): (\n')
            lines.append(f'        "{form.numerator}",\n        "{form.excess}",\n    ),\n')
    return "".join([*lines, "}\n"])


if __name__ == "__main__":
    target = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("closed_forms.py")
    write_atomically(Path(target), generated_module())
