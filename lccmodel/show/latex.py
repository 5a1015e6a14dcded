r"""Tables as LaTeX that compiles in a plain article and fits the line.

A table declares its preamble in comments (`PREAMBLE`). It is set in the largest of three sizes in
which it fits by an estimate of its width; long texts and sequences wrap in columns of their own;
what is still wider than the line is turned on its side, and only the last bit is scaled down. More
than `MAX_LINES` lines go on in further floats. Unicode is written by pylatexenc.

`tabularray` would share out the widths and break pages, but chooses neither the size nor the side,
and is not in the LaTeX that a Debian or a journal has by default (`kpsewhich tabularray.sty` finds
nothing without texlive-latex-extra, 77 MB): what is written here compiles with what is there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import count
from typing import Any, NamedTuple

PREAMBLE: tuple[str, ...] = (
    r"\usepackage{amsmath}",
    r"\usepackage{amssymb}",
    r"\usepackage{array}",
    r"\usepackage{booktabs}",
    r"\usepackage{graphicx}",
    r"\usepackage{rotating}",
)
"""What a document needs above `\begin{document}`."""

MAX_LINES, MAX_SIDEWAYS = 40, 24
"""Lines of one float, upright and on its side; a row may take several."""

_OWN = {
    "|": r"\textbar{}",
    "ᵀ": r"\ensuremath{^{\top}}",
    "·": r"\ensuremath{\cdot}",
    "∅": r"\ensuremath{\emptyset}",
    "→": r"\ensuremath{\rightarrow}",
    "×": r"\ensuremath{\times}",
    "–": "--",
    "µ": r"\ensuremath{\mu}",
    "°": r"\ensuremath{^{\circ}}",
    "¹": r"\ensuremath{^{1}}",
    "²": r"\ensuremath{^{2}}",
}
"""Signs for which the library asks for a font or package that a plain article does not have."""

_POWER = re.compile(r"(\d+)\\textasciicircum\{\}(\d+)")
"""A power of numbers, as it stands when every sign is escaped."""

_BETWEEN_HYPHENS = re.compile("(?<=-)(?=-)")

_SIZES = ((r"", 66), (r"\small", 73), (r"\footnotesize", 82))
"""Characters of the body font that fit a line of a plain article, size by size."""
_SIDEWAYS = 130
"""Characters that fit the height of the page in the smallest of the sizes."""
_SHORT, _NARROW, _READABLE = 18, 14, 24
"""Characters beyond which a column may wrap, that it keeps at least, and that read well."""
_WAITING = 6
"""Floats after which a long table asks for its pages, as LaTeX keeps only some in hand."""
_A_BIT = 1.15
"""How much too wide a table may be that is scaled down and not turned."""


@cache
def _encoder() -> Any:
    from pylatexenc.latexencode import (
        RULE_DICT,
        UnicodeToLatexConversionRule,
        UnicodeToLatexEncoder,
    )

    own = UnicodeToLatexConversionRule(RULE_DICT, {ord(sign): tex for sign, tex in _OWN.items()})
    return UnicodeToLatexEncoder(
        conversion_rules=[own, "defaults"],
        replacement_latex_protection="braces-after-macro",
        unknown_char_policy="unihex",
        unknown_char_warning=False,
    )


def escape_latex(text: str) -> str:
    r"""Text as LaTeX that prints it.

    >>> escape_latex("50% of T_0 & \\x")
    '50\\% of T\\_0 \\& \\textbackslash{}x'
    >>> escape_latex("α ≤ 2")
    '\\ensuremath{\\alpha} \\ensuremath{\\leq} 2'
    >>> escape_latex("2^10 points")
    '\\ensuremath{2^{10}} points'
    >>> escape_latex("--network")  # two hyphens are no dash
    '-{}-network'
    """
    parts = [str(_encoder().unicode_to_latex(part)) for part in _BETWEEN_HYPHENS.split(text)]
    return _POWER.sub(r"\\ensuremath{\1^{\2}}", "{}".join(parts))


def stacked_latex(lines: Sequence[str]) -> str:
    """Lines of LaTeX one above the other, within one cell."""
    if len(lines) == 1:
        return lines[0]
    stacked = r" \\ ".join(lines)
    return rf"\begin{{tabular}}[t]{{@{{}}l@{{}}}}{stacked}\end{{tabular}}"


def label(title: str) -> str:
    """A title as a word for labels and file names.

    >>> label("Example 5: images, 16×16")
    'example-5-images-16-16'
    """
    return "-".join(re.findall(r"[a-z0-9]+", title.lower())) or "table"


def distinct_labels(text: str, document: str = "") -> str:
    r"""Tables as LaTeX whose labels begin with the name of their document, numbered if repeated.

    >>> distinct_labels(r"\label{tab:a} \label{tab:a}", "p-cube-4")
    '\\label{tab:p-cube-4:a} \\label{tab:p-cube-4:a-no2}'
    """
    seen: Counter[str] = Counter()

    def renamed(label: re.Match[str]) -> str:
        name = label[1]
        seen[name] += 1
        number = "" if seen[name] == 1 else f"-no{seen[name]}"
        prefix = f"{document}:" if document else ""
        return rf"\label{{tab:{prefix}{name}{number}}}"

    return re.sub(r"\\label\{tab:([^}]*)\}", renamed, text)


def with_label(text: str, name: str) -> str:
    r"""Tables as LaTeX with the labels that the author chooses, numbered from the second on.

    >>> with_label(r"\label{tab:a} \label{tab:b}", "loads")
    '\\label{loads} \\label{loads-2}'
    """
    numbers = count(1)

    def chosen(_: re.Match[str]) -> str:
        number = next(numbers)
        return rf"\label{{{name}}}" if number == 1 else rf"\label{{{name}-{number}}}"

    return re.sub(r"\\label\{tab:[^}]*\}", chosen, text)


def latex_table(
    title: str,
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    right: Sequence[bool],
    texts: Sequence[Sequence[str]],
    whole: Sequence[bool],
    remarks: Sequence[str] = (),
    name: str = "",
) -> str:
    """A table as LaTeX: one float, or several for a long one.

    Args:
        title: the caption, plain text.
        heads, rows: cells as LaTeX.
        right: for every column, whether it is lined up on the right.
        texts: heads and rows as plain text, one list a column, from which widths are estimated.
        whole: for every column, whether its cells are formulas, which are not broken.
        remarks: sentences below the table, as LaTeX.
        name: the label, by default from the title.
    """
    widths = [
        _Width.of(column, not (side or formulas))
        for column, side, formulas in zip(texts, right, whole, strict=True)
    ]
    size, sideways, room = _fitting(widths)
    shares = _shares(widths, room)
    columns = "".join(map(_column, shares, right))
    below = sum(map(len, remarks)) // _SIDEWAYS  # what is said there takes lines, too
    lines = max(8, MAX_SIDEWAYS - below) if sideways else MAX_LINES
    parts = _parts(
        rows, [_height(row, shares) for row in list(zip(*texts, strict=True))[1:]], lines
    )
    environment = "sidewaystable" if sideways else "table"
    text = [f"% {line}" for line in PREAMBLE]
    for number, part in enumerate(parts):
        text += [r"\clearpage"] if number and not number % _WAITING else []
        more = " (continued)" if number else ""
        own = f"tab:{name or label(title)}" + (f"-{number + 1}" if number else "")
        text += [
            rf"\begin{{{environment}}}[tbp]",
            r"\centering",
            rf"\caption{{{escape_latex(title)}{more}.}}",
            rf"\label{{{own}}}",
            *([size] if size else []),
            r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
            rf"\begin{{tabular}}{{{columns}}}",
            _body(heads, part),
            r"\end{tabular}}",
            *_remarks(remarks),
            rf"\end{{{environment}}}",
        ]
    return "\n".join(text) + "\n"


def _body(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [r"\toprule", " & ".join(heads) + r" \\", r"\midrule"]
    return "\n".join([*lines, *(" & ".join(row) + r" \\" for row in rows), r"\bottomrule"])


def _remarks(remarks: Sequence[str]) -> list[str]:
    if not remarks:
        return []
    return [
        r"\par\smallskip",
        rf"\begin{{minipage}}{{\linewidth}}\footnotesize\raggedright {' '.join(remarks)}",
        r"\end{minipage}",
    ]


class _Width(NamedTuple):
    """Characters of a column, those of its longest word, and whether it may wrap."""

    most: int
    word: int
    wraps: bool

    @classmethod
    def of(cls, texts: Sequence[str], breakable: bool) -> _Width:
        most = max((len(line) for text in texts for line in text.split("\n")), default=1)
        longest = max((len(word) for text in texts for word in text.split()), default=1)
        wraps = breakable and any(" " in text for text in texts) and most > _SHORT
        return cls(most, -(-longest * 6 // 5), wraps)  # a bit more for wide letters


def _fitting(widths: Sequence[_Width]) -> tuple[str, bool, int]:
    """(size, whether on its side, characters to a line without gaps) that suit the table."""
    gaps = 2 * len(widths)
    least = gaps + sum(
        min(most, max(word, _READABLE)) if wraps else most for most, word, wraps in widths
    )
    for size, room in _SIZES:
        if least <= room:
            return size, False, room - gaps
    size, room = _SIZES[-1]
    if least <= _A_BIT * room:
        return size, False, max(room, least) - gaps
    return size, True, max(_SIDEWAYS, least) - gaps


def _shares(widths: Sequence[_Width], room: int) -> list[int | None]:
    """The characters to a line of every column that wraps; they share what the others leave."""
    wanted = sum(most for most, _, wraps in widths if wraps)
    free = room - sum(most for most, _, wraps in widths if not wraps)
    return [
        max(_NARROW, word, min(most, free * most // wanted)) if wraps and wanted > free else None
        for most, word, wraps in widths
    ]


def _column(share: int | None, right: bool) -> str:
    if share is None:
        return "r" if right else "l"
    return rf">{{\raggedright\arraybackslash}}p{{{0.5 * share:.1f}em}}"


def _height(row: Sequence[str], shares: Sequence[int | None]) -> int:
    """The lines that a row takes."""
    return max(
        sum(-(-len(line) // share) if share else 1 for line in text.split("\n"))
        for text, share in zip(row, shares, strict=True)
    )


def _parts(
    rows: Sequence[Sequence[str]], heights: Sequence[int], lines: int
) -> list[list[Sequence[str]]]:
    parts: list[list[Sequence[str]]] = [[]]
    used = 0
    for row, height in zip(rows, heights, strict=True):
        if parts[-1] and used + height > lines:
            parts.append([])
            used = 0
        parts[-1].append(row)
        used += height
    return parts
