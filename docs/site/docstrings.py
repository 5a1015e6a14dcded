"""Docstrings as this project writes them, for autodoc: Google sections, mathematics in plain text.

|GL(n, 2)| is the size of a group, not a substitution of reStructuredText; and "Number of nodes:
2^n" above a property is a sentence, not a type with a description.
"""

import re
from typing import Any

from sphinx.application import Sphinx
from sphinx.ext.napoleon import Config, GoogleDocstring

_BAR = re.compile(r"(?<!\\)\|")
_LITERAL = re.compile(r"(`[^`]*`)")
_SETTINGS = Config(napoleon_custom_sections=[("Attributes", "params_style")])


def plain_bars(line: str) -> str:
    """Bars outside of code say what they are: |A| is the size of A.

    >>> plain_bars("|A| and `a | b`")
    '\\\\|A\\\\| and `a | b`'
    """
    if line.lstrip().startswith((">>>", "...")):
        return line
    parts = _LITERAL.split(line)
    return "".join(p if p.startswith("`") else _BAR.sub(r"\\|", p) for p in parts)


def process(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Turn a docstring into reStructuredText, in place."""
    if what not in ("attribute", "property", "data"):
        lines[:] = str(GoogleDocstring(lines, _SETTINGS, app, what, name, obj, options)).split("\n")
    lines[:] = with_plain_bars(lines)


def with_plain_bars(lines: list[str]) -> list[str]:
    """All lines but those of examples and their output."""
    found, example = [], False
    for line in lines:
        example = line.lstrip().startswith(">>>") or (example and bool(line.strip()))
        found.append(line if example else plain_bars(line))
    return found


def readable(
    app: Any, what: str, name: str, value: Any, options: Any, signature: Any, returns: Any
) -> tuple[Any, Any] | None:
    """A default that is a function as `...`: Sphinx cannot read `<function <lambda>>`."""
    if not signature or "<" not in signature:
        return None
    return re.sub(r"= ?<(?:[^<>]|<[^<>]*>)*>", "= ...", signature), returns


def setup(app: Sphinx) -> dict[str, bool]:
    """Listen to autodoc."""
    app.connect("autodoc-process-docstring", process)
    app.connect("autodoc-process-signature", readable)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
