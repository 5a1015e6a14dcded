"""LaTeX run on what is written: the errors, wide boxes and labels that its log complains of."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from lccmodel.references import REFERENCES
from lccmodel.show.latex import PREAMBLE

_WRONG = re.compile(
    r"! .{1,60}|Overfull .{40}|Float too large.{30}|too large for page"
    r"|Label `[^']*' multiply defined|(?:Citation|Reference) `[^']*' on page \d+ undefined"
)


def _has(document_class: str) -> bool:
    find = shutil.which("kpsewhich")
    if find is None or shutil.which("pdflatex") is None:
        return False
    command = [find, f"{document_class}.cls"]
    return not subprocess.run(command, capture_output=True, check=False).returncode


needs_latex = pytest.mark.skipif(not _has("article"), reason="no LaTeX here; see .ci/latex")
needs_ieee = pytest.mark.skipif(not _has("IEEEtran"), reason="no IEEEtran here; see .ci/latex")


def faults(
    bodies: Sequence[str],
    folder: Path,
    preamble: Sequence[str] = PREAMBLE,
    document_class: str = r"\documentclass{article}",
) -> list[str]:
    """What is wrong with the bodies in a document that lists all references, compiled twice."""
    cited = "".join(rf"\bibitem{{{key}}} {key}" + "\n" for key in REFERENCES)
    parts = [document_class, *preamble, r"\begin{document}", "\n\\clearpage\n".join(bodies)]
    parts += [r"\begin{thebibliography}{9}", cited, r"\end{thebibliography}", r"\end{document}"]
    (folder / "paper.tex").write_text("\n".join(parts))
    command = ["pdflatex", "-interaction=nonstopmode", "-no-shell-escape", "paper.tex"]
    for _ in range(2):  # references are known in the second run
        made = subprocess.run(command, cwd=folder, capture_output=True, timeout=300, check=False)
    log = (folder / "paper.log").read_text(errors="replace").replace("\n", " ")
    wrong = _WRONG.findall(log)
    return wrong if wrong or not made.returncode else [f"exit code {made.returncode}"]
