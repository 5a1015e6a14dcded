r"""Tables as LaTeX for a two-column paper: a table fits one column of 252 points, as IEEE's are.

A table is a float of one column in \footnotesize. Its widths are estimated from those of letters.
Columns of long texts wrap. A table that is still too wide leaves out columns: those that have one
value throughout, then those that its author marks as dispensable. What is then wider than a column
becomes a `table*`, and what is wider than a plain article goes on in further floats with its first
column repeated. Nothing is scaled or turned. A comment above the table states what was left out.

`tabularray` would share out the widths and break pages, but leaves out no column, and is not in the
LaTeX that a Debian or a journal has by default (`kpsewhich tabularray.sty` finds nothing without
texlive-latex-extra, 77 MB): what is written here compiles with what is there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count
from math import ceil
from typing import Any, NamedTuple

PREAMBLE: tuple[str, ...] = (
    r"\usepackage{amsmath}",
    r"\usepackage{amssymb}",
    r"\usepackage{array}",
    r"\usepackage{booktabs}",
)
"""What a document needs above `\begin{document}`."""

MAX_LINES = 40
"""Lines of one float; a row may take several."""

COLUMN, WIDE = 252.0, 320.0
"""Points that a table has in one column of IEEE, and in a `table*`, which fits an article, too."""

_SIGNS = {
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
    "\u200b": r"\hspace{0pt}",
}
"""Signs for which the library asks for a font or package that a plain article does not have."""

_POWER = re.compile(r"(\d+)\\textasciicircum\{\}(\d+)")
"""A power of numbers, as it stands when every sign is escaped."""

_BETWEEN_HYPHENS = re.compile("(?<=-)(?=-)")

_SIZE = 8.0
r"""Points of \footnotesize in IEEE's class."""
_GAP = 8.0
"""Points between two columns."""
_NARROW = 64.0
"""Points that a column of wrapped text has at least."""
_SHORT = 90.0
"""Points up to which a column of text is not wrapped."""
_LONGEST_WORD = 24
"""Characters beyond which a word may be broken."""
_WAITING = 6
"""Floats after which a long table asks for its pages, as LaTeX keeps only some in hand."""
_LEAST_BELOW = 3
"""Lines that may stand below the smallest of tables."""


@cache
def _encoder() -> Any:
    from pylatexenc.latexencode import (
        RULE_DICT,
        UnicodeToLatexConversionRule,
        UnicodeToLatexEncoder,
    )

    own = UnicodeToLatexConversionRule(RULE_DICT, {ord(sign): tex for sign, tex in _SIGNS.items()})
    return UnicodeToLatexEncoder(
        conversion_rules=[own, "defaults"],
        replacement_latex_protection="braces-after-macro",
        unknown_char_policy="unihex",
        unknown_char_warning=False,
    )


@cache
def _citation() -> re.Pattern[str]:
    """A source as texts name it: [hou], [hou, Theorem 6], [calmant 2.3]."""
    from lccmodel.references import REFERENCES

    return re.compile(rf"\[({'|'.join(REFERENCES)})(?:,? ([^\[\]]+))?\]")


def escape_latex(text: str) -> str:
    r"""Text as LaTeX that prints it; a source of the library becomes a citation.

    >>> escape_latex("50% of T_0 & \\x")
    '50\\% of T\\_0 \\& \\textbackslash{}x'
    >>> escape_latex("α ≤ 2")
    '\\ensuremath{\\alpha} \\ensuremath{\\leq} 2'
    >>> escape_latex("2^10 points")
    '\\ensuremath{2^{10}} points'
    >>> escape_latex("--network")  # two hyphens are no dash
    '-{}-network'
    >>> escape_latex("exhaustive [hou, Theorem 6]")
    'exhaustive \\cite[Theorem~6]{hou}'
    """
    parts, at = [], 0
    for source in _citation().finditer(text):
        place = _escaped(source[2] or "").replace(" ", "~")
        cited = rf"\cite[{place}]" if place else r"\cite"
        parts += [_escaped(text[at : source.start()]), rf"{cited}{{{source[1]}}}"]
        at = source.end()
    return "".join([*parts, _escaped(text[at:])])


_COMPARED = {"<=": "≤", ">=": "≥", "->": "→"}


def _escaped(text: str) -> str:
    text = re.sub(r"(?<![-<>])(<=|>=|->)(?![-<>])", lambda sign: _COMPARED[sign[0]], text)
    parts = [str(_encoder().unicode_to_latex(part)) for part in _BETWEEN_HYPHENS.split(text)]
    return _POWER.sub(r"\\ensuremath{\1^{\2}}", "{}".join(parts))


def breakable(text: str) -> str:
    r"""Text with places at which its long words may be broken.

    >>> breakable("torus:16x16,nodes=1-7").replace("\u200b", "|")
    'torus:16x16,nodes=1-7'
    >>> breakable("torus:16x16,nodes=1:2:3:4:5:6").replace("\u200b", "|")
    'torus:|16x16,|nodes=|1:|2:|3:|4:|5:|6'
    """
    return re.sub(rf"\S{{{_LONGEST_WORD + 1},}}", _broken_word, text)


def _broken_word(word: re.Match[str]) -> str:
    parts = re.sub(r"(?<=[^\W_])([:,;/=.]|_+|-+)(?=\w)", "\\1\u200b", word[0])
    return re.sub("[^\u200b]{16}(?=[^\u200b])", "\\g<0>\u200b", parts)


def stacked_latex(lines: Sequence[str], side: str = "l", at: str = "t") -> str:
    """Lines of LaTeX one above the other, within one cell."""
    if len(lines) == 1:
        return lines[0]
    stacked = r" \\ ".join(lines)
    return rf"\begin{{tabular}}[{at}]{{@{{}}{side}@{{}}}}{stacked}\end{{tabular}}"


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
    prefix = f"{document}:" if document else ""

    def renamed(label: re.Match[str]) -> str:
        kind, name = label[1], label[2]
        seen[kind + name] += 1
        number = "" if seen[kind + name] == 1 else f"-no{seen[kind + name]}"
        return rf"\label{{{kind}:{prefix}{name}{number}}}"

    text = re.sub(r"\\label\{(tab|eq):([^}]*)\}", renamed, text)
    return text.replace(r"\eqref{eq:", rf"\eqref{{eq:{prefix}")


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


# -- widths -------------------------------------------------------------------------------------

_EMS = {
    **dict.fromkeys("ijl!|.,:;'`", 0.28),
    **dict.fromkeys('frtsI()[]{}-"', 0.40),
    **dict.fromkeys("ABCDEFGHKLNOPQRSTUVXYZ&J", 0.74),
    **dict.fromkeys("mwMW%@+=<>±×≤≥→∞–…", 0.90),
    " ": 0.32,
    "\u200b": 0.0,
}
"""Widths of letters in ems, the larger of those of Times and of Computer Modern, about."""


def text_width(text: str) -> float:
    """The points that a line of text takes in a table, about.

    >>> text_width("permutation") < text_width("PERMUTATION") < 80
    True
    """
    return _SIZE * sum(_EMS.get(letter, 0.53) for letter in text)


_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[^\\]", re.DOTALL)
_SPACES = {r"\,": 0.17, r"\ ": 0.33, r"\quad": 1.0, r"\left": 0.0, r"\right": 0.0}
_SPACES |= dict.fromkeys((r"\bigl", r"\bigr", r"\Bigl", r"\Bigr", " ", "&", "$", "~"), 0.0)
_SIGN_COMMANDS = (r"\le", r"\leq", r"\ge", r"\geq", r"\to", r"\cdots", r"\bmod")
_WORDS = {r"\min": 1.7, r"\max": 1.9, r"\sum": 1.1, r"\log": 1.3, r"\gcd": 1.4}


def math_width(tex: str) -> float:
    r"""The ems that a formula takes, about.

    >>> round(math_width(r"abc"), 2), round(math_width(r"\frac{abc}{d}"), 2)  # a bar is wider
    (1.74, 1.94)
    """
    return _math(_TOKEN.findall(tex))


def _math(tokens: list[str]) -> float:
    """The ems of what comes before the next closing brace, which is taken, too."""
    total, base, low, high = 0.0, 0.0, 0.0, 0.0
    while tokens and tokens[0] != "}":
        token = tokens.pop(0)
        if token in "_^":
            width = 0.72 * _atom(tokens)
            low, high = (width, high) if token == "_" else (low, width)
            continue
        total += _with_scripts(base, low, high)
        low = high = 0.0
        tokens.insert(0, token)
        is_operator = token in (r"\min", r"\max", r"\sum")
        width = _atom(tokens)
        base = -width if is_operator else width  # scripts stand below it, not beside
    if tokens:
        tokens.pop(0)
    return total + _with_scripts(base, low, high)


def _with_scripts(base: float, low: float, high: float) -> float:
    scripts = max(low, high)
    return max(-base, scripts) if base < 0 else base + scripts


def _atom(tokens: list[str]) -> float:
    if not tokens:
        return 0.0
    token = tokens.pop(0)
    if token == "{":
        return _math(tokens)
    if token in (r"\frac", r"\tfrac", r"\dfrac"):
        above = _atom(tokens)
        return (0.72 if token == r"\tfrac" else 1.0) * max(above, _atom(tokens)) + 0.2
    if token == r"\sqrt":
        return 0.85 + _atom(tokens)
    if token in _SPACES:
        return _SPACES[token]
    if token in _WORDS:
        return _WORDS[token]
    if token in _SIGN_COMMANDS or token in "+-=<>":
        return 1.3
    return 0.66 if len(token) > 1 else 0.45 if token in "().,:;[]|/" else 0.58


_LINE = 21.5
"""Ems that a line of a displayed formula has in a column, beside its number."""


def numbered_formula(formula: str, name: str, left: str = "") -> str:
    r"""A formula of one or several lines as a numbered one with a label, within a column.

    Args:
        formula: within a line of text, or an `align*`.
        name: the label.
        left: the left side of a formula within a line.

    >>> print(numbered_formula("$a + b$", "eq:sum"))
    \begin{equation}\label{eq:sum}
    a + b
    \end{equation}
    """
    if r"\begin{align*}" in formula:
        body = formula.split("\\begin{align*}\n")[1].split("\n\\end{align*}")[0]
        lines = body.split(" \\\\\n")
        opened, closed = "{\\allowdisplaybreaks\n", "}"
    else:
        first, *more = _lines(f"{left} = {formula.strip('$')}" if left else formula.strip("$"))
        lines = [f"& {first}", *more]
        opened = closed = ""
        if len(lines) == 1:
            body = lines[0].removeprefix("& ")
            return f"\\begin{{equation}}\\label{{{name}}}\n{body}\n\\end{{equation}}"
    lines[0] += rf" \label{{{name}}}"
    several = " \\\\\n".join([lines[0], *(rf"{line} \notag" for line in lines[1:])])
    return f"{opened}\\begin{{align}}\n{several}\n\\end{{align}}{closed}"


def _lines(formula: str) -> list[str]:
    """A formula in lines that fit, broken after commas and before signs outside of brackets."""
    pieces, depth, braces = [""], 0, 0
    tokens = _TOKEN.findall(formula)
    for k, token in enumerate(tokens):
        sized = k and tokens[k - 1] in (r"\bigl", r"\bigr")
        braces += (token == "{") - (token == "}")
        depth += 0 if sized else (token == "(") - (token == ")")
        if braces == depth == 0 and token in "+-" and pieces[-1].strip():
            pieces.append("")
        pieces[-1] += token
        if braces == 0 and token in (r"\,", r"\ ") and k and tokens[k - 1] == ",":
            pieces.append("")
    lines = [""]
    for piece in pieces:
        if lines[-1] and math_width(lines[-1] + piece) > _LINE:
            lines.append(r"&\quad ")
        lines[-1] += piece
    return lines


# -- tables -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TexColumn:
    """A column of a table.

    Attributes:
        head, cells: as LaTeX.
        texts: head and cells as plain text, from which widths are estimated.
        is_right: whether it is lined up on the right.
        aside: how soon it is left out where the table is too wide; 0 never.
        name: how it is called where it is left out.
        ems: for a column of formulas the ems of the widest, which is not broken; else 0.
    """

    head: str
    cells: Sequence[str]
    texts: Sequence[str]
    is_right: bool = False
    aside: int = 0
    name: str = ""
    ems: float = 0.0


def latex_table(
    title: str,
    columns: Sequence[TexColumn],
    name: str = "",
    must: Sequence[str] = (),
    may: Sequence[tuple[str, str]] = (),
) -> str:
    """A table as LaTeX: one float, or several for a long one.

    Args:
        title: the caption, plain text.
        columns: at least one, with equally many cells.
        name: the label, by default from the title.
        must: sentences below the table, plain text.
        may: further ones, each as plain text and as LaTeX, first those that matter most: as far as
            the lines below the table are not more than its own. Comments above it have the rest.
    """
    widths = [_Width.of(column) for column in columns]
    blocks, limit = _blocks(columns, widths)
    hidden = [column for k, column in enumerate(columns) if not any(k in b for b in blocks)]
    constant = [
        (f"{column.name}: {column.texts[1]}.", f"{escape_latex(column.name)}: {column.cells[0]}.")
        for column in hidden
        if _is_constant(column) and column.cells[0]
    ]
    star = "*" if limit > COLUMN else ""
    floats: list[tuple[Sequence[int], Sequence[float | None], range]] = []
    for block in blocks:
        shares = _shares([widths[k] for k in block], limit)
        shares = shares if shares is not None else [None] * len(block)
        heights = _heights([columns[k] for k in block], shares)
        floats += [(block, shares, part) for part in _parts(heights, MAX_LINES)]
    lines = sum(_heights([columns[k] for k in floats[0][0]], floats[0][1])[k] for k in floats[0][2])
    below, rest = _room_below(must, [*constant, *may], (lines + 2) * limit)
    written = []
    for number, (shown_columns, column_shares, part) in enumerate(floats):
        written += [r"\clearpage"] if number and not number % _WAITING else []
        more = " (continued)" if number else ""
        own = f"tab:{name or label(title)}" + (f"-{number + 1}" if number else "")
        sides = "".join(map(_side, column_shares, (columns[k].is_right for k in shown_columns)))
        written += [
            rf"\begin{{table{star}}}[t{'' if star else 'b'}p]",
            r"\centering",
            rf"\caption{{{escape_latex(breakable(title))}{more}.}}",
            rf"\label{{{own}}}",
            rf"\footnotesize\setlength{{\tabcolsep}}{{{_GAP / 2:g}pt}}%",
            rf"\begin{{tabular}}{{@{{}}{sides}@{{}}}}",
            r"\toprule",
            " & ".join(columns[k].head for k in shown_columns) + r" \\",
            r"\midrule",
            *(" & ".join(columns[k].cells[row] for k in shown_columns) + r" \\" for row in part),
            r"\bottomrule",
            r"\end{tabular}",
            *(_below(below) if number == len(floats) - 1 else []),
            rf"\end{{table{star}}}",
        ]
    comments = [*PREAMBLE]
    if any(r"\cite" in line for line in written):
        comments.append("The .bib file of \\cite: lccmodel references --bibtex -o papers.bib")
    if hidden:
        names = ", ".join(column.name for column in hidden)
        comments.append(f"Left out for width: {names}; --columns chooses columns.")
    comments += [f"Not below the table: {sentence}" for sentence in rest]
    return "\n".join([*(f"% {' '.join(line.split())}" for line in comments), *written]) + "\n"


def columns_left_out(columns: Sequence[TexColumn]) -> list[str]:
    """The names of the columns that `latex_table` leaves out, as the table is too wide."""
    shown = {k for block in _blocks(columns, [_Width.of(c) for c in columns])[0] for k in block}
    return [column.name for k, column in enumerate(columns) if k not in shown]


def _room_below(
    must: Sequence[str], may: Sequence[tuple[str, str]], room: float
) -> tuple[list[str], list[str]]:
    """(what stands below the table, as LaTeX; what does not), by the points of its lines."""
    room = max(room, _LEAST_BELOW * COLUMN) - sum(map(text_width, must))
    below, rest = [escape_latex(breakable(sentence)) for sentence in must], []
    for plain, latex in may:
        if text_width(plain) <= room:
            room -= text_width(plain)
            below.append(latex)
        else:
            rest.append(plain)
    return below, rest


def _below(sentences: Sequence[str]) -> list[str]:
    if not sentences:
        return []
    return [
        r"\par\smallskip",
        r"\begin{minipage}{\linewidth}\footnotesize\raggedright " + " ".join(sentences),
        r"\end{minipage}",
    ]


class _Width(NamedTuple):
    """Points of a column, those of its longest word, and whether it may wrap."""

    most: float
    word: float
    wraps: bool

    @classmethod
    def of(cls, column: TexColumn) -> _Width:
        head = column.texts[0]
        most = max(map(text_width, head.split("\n")))
        if column.ems:
            return cls(max(most, _SIZE * column.ems), 0, False)
        lines = [line for text in column.texts for line in text.split("\n")]
        most = max(map(text_width, lines))
        words = [word for text in column.texts for word in re.split(r"[\s\u200b]+", text)]
        longest = max(map(text_width, words))
        wraps = not column.is_right and most > _SHORT and longest < most
        return cls(most, 1.03 * longest, wraps)


def _blocks(
    columns: Sequence[TexColumn], widths: Sequence[_Width]
) -> tuple[list[list[int]], float]:
    """(the columns that go side by side, the points that they have)."""
    first, *others = range(len(columns))
    soon = {k: _soon(columns[k]) for k in others}
    leaving = [k for k in sorted(others, key=lambda k: (-soon[k], -k)) if soon[k]]
    for limit in (COLUMN, WIDE):
        for number in range(len(leaving) + 1):
            kept = [k for k in range(len(columns)) if k not in leaving[:number]]
            if _shares([widths[k] for k in kept], limit) is not None:
                return [kept], limit
    kept = [k for k in range(len(columns)) if k not in leaving]
    blocks = [[first]]
    for k in kept[1:]:
        if len(blocks[-1]) > 1 and (_shares([widths[j] for j in (*blocks[-1], k)], WIDE) is None):
            blocks.append([first])
        blocks[-1].append(k)
    return blocks, WIDE


def _soon(column: TexColumn) -> float:
    """How soon a column is left out: first without values, then with one value in all rows."""
    if not any(column.texts[1:]):
        return 20
    return column.aside + (10 if column.aside else 0.5) * _is_constant(column)


def _is_constant(column: TexColumn) -> bool:
    return len(column.cells) > 1 and len(set(column.cells)) == 1


def _shares(widths: Sequence[_Width], limit: float) -> list[float | None] | None:
    """The points of every column that wraps; None if the columns do not fit."""
    free = limit - _GAP * (len(widths) - 1)
    if sum(width.most for width in widths) <= free:
        return [None] * len(widths)
    least = [max(w.word, min(w.most, _NARROW)) if w.wraps else w.most for w in widths]
    more = [w.most - low for w, low in zip(widths, least, strict=True)]
    over = free - sum(least)
    if over < 0:
        return None
    return [
        low + over * extra / sum(more) if width.wraps else None
        for width, low, extra in zip(widths, least, more, strict=True)
    ]


def _side(share: float | None, is_right: bool) -> str:
    if share is None:
        return "r" if is_right else "l"
    return rf">{{\raggedright\arraybackslash}}p{{{share:.0f}pt}}"


def _heights(columns: Sequence[TexColumn], shares: Sequence[float | None]) -> list[int]:
    """The lines that each row takes."""
    return [
        max(
            sum(max(1, ceil(text_width(line) / share)) if share else 1 for line in text.split("\n"))
            for text, share in zip(texts, shares, strict=True)
        )
        for texts in zip(*(column.texts[1:] for column in columns), strict=True)
    ]


def _parts(heights: Sequence[int], lines: int) -> list[range]:
    """The rows of every float."""
    starts, used = [0], 0
    for row, height in enumerate(heights):
        if row > starts[-1] and used + height > lines:
            starts.append(row)
            used = 0
        used += height
    return [range(a, b) for a, b in zip(starts, [*starts[1:], len(heights)], strict=True)]
