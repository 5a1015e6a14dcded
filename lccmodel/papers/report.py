"""The main job: from files with communications to tables and figures of their best mappings.

    out/README.md, index.html     what was written, with links; the page has thumbnails
    out/results.csv, .json        every answer for every communication, as data
    out/<program>-<network>/
        tables.md, tables.tex     before, after, lower bound, proof, orders, loads, routing methods
        routing.csv, .json        every routing method for every permutation, as data
        <name>.png, .pdf          channel loads before and after, and the walks of all methods
    out/<paper>/                  tables and figures of a paper, see `reproduction`

All files are made in memory first, so that nothing is written when some input is bad. They hold
no times and no paths of this machine: the same input gives the same bytes. What an earlier report
in the same folder has already made from the same input is taken from there, see `parts`.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import lccmodel
from lccmodel.communication.program import as_file_error, relabelled
from lccmodel.errors import FileError, InputError, Reason
from lccmodel.ground.files import write_atomically
from lccmodel.ground.words import checked_word
from lccmodel.lattice.weights import SET_OBJECTIVES, SetObjective
from lccmodel.papers.gallery import Chapter, page
from lccmodel.papers.reproduction import (
    MANIFEST,
    MadeSection,
    PaperWork,
    Parts,
    Tell,
    chosen_papers,
    digest,
    figure_line,
)
from lccmodel.permutations.comparison import Comparison, compare, with_reordering
from lccmodel.placement.search.questions import Solution, solve_all
from lccmodel.reading.options import reading_with
from lccmodel.reading.programs import SUFFIXES
from lccmodel.show.latex import distinct_labels, label
from lccmodel.show.records import Format, Table
from lccmodel.show.routing_tables import comparison_table
from lccmodel.show.style import figure_bytes
from lccmodel.show.summary import drawings, main_tables, program_tables, records_table
from lccmodel.show.writers import escape_markdown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MAX_ROUTED = 10
"""Largest n for which a report routes the permutations by every method."""

_DATA: tuple[Format, ...] = ("csv", "json")

_WALKS = "routing_methods"
"""Name of the figure; with an underscore, which names of communications do not keep."""

_WRITER = f"Written by lccmodel {lccmodel.__version__}"


@dataclass(frozen=True)
class Report:
    """The solutions of all programs, and the files of the report by their path within its folder.

    Attributes: `solutions`, `files`; `unusable`, what is wrong with each file that was left out;
    `skipped`, a sentence for each folder that holds more than was read.
    """

    solutions: tuple[Solution, ...]
    files: Mapping[str, bytes]
    unusable: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()

    @property
    def main_tables(self) -> tuple[Table, ...]:
        """What was found, without the load of every dimension."""
        return tuple(table for solution in self.solutions for table in main_tables(solution))


def find_files(paths: Sequence[str | Path]) -> tuple[Path, ...]:
    """The files with communications that paths name.

    Args:
        paths: files, and folders; of a folder all files with a suffix in `SUFFIXES` and all links
            that lead nowhere, sorted by name, but not hidden ones or a README, and no subfolders
            (`not_read`).

    Raises:
        InputError: paths that do not exist, or folders without such a file; all are named.
    """
    files: list[Path] = []
    faults: list[InputError] = []
    for path in map(Path, paths):
        if not path.is_dir():
            files.append(path)
            if not path.exists():
                faults.append(FileError(path, 0, "cannot read the file or folder", _missing(path)))
            continue
        inside = [member for member in _members(path) if _is_communication_file(member)]
        if not inside:
            rule = f"must contain files with communications ({', '.join(SUFFIXES)})"
            subfolders = [member.name for member in _members(path) if member.is_dir()]
            value = (
                f"the subfolders {', '.join(subfolders)} alone" if subfolders else "none of them"
            )
            faults.append(FileError(path, 0, rule, value))
        files += inside
    _refuse(faults)
    return tuple(dict.fromkeys(files))


def not_read(paths: Sequence[str | Path]) -> tuple[str, ...]:
    """What the folders among paths hold beside the files of `find_files`, a sentence for each kind.

    Hidden files and a README are left out, and so is what is a path of its own.
    """
    named = {Path(path).resolve() for path in paths}
    sentences = []
    for folder in (path for path in map(Path, paths) if path.is_dir()):
        others = [member for member in _members(folder) if member.resolve() not in named]
        subfolders = [member.name for member in others if member.is_dir()]
        unknown = [
            member.name
            for member in others
            if not member.is_dir() and not _is_communication_file(member)
        ]
        if subfolders:
            names = ", ".join(subfolders)
            sentences.append(f"{folder}: subfolders are not read unless each is a PATH: {names}")
        if unknown:
            names = ", ".join(unknown)
            sentences.append(f"{folder}: not read, for their suffix is unknown: {names}")
    return tuple(dict.fromkeys(sentences))


def _members(folder: Path) -> list[Path]:
    """What a folder holds by name, except hidden files and a README."""
    return [
        member
        for member in sorted(folder.iterdir())
        if not member.name.startswith(".") and member.stem.lower() != "readme"
    ]


def _is_communication_file(path: Path) -> bool:
    inner = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    return not path.exists() or (path.is_file() and inner.suffix.lower() in SUFFIXES)


def _missing(path: Path) -> Reason:
    return Reason("a link that leads nowhere" if path.is_symlink() else "no such file")


class _SeveralFaultsError(InputError):
    """Several files cannot be used; the text names all of them and is not cut."""

    def __init__(self, faults: Sequence[str]) -> None:
        super().__init__("PATH", "must name files that can be used", Reason("; ".join(faults)))
        self.args = (f"PATH: {len(faults)} files cannot be used: {'; '.join(faults)}",)


def _refuse(faults: Sequence[InputError]) -> None:
    """Raise an error that names all faults, if there are any.

    Raises:
        InputError: the fault, or all of several in one line.
    """
    texts = tuple(dict.fromkeys(map(str, faults)))
    if len(texts) > 1:
        raise _SeveralFaultsError(texts)
    if faults:
        raise faults[0]


def make_report(
    paths: Sequence[str | Path],
    networks: Sequence[str] = (),
    objectives: Sequence[SetObjective] = SET_OBJECTIVES,
    command: Sequence[str] = (),
    step: Tell | None = None,
    papers: Sequence[str] = (),
    folder: str | Path | None = None,
    jobs: int = 1,
    solved: Callable[[Solution], None] | None = None,
    seconds: float = 2.0,
) -> Report:
    """Read the programs, find their best mappings, and make all files; nothing is written.

    A file that cannot be used is left out and named, with what is wrong with it, in `unusable` and
    in the index; so is what folders hold beside the files that are read (`not_read`), which every
    record states in its notes, too.

    Args:
        paths: files and folders, see `find_files`.
        networks: words such as "cube", "origin" or "torus:8x6", each file once for each of them;
            if there are none, the network that a file names, else the hypercube of its size.
        objectives: what to minimise for all communications of a file together.
        command: what the user typed, for the index.
        step: called with what is done next.
        papers: whose tables and figures are made as well, see `reproduction.chosen_papers`.
        folder: of an earlier report; parts that are as they were are taken from there.
        jobs: processes; with more than one, papers are made beside the programs.
        solved: called with every solution as soon as it is found.
        seconds: of search for a placement, see `place`; for traffic that ranks do not answer.

    Raises:
        InputError: none of the files can be used; a bad objective or paper.
    """
    step = step or (lambda text: None)
    chosen = chosen_papers(papers)
    for objective in objectives:
        checked_word("objective", objective, SET_OBJECTIVES)
    programs, unusable = _usable(find_files(paths), networks or (None,))
    wanted = tuple(dict.fromkeys(objectives))
    parts = Parts(None if folder is None else Path(folder))
    solutions: list[Solution] = []
    with PaperWork(chosen, parts, jobs if programs or len(chosen) > 1 else 1) as work:
        for k, program in enumerate(programs, start=1):
            if k == 2:
                work.start()  # the first table has the machine to itself
            counted_step = _counted(step, f"program {k} of {len(programs)}")
            try:
                solutions.append(solve_all(program, wanted, seconds, counted_step))
            except InputError as error:  # too large, or volumes without a common unit
                unusable = (*unusable, str(as_file_error(error, program.path, 0)))
                continue
            if solved is not None:
                solved(solutions[-1])
        work.start()
        if programs and not solutions:
            if len(unusable) > 1:
                raise _SeveralFaultsError(unusable)
            raise InputError("report", "has no program that can be mapped", unusable[0])
        sections = []
        for k, (solution, name) in enumerate(zip(solutions, _folders(solutions), strict=True), 1):
            counted_step = _counted(step, f"figures {k} of {len(solutions)}")
            sections.append(_program_section(solution, name, parts, counted_step))
        reproduced = work.result(step)
    skipped = not_read(paths)
    made = _files_of(solutions, sections, reproduced, command, unusable, skipped)
    if folder is not None:
        made[MANIFEST] = parts.manifest()
    return Report(tuple(solutions), made, unusable, skipped)


def _files_of(
    solutions: Sequence[Solution],
    sections: Sequence[MadeSection],
    reproduced: Sequence[MadeSection],
    command: Sequence[str],
    unusable: Sequence[str],
    skipped: Sequence[str],
) -> dict[str, bytes]:
    """Every file of the report by its name: sections, records, the page and the index."""
    made: dict[str, bytes] = {}
    for section in sections:
        made |= section.files
    data = [f"results.{form}" for form in _DATA] if solutions else []
    if solutions:
        records = records_table(solutions, skipped)
        made |= {f"results.{form}": records.render(form).encode() for form in _DATA}
    for section in reproduced:
        made |= section.files
    made["index.html"] = page(
        "Processor mappings" if sections else "Papers",
        _WRITER,
        [section.chapter for section in (*reproduced, *sections)],
        command=shlex.join(command),
        links=("README.md", *data),
        left_out=unusable,
        skipped=skipped,
    ).encode()
    made["README.md"] = _index(sections, reproduced, command, unusable, skipped).encode()
    return made


def _usable(
    files: Sequence[Path], words: Sequence[str | None]
) -> tuple[list[Solution], tuple[str, ...]]:
    """The programs of the files that can be used, and what is wrong with the others.

    Raises:
        InputError: none can be used; every file is named with its reason.
    """
    programs: list[Solution] = []
    faults: list[InputError] = []
    for file in files:
        for word in words:
            try:
                if not file.exists():
                    raise FileError(file, 0, "cannot read the file", _missing(file))
                with reading_with(is_for_all=False):
                    programs.append(Solution.read(file, word))
            except InputError as error:
                known = str(error).startswith(str(file))
                faults.append(error if known else as_file_error(error, file, 0))
    if not programs:
        _refuse(faults)
    return programs, tuple(dict.fromkeys(map(str, faults)))


def _counted(step: Tell, where: str) -> Tell:
    return lambda text: step(f"{where}: {text}")


def write_report(report: Report, output: str | Path) -> tuple[Path, ...]:
    """Write the files of a report into a folder, which is made if need be.

    Each file is replaced atomically, the index last; other files in the folder stay.

    Raises:
        FileError: the folder cannot be made, or a file cannot be written.
    """
    folder = Path(output)
    written = []
    for name in (*(name for name in report.files if name != "README.md"), "README.md"):
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            rule = "must be a folder that can be made"
            raise FileError(path.parent, 0, rule, Reason(error.strerror or error)) from error
        written.append(write_atomically(path, report.files[name]))
    return tuple(written)


def _folders(programs: Sequence[Solution]) -> list[str]:
    """A folder for each program: its name and network; numbered where two are alike."""
    names: list[str] = []
    for program in programs:
        name = label(f"{program.name} {program.problem.network.spec}")
        number = 1 + sum(other == name or other.startswith(f"{name}-no") for other in names)
        names.append(name if number == 1 else f"{name}-no{number}")
    return names


def _index(
    sections: Sequence[MadeSection],
    reproduced: Sequence[MadeSection],
    command: Sequence[str],
    unusable: Sequence[str],
    skipped: Sequence[str],
) -> str:
    data = "All answers as data, one record for each communication and mapping"
    made_by = _WRITER + (f" with `{shlex.join(command)}`." if command else ".")
    head = [
        "# Processor mappings\n" if sections else "# Papers\n",
        f"{made_by} A page with all figures: [index.html](index.html).\n",
    ]
    if sections:
        head.append(f"{data}: [results.csv](results.csv), [results.json](results.json).\n")
    if reproduced:
        links = ", ".join(
            f"[{escape_markdown(section.chapter.title)}]({section.folder}/README.md)"
            for section in reproduced
        )
        head.append(f"Tables and figures of papers, made again: {links}.\n")
    if unusable:
        faults = "\n".join(f"- {escape_markdown(fault)}" for fault in unusable)
        head.append(f"Left out, because they cannot be used:\n\n{faults}\n")
    if skipped:
        rest = "\n".join(f"- {escape_markdown(sentence)}" for sentence in skipped)
        head.append(f"Not read:\n\n{rest}\n")
    return "\n".join([*head, *(section.index for section in (*reproduced, *sections))])


# -- one program --------------------------------------------------------------------------------


def _program_section(solution: Solution, folder: str, parts: Parts, step: Tell) -> MadeSection:
    """Its tables and figures as files in memory, and how its permutations are routed."""
    routed = _routed_members(solution, step)
    captions: dict[str, str] = {}
    files: dict[str, bytes] = {}

    def figure(name: str, caption: str, key: str, draw: Callable[[], Figure]) -> None:
        """The files of a figure; one that is as it was is taken from an earlier report."""
        captions[name], path = caption, f"{folder}/{name}"
        made = parts.kept(path, key)
        if made is None:
            step(f"figure {path}")
            made = {f"{path}.{kind}": content for kind, content in figure_bytes(draw()).items()}
            parts.note(path, key, made)
        files.update(made)

    for drawing in drawings(solution):
        loads = (drawing.before.counts, drawing.after.counts)
        arrays = [
            channel_loads.tobytes() + str(channel_loads.shape).encode() for channel_loads in loads
        ]
        key = digest("loads", drawing.before.network.spec, *drawing.titles, *arrays)
        figure(drawing.name, drawing.caption, key, drawing.draw)
    tables = program_tables(solution)
    page = [table.render("markdown") for table in tables]
    pictures = [_picture(name, text) for name, text in captions.items()]
    page += ["## Channel loads\n", *pictures] if pictures else []
    data: dict[str, str] = {}
    if routed:
        methods = comparison_table(routed, f"{solution.title}: routing methods")
        tables = (*tables, methods)
        page.append(methods.render("markdown"))
        data = {f"routing.{form}": f"{folder}/routing.{form}" for form in _DATA}
        files |= {f"{folder}/routing.{form}": methods.render(form).encode() for form in _DATA}
    worst = _worth_drawing(routed)
    if worst is not None:
        from lccmodel.show.routing_drawing import draw_comparison

        text = f"{worst.name}, by every routing method"
        key = digest("walks", worst.name or "", worst.destinations.tobytes())
        figure(_WALKS, text, key, lambda: draw_comparison(worst))
        page.append(_picture(_WALKS, text))
    files[f"{folder}/tables.md"] = "\n".join(page).encode()
    latex = "\n".join(table.render("latex") for table in tables)
    files[f"{folder}/tables.tex"] = distinct_labels(latex, folder).encode()
    links = {name: f"{folder}/{name}" for name in ("tables.md", "tables.tex")} | data
    figures = {f"{folder}/{name}": text for name, text in captions.items()}
    chapter = Chapter(solution.title, "", links, main_tables(solution), figures)
    return MadeSection(folder, files, _program_index(solution, folder, data, figures), chapter)


def _routed_members(solution: Solution, step: Tell) -> tuple[Comparison, ...]:
    """Every permutation of a program by every routing method, on a cube and the squarest mesh."""
    if not solution.ranked:
        return ()
    chosen = [
        relabelled(phase.lcc, phase.name)
        for phase in solution.problem.program
        if phase.lcc is not None and phase.lcc.kind == "permutation" and phase.lcc.n <= _MAX_ROUTED
    ]
    if chosen:
        step(f"{solution.title}: routing methods")
    return tuple(with_reordering(compare(c)) for c in chosen)


def _worth_drawing(routed: Sequence[Comparison]) -> Comparison | None:
    """The permutation with which e-cube routing has the most contention, if it has any."""
    worst = max(routed, key=lambda comparison: comparison["e-cube"].rounds, default=None)
    return None if worst is None or worst["e-cube"].contention_free else worst


def _program_index(
    solution: Solution, folder: str, data: Mapping[str, str], figures: Mapping[str, str]
) -> str:
    """The lines of the index about a program."""
    count = len(solution.problem.program)
    noun = "communication" if count == 1 else "communications"
    tables = f"[Markdown]({folder}/tables.md) and [LaTeX]({folder}/tables.tex)"
    kinds = ", ".join(f"[{Path(name).suffix[1:].upper()}]({path})" for name, path in data.items())
    routing = f"; routing methods as {kinds}" if data else ""
    lines = [
        f"## {escape_markdown(solution.title)}\n",
        f"{count} {noun} of `{solution.path}`: tables as {tables}{routing}.\n",
        *(figure_line(path, text) for path, text in figures.items()),
    ]
    return "\n".join(lines) + "\n"


def _picture(name: str, text: str) -> str:
    return f"![{text}]({name}.png)\n\n{text}.\n"
