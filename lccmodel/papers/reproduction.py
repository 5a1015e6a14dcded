"""The tables and figures of a paper, made again: one folder of the report for each paper.

    out/<paper>/README.md           every figure with its caption, links to everything
    out/<paper>/tables.md, .tex     the tables for people; .html, as they stand in index.html
    out/<paper>/<table>.csv         the tables as data, those too long to read among them
    out/<paper>/<figure>.png, .pdf

A paper is a module of this package with a value `SECTION`; `SECTIONS` names them all, and they
are loaded when they are asked for. Like the rest of the report, a section holds no times and no
paths: the same version gives the same bytes.

A part of a report, a figure or the section of a paper, is not made again if its key and its files
are as they were. The key is a hash of all that it is made from: this package's own files, and what
the part is told. A report keeps the keys of its parts, and a hash of every file of theirs, in
`.parts.json` of its folder; a file that somebody has changed is made anew.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import multiprocessing
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import lccmodel
from lccmodel.errors import InputError
from lccmodel.ground.words import checked_word
from lccmodel.papers.gallery import Chapter
from lccmodel.references import reference
from lccmodel.show.quantities import Column, Quantity, named
from lccmodel.show.records import Format, Table
from lccmodel.show.style import FIGURE_FORMATS, figure_bytes
from lccmodel.show.writers import as_html, escape_markdown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Tell = Callable[[str], None]

SECTIONS: Mapping[str, str] = MappingProxyType(
    {
        paper: f"lccmodel.papers.{paper}_section"
        for paper in ("hou", "boppana", "calmant", "edelman", "sibeyn")
    }
)
"""Key of a paper in `lccmodel.references` -> the module whose `SECTION` makes it."""


# -- parts that are as they were ----------------------------------------------------------------

MANIFEST = ".parts.json"


def digest(*contents: bytes | str) -> str:
    """A hash of what a part is made from, the package among it.

    >>> digest("a", "bc") != digest("ab", "c"), digest("a") == digest("a")
    (True, True)
    """
    sha = hashlib.sha256(_package().encode())
    for part in contents:
        content = part.encode() if isinstance(part, str) else part
        sha.update(len(content).to_bytes(8, "big") + content)
    return sha.hexdigest()


@cache
def _package() -> str:
    """A hash of this package: another version, or a changed line, makes every part anew."""
    root = Path(lccmodel.__file__).parent
    sha = hashlib.sha256(lccmodel.__version__.encode())
    for file in sorted(root.rglob("*")):
        if file.is_file() and file.suffix != ".pyc" and "__pycache__" not in file.parts:
            sha.update(str(file.relative_to(root)).encode() + file.read_bytes())
    return sha.hexdigest()


class Parts:
    """The parts of a report: looked up by name and key, and noted when they are made.

    Args:
        folder: of a report that was written before; None makes every part anew.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._known: Any = {}
        self._noted: dict[str, Any] = {}
        if folder is not None:
            with suppress(OSError, ValueError):
                self._known = json.loads((folder / MANIFEST).read_bytes())

    def kept(self, name: str, key: str) -> dict[str, bytes] | None:
        """The files of a part by their path, if they are those that this key made."""
        try:
            known = self._known[name]
            files = {path: Path(self._folder or "", path).read_bytes() for path in known["files"]}
            if known != _noted(key, files):
                return None
        except (OSError, KeyError, TypeError, ValueError):  # another file than a report wrote
            return None
        self._noted[name] = known
        return files

    def note(self, name: str, key: str, files: Mapping[str, bytes]) -> None:
        """A part as it is now."""
        self._noted[name] = _noted(key, files)

    def manifest(self) -> bytes:
        """What `.parts.json` holds."""
        return (json.dumps(self._noted, indent=1, sort_keys=True) + "\n").encode()


def _noted(key: str, files: Mapping[str, bytes]) -> dict[str, Any]:
    marks = {path: hashlib.sha256(content).hexdigest() for path, content in files.items()}
    return {"key": key, "files": marks}


# -- sections of papers -------------------------------------------------------------------------


_TABLES = "tables.html"
"""The tables of a section as they stand in the page of the report: a fragment without a head."""


@dataclass(frozen=True, slots=True)
class PaperFigure:
    """A figure that is drawn when its section is made: `name` of its files, `caption`, `draw`."""

    name: str
    caption: str
    draw: Callable[[], Figure]


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A table that is worked out when its section is made.

    Attributes:
        name: of its CSV file.
        make: gives the table.
        data_only: too long to read: in its CSV file only, not in the pages.
    """

    name: str
    make: Callable[[], Table]
    data_only: bool = False


@dataclass(frozen=True, slots=True)
class PaperSection:
    """What the report shows of one paper.

    Args:
        paper: key of `lccmodel.references`, and the name of the folder.
        about: what the reader finds here, in a sentence or two.
        tables, figures: in the order of the pages; names are distinct.

    Raises:
        InputError: no such paper, or a name used twice.
    """

    paper: str
    about: str
    tables: tuple[PaperTable, ...]
    figures: tuple[PaperFigure, ...]

    def __post_init__(self) -> None:
        reference(self.paper)
        names = [table.name for table in self.tables] + [figure.name for figure in self.figures]
        if len(set(names)) != len(names) or {"README", "tables"} & set(names):
            rule = "must have distinct names, none of them README or tables"
            raise InputError("section", rule, names)


@dataclass(frozen=True, slots=True)
class MadeSection:
    """The files of a section by their path within the report, and what the indexes say of it."""

    folder: str
    files: Mapping[str, bytes]
    index: str
    chapter: Chapter


def compared_table(
    title: str, where: str, rows: Iterable[tuple[str, str, Any, Any]], legend: Sequence[str] = ()
) -> Table:
    """What a paper states, and what is counted, line by line.

    Args:
        title: one line.
        where: heading of the first column, such as "part" or "example".
        rows: place in the paper, what is stated, the published value, the counted one.
        legend: as for `Table`.

    >>> compared_table("Sizes", "place", [("Section 2", "nodes", 8, 8)]).records()[0]["equal"]
    True
    """
    columns: list[Column] = [
        Quantity("place", where),
        Quantity("quantity", "what"),
        named("printed", "the paper"),
        Quantity("counted", "counted"),
        "equal",
    ]
    lines = [(*row, row[2] == row[3]) for row in rows]
    return Table(title, columns, lines, legend=legend)


def chosen_papers(names: Iterable[str]) -> tuple[str, ...]:
    """The papers that names stand for, in the order of `SECTIONS`; "all" stands for every one.

    Raises:
        InputError: a paper without a section.

    >>> chosen_papers(["calmant", "calmant"])
    ('calmant',)
    """
    asked = set(names)
    for name in sorted(asked - {*SECTIONS, "all"}):
        checked_word("papers", name, (*SECTIONS, "all"))
    return tuple(name for name in SECTIONS if name in asked or "all" in asked)


class PaperWork:
    """The sections of several papers, made one after the other, or beside other work.

    Args:
        names: as `chosen_papers` gives them.
        parts: of an earlier report; a section that is as it was is taken from there.
        jobs: processes; with one, sections are made when their result is asked for.
    """

    def __init__(self, names: Sequence[str], parts: Parts, jobs: int = 1) -> None:
        self._parts = parts
        self._kept = {name: parts.kept(name, _key(name)) for name in names}
        self._jobs = jobs
        self._pool: ProcessPoolExecutor | None = None
        self._running: dict[str, Future[dict[str, bytes]]] = {}

    def start(self) -> None:
        """Make the sections in processes of their own from now on, where there may be several."""
        missing = [name for name, files in self._kept.items() if files is None]
        if self._jobs > 1 and missing and self._pool is None:
            # Not forked: a fork would hold the locks of compiled threads.
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(min(self._jobs, len(missing)), context)
            self._running = {name: self._pool.submit(_section_files, name) for name in missing}

    def __enter__(self) -> PaperWork:
        return self

    def __exit__(self, *error: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=error[0] is None, cancel_futures=True)

    def result(self, step: Tell = lambda text: None) -> tuple[MadeSection, ...]:
        """The sections.

        Args:
            step: called with what is done next.
        """
        sections = []
        for name, files in self._kept.items():
            if name in self._running:
                step(f"waiting for the section of {name}")
                files = self._running[name].result()
            made = make_section(_section(name), step) if files is None else None
            content = made.files if made is not None else files
            assert content is not None
            self._parts.note(name, _key(name), content)
            sections.append(made if made is not None else _with_files(_section(name), content))
        return tuple(sections)


def _section(name: str) -> PaperSection:
    section: PaperSection = importlib.import_module(SECTIONS[name]).SECTION
    return section


def _section_files(name: str) -> dict[str, bytes]:
    """For another process."""
    return dict(make_section(_section(name)).files)


def _key(name: str) -> str:
    """What a section is made from: nothing but this package, and its own declaration."""
    section = _section(name)
    parts = [*(t.name for t in section.tables), *(f.name + f.caption for f in section.figures)]
    return digest(name, section.about, *parts)


def make_section(section: PaperSection, step: Tell = lambda text: None) -> MadeSection:
    """Work out every table and draw every figure of a section; nothing is written."""
    folder = section.paper
    files: dict[str, bytes] = {}
    read: list[Table] = []
    count = len(section.tables) + len(section.figures)
    titles: dict[str, str] = {}
    for k, part in enumerate(section.tables, start=1):
        step(f"{folder}: table {part.name} ({k} of {count})")
        table = part.make()
        titles[part.name] = table.title
        files[f"{folder}/{part.name}.csv"] = table.render("csv").encode()
        read += [] if part.data_only else [table]
    kinds: dict[Format, str] = {"markdown": "md", "latex": "tex"}
    for form, suffix in kinds.items():
        text = "\n".join(table.render(form) for table in read)
        files[f"{folder}/tables.{suffix}"] = text.encode()
    page = "\n".join(as_html(table.sheet()) for table in read)
    files[f"{folder}/{_TABLES}"] = page.encode()
    for k, figure in enumerate(section.figures, start=1 + len(section.tables)):
        step(f"{folder}: figure {figure.name} ({k} of {count})")
        for kind, content in figure_bytes(figure.draw()).items():
            files[f"{folder}/{figure.name}.{kind}"] = content
    files[f"{folder}/README.md"] = _page(section, titles).encode()
    return _with_files(section, files)


def _with_files(section: PaperSection, files: Mapping[str, bytes]) -> MadeSection:
    folder = section.paper
    links = {name: f"{folder}/{name}" for name in ("README.md", "tables.md", "tables.tex")}
    links |= {f"{table.name}.csv": f"{folder}/{table.name}.csv" for table in section.tables}
    figures = {f"{folder}/{figure.name}": figure.caption for figure in section.figures}
    tables = files[f"{folder}/{_TABLES}"].decode()
    chapter = Chapter(reference(folder).title, section.about, links, tables, figures)
    return MadeSection(folder, MappingProxyType(dict(files)), _index(section), chapter)


def _page(section: PaperSection, titles: Mapping[str, str]) -> str:
    lines = [f"# {escape_markdown(reference(section.paper).title)}\n", f"{section.about}\n"]
    kinds = "[Markdown](tables.md), [HTML](tables.html) and [LaTeX](tables.tex)"
    lines.append(f"Tables as {kinds}, and as data:\n")
    lines += [f"- [{name}.csv]({name}.csv): {escape_markdown(t)}" for name, t in titles.items()]
    for figure in section.figures:
        caption = escape_markdown(figure.caption)
        lines += ["", f"![{caption}]({figure.name}.png)\n"]
        lines.append(f"*{caption}* ([PDF]({figure.name}.pdf))")
    return "\n".join(lines) + "\n"


def _index(section: PaperSection) -> str:
    folder, title = section.paper, escape_markdown(reference(section.paper).title)
    lines = [
        f"## {title}\n",
        (
            f"{section.about} Everything on [one page]({folder}/README.md); tables as "
            f"[Markdown]({folder}/tables.md) and [LaTeX]({folder}/tables.tex).\n"
        ),
    ]
    lines += [figure_line(f"{folder}/{figure.name}", figure.caption) for figure in section.figures]
    return "\n".join(lines) + "\n"


def figure_line(path: str, caption: str) -> str:
    """The line of an index about a figure."""
    links = ", ".join(f"[{kind.upper()}]({path}.{kind})" for kind in FIGURE_FORMATS)
    return f"- {escape_markdown(caption)}: {links}"
