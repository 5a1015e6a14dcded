"""The pages that are written from the package itself, into docs/generated, before Sphinx reads.

The API reference (every public name), the commands with their help, the papers with their claims,
verdicts, findings and errata, the pages of the gallery and the first picture of every notebook.
"""

import importlib
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import click
from cuts import first_pictures, gallery_pages
from public_names import Public, public_names
from sphinx.application import Sphinx

from lccmodel.cli import cli
from proofs_check.cli import cli as proofs_cli
from proofs_check.findings import errata, subjects
from proofs_check.kept import kept_records
from proofs_check.registry import all_claims
from proofs_check.statement import OWN, PAPERS
from proofs_check.theorems import theorems_of

GENERATED = Path(__file__).parent.parent / "generated"
ABOUT_CLAIMS = (
    "Each claim is checked on every case of its domain against a count of the checker's own. "
    "[Findings](../../findings.md) tells what is wrong in the papers and what is true instead; "
    "what is printed is counted by its verdict; amended statements and questions of this project's "
    "own are counted beside it."
)


# -- API reference --------------------------------------------------------------------------


def first_line(value: object) -> str:
    """The first line of a docstring, as reStructuredText on one line."""
    text = (getattr(value, "__doc__", None) or "").strip()
    return " ".join(text.split("\n\n")[0].split()).replace("|", "\\|")


def entry(public: Public) -> str:
    """The directive that writes the reference of one name."""
    if public.kind == "module":
        return ""
    if public.kind == "class":
        options = "   :members:\n   :inherited-members: object, Viewed, tuple, Exception, Mapping\n"
        return f".. autoclass:: {public.path}\n{options}\n"
    if public.kind == "function":
        return f".. autofunction:: {public.path}\n\n"
    return f".. autodata:: {public.path}\n   :no-value:\n\n"


def rows(names: list[Public]) -> str:
    """A table of names with what they are for."""
    lines = [".. list-table::", "   :widths: 35 65", ""]
    for public in sorted(names, key=lambda p: (p.kind == "module", p.path.lower())):
        role = {"class": "class", "module": "mod", "data": "data"}.get(public.kind, "func")
        target = f":py:{role}:`{public.path}`"
        if public.kind == "module":
            target = f"``{public.path}``"
        lines += [
            f"   * - {target}",
            f"     - {first_line(public.value) if public.kind != 'data' else ''}",
        ]
    return "\n".join(lines) + "\n\n"


def title(text: str) -> str:
    """A heading."""
    return f"{text}\n{'=' * len(text)}\n\n"


def api() -> dict[str, str]:
    """One page for every package that exports names, and a list of all names."""
    by_page: dict[str, list[Public]] = defaultdict(list)
    for public in public_names():
        by_page[public.page].append(public)
    pages = {}
    listed = [title("Every public name")]
    listed.append(
        "After ``import lccmodel as lcc``, write ``lcc.LCC`` or ``lcc.network.Network``.\n"
        "A name that is not listed here may change without notice. Every result can also be shown\n"
        "as a table, a data frame and a picture: :py:class:`lccmodel.ground.views.Viewed`.\n\n"
        ".. toctree::\n   :hidden:\n\n"
    )
    order = sorted(by_page, key=lambda page: (page != "lccmodel", page))
    # What a user types first comes first, whichever page explains it.
    short = [public for public in public_names() if public.home == "lccmodel"]
    listed.append("".join(f"   {page}\n" for page in [*order, "views"]) + "\n")
    for page in order:
        about = first_line(importlib.import_module(page))
        here = short if page == "lccmodel" else by_page[page]
        listed.append(f"{page}\n{'-' * len(page)}\n\n{about}\n\n{rows(here)}")
        body = title(page) + about + "\n\n" + "".join(entry(p) for p in by_page[page])
        pages[f"api/{page}.rst"] = body
    pages["api/views.rst"] = (
        title("Views of results")
        + "Every result has these beside its own members.\n\n"
        + ".. autoclass:: lccmodel.ground.views.Viewed\n   :members:\n"
    )
    pages["api/index.rst"] = "".join(listed)
    return pages


# -- commands -------------------------------------------------------------------------------


def command_page() -> dict[str, str]:
    """Every command with its help, as a terminal shows it."""
    text = ["# Every command\n", "What `--help` says. Every command also takes `-h`.\n"]
    for name, group in (("lccmodel", cli), ("proofs-check", proofs_cli)):
        text.append(f"## {name}\n")
        text.append(f"```text\n{help_of(group, name)}\n```\n")
        context = click.Context(group, info_name=name)
        for sub in group.list_commands(context):
            command = group.get_command(context, sub)
            assert command is not None
            text.append(f"### {name} {sub}\n")
            text.append(f"```text\n{help_of(command, sub, context)}\n```\n")
    return {"commands.md": "\n".join(text)}


def help_of(command: click.Command, name: str, parent: click.Context | None = None) -> str:
    """The help text at a width that a page has room for."""
    settings = {**command.context_settings, "terminal_width": 88}
    with click.Context(command, info_name=name, parent=parent, **settings) as context:
        return command.get_help(context)


# -- papers ---------------------------------------------------------------------------------


def cell(text: str) -> str:
    """Text in a cell of a Markdown table."""
    return text.replace("|", "\\|").replace("$", "\\$").replace("\n", " ")


def paper_pages() -> dict[str, str]:
    """A page for every paper: all its claims with their verdicts, and the errata."""
    records = kept_records()
    pages: dict[str, str] = {}
    counted: list[str] = []
    for paper, name in PAPERS.items():
        claims = [claim for claim in all_claims() if claim.source.paper == paper]
        own = paper in OWN
        authors, _, subject = name.partition(": ")
        heading = subject[0].upper() + subject[1:] if own else authors
        lines = [f"# {heading}\n"]
        if not own:
            lines.append(f"*{subject}*\n")
            lines.append(f"[Findings](../../findings_{paper}.md) has an entry for each error.\n")
        lines.append(f'`proofs-check run "{paper}.*"` settles these claims again.\n')
        lines += ["| claim | statement | verdict | domain | control, a near miss |"]
        lines += ["| --- | --- | --- | --- | --- |"]
        tally: dict[str, int] = defaultdict(int)
        for claim in claims:
            found = records.get(claim.id)
            verdict = found["verdict"] if found else "not run yet"
            tally["own" if claim.is_own else verdict] += 1
            domain = found["domain"]["text"] if found else claim.domain.text
            proved = theorems_of(claim.id)
            if proved:
                domain += f"; every n, machine-checked: {', '.join(f'`{t}`' for t in proved)}"
            said = claim.says
            if claim.reading is not None and verdict == "holds-as-read":
                said += f". *Read:* {claim.reading.text}"
            if claim.undecided is not None:
                said += f". *Would decide it:* {claim.undecided.missing}"
            place = "" if own else f"<br>{cell(claim.source.place)}"
            control = (
                f"{claim.control.text}: {found['control']['falls'] if found else 'not run yet'}"
            )
            cells = (f"`{claim.id}`{place}", cell(said), verdict, cell(domain), cell(control))
            lines.append(f"| {' | '.join(cells)} |")
        lines.append("")
        if not own:
            page = errata(paper, "markdown", records)
            lines.append("## Errata, as a note to the authors\n")
            lines.append(page.partition("\n")[2].replace("\n## ", "\n### ").replace("$", "\\$"))
        pages[f"papers/{paper}.md"] = "\n".join(lines)
        counts = [str(tally[v]) for v in ("holds", "holds-as-read", "fails", "undecided", "own")]
        counted.append(f"| [{heading}]({paper}.md) | {' | '.join(counts)} |")
    pages["papers/index.md"] = "\n".join(
        [
            "# The papers, claim by claim\n",
            f"{ABOUT_CLAIMS}\n",
            "| paper | holds | holds as read | fails as printed | undecided | our own |",
            "| --- | ---: | ---: | ---: | ---: | ---: |",
            *counted,
            "",
            "```{toctree}\n:hidden:\n",
            "../../findings",
            *(f"../../findings_{subject}" for subject in subjects()),
            *PAPERS,
            "```",
            "",
        ]
    )
    return pages


# -- writing --------------------------------------------------------------------------------

WRITERS: tuple[Callable[[], dict[str, str]], ...] = (api, command_page, paper_pages, gallery_pages)


def write_pages(app: Sphinx | None = None) -> None:
    """Write every generated page; one that is as it was is left alone, so Sphinx reads it once."""
    texts = {name: text for writer in WRITERS for name, text in writer().items()}
    pages = {name: text.encode() for name, text in texts.items()} | first_pictures()
    if GENERATED.exists():
        for old in [p for p in GENERATED.rglob("*") if p.is_file()]:
            if str(old.relative_to(GENERATED)) not in pages:
                old.unlink()
    for name, content in pages.items():
        path = GENERATED / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != content:
            path.write_bytes(content)


def redirect(app: Sphinx, error: Exception | None) -> None:
    """The site's own door: `index.html` leads to the start page."""
    if error is None and app.builder.format == "html":
        door = '<!doctype html><meta charset="utf-8"><title>lccmodel</title>'
        door += '<meta http-equiv="refresh" content="0; url=docs/index.html">'
        door += '<p><a href="docs/index.html">lccmodel</a></p>\n'
        (Path(app.outdir) / "index.html").write_text(door, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Write before reading; open the door when done."""
    write_pages()
    app.connect("build-finished", redirect)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
