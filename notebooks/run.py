"""Run notebooks from clean kernels and store what their cells show.

    python notebooks/run.py [NOTEBOOK ...]      all of them by default

What is stored is for readers without a kernel, so that a widget is left out and the picture that
stands for it is kept.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parent
_WIDGET = "application/vnd.jupyter.widget-"


def run(path: Path, seconds: int = 600) -> None:
    """Run one notebook in its folder and write it back, the outputs new."""
    book = nbformat.read(path, as_version=4)
    NotebookClient(book, timeout=seconds, resources={"metadata": {"path": str(FOLDER)}}).execute()
    book.metadata.pop("widgets", None)
    for cell in book.cells:
        cell.metadata.pop("execution", None)  # when it ran, which changes every time
        for output in cell.get("outputs", []):
            keep_pictures(output)
    nbformat.write(book, path)


def keep_pictures(output: Any) -> None:
    """Leave out what only a running kernel can show, and a picture that is shown twice."""
    data = output.get("data", {})
    widgets = [kind for kind in data if kind.startswith(_WIDGET)]
    for kind in widgets:
        del data[kind]
    if "image/png" in data and "<figure><img" in "".join(data.get("text/html", "")):
        del data["image/png"]  # it is inside the HTML


if __name__ == "__main__":
    chosen = [Path(name) for name in sys.argv[1:]] or sorted(FOLDER.glob("*.ipynb"))
    for path in chosen:
        print(path, flush=True)
        run(path.resolve())
