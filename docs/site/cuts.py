"""How pages are cut and set for the site; in the repository they read as they are.

The gallery, one file, becomes a page for each of its headings, and a start page with a thumbnail
of every picture. The tables of this project's own findings become a card for each claim. Powers and
indices, written 2^14 and x_0, are set as such. A card of a notebook shows its first picture. An
option of a command does not break at its hyphens.
"""

import base64
import json
import re
from html import unescape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

DOCS = Path(__file__).parent.parent
NOTEBOOKS = DOCS.parent / "notebooks"


# -- the gallery ----------------------------------------------------------------------------


def slug(title: str) -> str:
    """A heading as a file name."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def gallery_parts() -> tuple[str, list[tuple[str, str]]]:
    """What stands above the first heading of docs/gallery.md, and its headings with their text."""
    head, *parts = re.split(r"^## ", (DOCS / "gallery.md").read_text(encoding="utf-8"), flags=re.M)
    return head, [(part.partition("\n")[0], part.partition("\n")[2]) for part in parts]


def gallery_pages() -> dict[str, str]:
    """A page that runs for every heading; links lead where they led, two folders deeper."""
    head, parts = gallery_parts()
    front, _, rest = head.partition("# Gallery")
    first_cell = "```{code-cell}" + rest.partition("```{code-cell}")[2]
    pages = {}
    for title, text in parts:
        text = re.sub(r"^###", "##", text, flags=re.M)
        text = re.sub(r"\]\((?!https?:)", "](../../", text).replace(
            '"../examples', '"../../../examples'
        )
        pages[f"gallery/{slug(title)}.md"] = f"{front}# {title}\n\n{first_cell}\n{text}"
    return pages


def gallery_start() -> str:
    """The start page of the gallery, whose thumbnails are filled in when all pages are written."""
    head, parts = gallery_parts()
    about = head.partition("# Gallery")[2].partition("```")[0].strip()
    text = ["# Gallery\n", about.replace("this page is", "these pages are"), ""]
    for title, _ in parts:
        page = f"generated/gallery/{slug(title)}"
        text += [f"## [{title}]({page}.md)\n", "```{raw} html"]
        text += [f'<div class="thumbnails" data-page="{page}.html"></div>', "```", ""]
    text += ["```{toctree}\n:hidden:\n", *(f"generated/gallery/{slug(t)}" for t, _ in parts), "```"]
    return "\n".join(text) + "\n"


_PICTURE = re.compile(
    r'<section id="([^"]+)">\s*(?:<span[^>]*></span>\s*)*<h2>(.*?)<a class="headerlink".*?'
    r"(?=<section id=|\Z)",
    re.DOTALL,
)


def thumbnails(site: Path, page: str) -> str:
    """A link with the first picture of every section of a page."""
    html = (site / "docs" / page).read_text(encoding="utf-8")
    shown = []
    for found in _PICTURE.finditer(html):
        picture = re.search(r'<img[^>]*?src="([^"]+)"', found[0])
        if picture is None:
            continue
        title = unescape(re.sub(r"<[^>]+>", "", found[2]))
        source = "../" + picture[1].removeprefix("../../../")
        shown.append(
            f'<a href="{page}#{found[1]}"><img loading="lazy" src="{source}" alt="">'
            f"<span>{title}</span></a>"
        )
    return "".join(shown)


def fill_thumbnails(app: Sphinx, error: Exception | None) -> None:
    """Put the thumbnails where the start page of the gallery has room for them."""
    start = Path(app.outdir) / "docs" / "gallery.html"
    if error is not None or app.builder.format != "html" or not start.exists():
        return
    room = re.compile(r'(<div class="thumbnails" data-page="([^"]+)">).*?(</div>)', re.DOTALL)

    def filled(found: re.Match[str]) -> str:
        return f"{found[1]}{thumbnails(Path(app.outdir), found[2])}{found[3]}"

    start.write_text(room.sub(filled, start.read_text(encoding="utf-8")), encoding="utf-8")


# -- findings as cards ----------------------------------------------------------------------


def cards(text: str) -> str:
    """Every table that begins with a claim, as a card for each of its rows."""
    lines, made, heads = text.split("\n"), [], []
    for line in lines:
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if line.startswith("| claim |"):
            heads = cells
        elif heads and line.startswith("| ---"):
            continue
        elif heads and line.startswith("|"):
            made += card(heads, [cell.replace("\\|", "|") for cell in cells])
        else:
            heads = []
            made.append(line)
    return "\n".join(made)


def card(heads: list[str], cells: list[str]) -> list[str]:
    """The claim as its title, the statement, and what else is known, each with its name."""
    lines = ["", ":::{card} " + cells[0].replace("<br>", ", "), ":class-card: finding", ""]
    for head, cell in list(zip(heads, cells, strict=True))[1:]:
        if not cell:
            continue
        said = cell.replace("” Statement:", "”\n\nStatement:").replace(
            "” Interpretation:", "”\n\nInterpretation:"
        )
        lines += [said if head == "statement" else f"**{head[0].upper()}{head[1:]}:** {said}", ""]
    return [*lines, ":::", ""]


# -- notebooks ------------------------------------------------------------------------------


def first_pictures() -> dict[str, bytes]:
    """The first picture that every notebook shows."""
    found = {}
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        for output in (output for cell in cells for output in cell.get("outputs", [])):
            data = output.get("data", {})
            shown = re.search(r"base64,([A-Za-z0-9+/=\s]+)", "".join(data.get("text/html", "")))
            coded = data.get("image/png") or (shown[1] if shown else None)
            if coded:
                found[f"notebooks/{path.stem}.png"] = base64.b64decode("".join(coded))
                break
    return found


# -- powers and indices -----------------------------------------------------------------------

_BRACKETS = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|⌊[^⌊⌋]*⌋"
_SCRIPT = re.compile(
    rf"(?:(?<=[\w)⟩'])\^|(?:(?<=(?<!\w)[^\W\d_])|(?<=[⟩'])|(?<=PLC))_)"
    rf"(?:-?\d+|[a-zA-Z]{{1,2}}\b|{_BRACKETS})"
)
_AS_TYPED = (
    nodes.literal,
    nodes.literal_block,
    nodes.math,
    nodes.math_block,
    nodes.raw,
    nodes.title,
)


def set_formula(text: str) -> list[nodes.Node]:
    """2^14 with a small 14 above the line, x_0 with a small 0 below it, and so within them."""
    made: list[nodes.Node] = []
    done = 0
    for found in _SCRIPT.finditer(text):
        bare = found[0][1:].removeprefix("(").removesuffix(")" if found[0][1] == "(" else "")
        kind = nodes.superscript if found[0][0] == "^" else nodes.subscript
        if text[done : found.start()]:
            made.append(nodes.Text(text[done : found.start()]))
        made.append(kind("", "", *set_formula(bare)))
        done = found.end()
    return [*made, nodes.Text(text[done:])] if text[done:] else made


class Formulas(SphinxPostTransform):
    """Powers and indices are set as such, outside of what is typed on a machine."""

    default_priority = 400

    def run(self, **kwargs: Any) -> None:
        """Go through the text of a page."""
        for text in list(self.document.findall(nodes.Text)):
            if not any(isinstance(p, _AS_TYPED) for p in _above(text)):
                made = set_formula(str(text))
                if len(made) > 1:
                    text.parent.replace(text, made)


def _above(node: nodes.Node) -> list[nodes.Node]:
    found = []
    while node.parent is not None:
        node = node.parent
        found.append(node)
    return found


# -- options in commands ----------------------------------------------------------------------

_COMMANDS = re.compile(r'<div class="highlight-(?:console|sh) .*?</pre>', re.DOTALL)
_OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
_WORD = re.compile(r'<span class="pre">([^<]*)</span>')
LONGEST = 24
"""Characters of a word that fits a line on a phone."""


def mark_word(word: re.Match[str]) -> str:
    """A word of a command stays whole; a long one breaks behind a point or a bracket."""
    if len(word[1]) <= LONGEST:
        return f'<span class="pre whole">{word[1]}</span>'
    return f'<span class="pre">{re.sub("(?<=[.(])(?=[a-z])", "<wbr>", word[1])}</span>'


def mark_words(html: str) -> str:
    """Mark the options of blocks of commands and the words of commands in sentences."""
    marked = _COMMANDS.sub(
        lambda block: _OPTION.sub(r'<span class="whole">\g<0></span>', block[0]), html
    )
    return _WORD.sub(mark_word, marked)


def keep_options(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object
) -> None:
    """Mark words for the style sheet."""
    if "body" in context:
        context["body"] = mark_words(context["body"])


def cut(app: Sphinx, page: str, source: list[str]) -> None:
    """Give Sphinx another text of the two pages."""
    if page == "docs/gallery":
        source[0] = gallery_start()
    elif page == "docs/findings_own":
        source[0] = cards(source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Listen to Sphinx."""
    app.connect("source-read", cut)
    app.connect("html-page-context", keep_options)
    app.connect("build-finished", fill_thumbnails)
    app.add_post_transform(Formulas)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
