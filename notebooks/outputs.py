"""Compare the outputs that notebooks are stored with to those of a fresh run, or store them.

    python notebooks/outputs.py [NOTEBOOK ...]            compare; exit code 1 names what differs
    python notebooks/outputs.py --store [NOTEBOOK ...]    run and store the fresh outputs

Texts are compared without measured times, addresses in memory and identifiers, which differ in
every run. Pictures are compared by their presence, widgets by their text.
"""

from __future__ import annotations

import re
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
TIMEOUT = 300
"""Seconds that a cell may take."""

_TEXTS = ("text/plain", "text/markdown", "text/html", "text/latex", "application/json")
_VARYING = (
    (re.compile(r"\b\d[\d,.]*\s?(ns|µs|us|ms|s|min)\b"), "TIME"),
    (re.compile(r"\b0x[0-9a-f]{6,}\b"), "ADDRESS"),
    (re.compile(r"\b[0-9a-f]{32}\b"), "IDENTIFIER"),
)


def steady(text: str) -> str:
    """Return a text without what differs in every run.

    >>> steady("found in 12.3 ms at 0x7f12ab34cd56: degree 4")
    'found in TIME at ADDRESS: degree 4'
    """
    for pattern, word in _VARYING:
        text = pattern.sub(word, text)
    return text


def shown(output: Any) -> list[str]:
    """Return the comparable texts of an output of a cell, each with its kind."""
    kind = output["output_type"]
    if kind == "stream":
        return [f"{output['name']}: {steady(output['text'])}"] if output["name"] == "stdout" else []
    if kind == "error":
        return [f"error: {output['ename']}: {steady(output['evalue'])}"]
    data = output["data"]
    text = str(data.get("text/plain", ""))
    if text.startswith("Exploration("):  # a widget where a kernel runs, a picture elsewhere
        return [steady(text)]
    pictures = ["a picture"] if any(key.startswith("image/") for key in data) else []
    if pictures:
        return pictures
    return [f"{key}: {steady(str(data[key]))}" for key in _TEXTS if key in data]


def texts_of(cell: Any) -> list[str]:
    """Return the comparable texts of a cell; a stream that came in pieces is one text."""
    texts: list[str] = []
    for output in cell.outputs:
        for text in shown(output):
            is_stream = text.startswith("stdout: ")
            if is_stream and texts and texts[-1].startswith("stdout: "):
                texts[-1] += text.removeprefix("stdout: ")
            else:
                texts.append(text)
    return texts


def run(stored: Any, folder: Path) -> Any:
    """Return a copy of a notebook with the outputs of a clean kernel in a folder."""
    from nbclient import NotebookClient  # both load a grammar of addresses, which takes seconds

    fresh = deepcopy(stored)
    for cell in fresh.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    where = {"metadata": {"path": str(folder)}}
    NotebookClient(fresh, timeout=TIMEOUT, resources=where).execute()
    fresh.metadata.pop("widgets", None)  # a page without a kernel shows the text of a widget
    for cell in fresh.cells:
        for output in cell.get("outputs", ()):
            output.get("data", {}).pop("application/vnd.jupyter.widget-view+json", None)
    return fresh


def differences(stored: Any, fresh: Any) -> list[str]:
    """Return a line for every cell whose stored outputs are not those of the fresh run."""
    lines = []
    for k, (old, new) in enumerate(zip(stored.cells, fresh.cells, strict=True)):
        if old.cell_type != "code":
            continue
        before, after = texts_of(old), texts_of(new)
        if before != after:
            pairs = [(a, b) for a, b in zip(before, after, strict=False) if a != b]
            a, b = pairs[0] if pairs else (f"{len(before)} outputs", f"{len(after)} outputs")
            at = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), 0)
            start = max(0, at - 30)
            old_part, new_part = a[start : at + 50], b[start : at + 50]
            lines.append(f"cell {k}: stored {old_part!r}, fresh {new_part!r}")
    return lines


def main(arguments: list[str]) -> int:
    """Compare or store; 1 if outputs differ."""
    import nbformat

    store = "--store" in arguments
    named = [Path(a) for a in arguments if a != "--store"]
    code = 0
    for path in named or sorted(FOLDER.glob("*.ipynb")):
        stored = nbformat.read(path, as_version=4)
        fresh = run(stored, path.parent)
        if store:
            nbformat.write(fresh, path)
            continue
        for line in differences(stored, fresh):
            print(f"{path.name}: {line}")
            code = 1
    if code:
        print("make notebooks-store stores the fresh outputs")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
