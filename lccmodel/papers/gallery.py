"""The report as a page for a browser: tables, figures as thumbnails, links to every file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from lccmodel.show.records import Table
from lccmodel.show.style import FIGURE_FORMATS
from lccmodel.show.writers import as_html


@dataclass(frozen=True)
class Chapter:
    """What the page shows of one program or paper.

    Attributes:
        title: its heading.
        about: a sentence or two.
        links: text -> path of a file.
        tables: shown in full; or a fragment of HTML that has them.
        figures: path without suffix -> caption.
    """

    title: str
    about: str = ""
    links: Mapping[str, str] = field(default_factory=dict)
    tables: Sequence[Table] | str = ()
    figures: Mapping[str, str] = field(default_factory=dict)


_STYLE = """
:root { color-scheme: light dark; --ink: #222; --paper: #fff; --line: #ddd; --link: #0645ad; }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }
a { color: var(--link); }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; }
th, td { padding: .2rem .7rem; text-align: left; border-bottom: 1px solid var(--line); }
td { font-variant-numeric: tabular-nums; }
caption { text-align: left; padding: .3rem 0; }
p { margin: .4rem 0; }
code { font-size: .9em; overflow-wrap: anywhere; }
.gallery { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: 1rem; }
figure { margin: 0; } figure img { width: 100%; height: 13rem; object-fit: contain;
  border: 1px solid var(--line); } figcaption { font-size: .85rem; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #ddd; --paper: #181818; --line: #444; --link: #8ab4f8; }
  figure img { filter: invert(0.91) hue-rotate(180deg); }
}
"""


def page(
    title: str,
    made_by: str,
    chapters: Iterable[Chapter],
    *,
    command: str = "",
    links: Iterable[str] = (),
    left_out: Iterable[str] = (),
    skipped: Iterable[str] = (),
) -> str:
    """The page as HTML; it needs nothing but the files that it links.

    Args:
        title: its heading.
        made_by: what wrote it.
        chapters: a heading each, listed at the top.
        command: the command line, if there was one.
        links: files about all chapters.
        left_out: what is wrong with each file that could not be used.
        skipped: what was not read.

    >>> text = page("Report", "made", [Chapter("A & B", figures={"a/b": "loads"})])
    >>> "A &amp; B" in text, 'src="a/b.png"' in text
    (True, True)
    >>> "made with <code>lccmodel report &#x27;a b&#x27;</code>." in page(
    ...     "Report", "made", [], command="lccmodel report 'a b'"
    ... )
    True
    """
    listed = list(chapters)
    by = escape(made_by) + (f" with <code>{escape(command)}</code>" if command else "")
    files = ", ".join(f'<a href="{escape(path)}">{escape(path)}</a>' for path in links)
    faults = _listed("Left out, because they cannot be used:", left_out)
    faults += _listed("Not read:", skipped)
    contents = "".join(
        f'<li><a href="#part-{k}">{escape(chapter.title)}</a></li>'
        for k, chapter in enumerate(listed)
    )
    body = "\n".join(_chapter(k, chapter) for k, chapter in enumerate(listed))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>\n"
        f"<h1>{escape(title)}</h1>\n<p>{by}. {files}</p>\n{faults}<ul>{contents}</ul>\n"
        f"{body}\n</body></html>\n"
    )


def _listed(heading: str, sentences: Iterable[str]) -> str:
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
    return f"<p>{heading}</p><ul>{items}</ul>\n" if items else ""


def _chapter(number: int, chapter: Chapter) -> str:
    lines = [f'<h2 id="part-{number}">{escape(chapter.title)}</h2>']
    lines += [f"<p>{escape(chapter.about)}</p>"] if chapter.about else []
    links = [f'<a href="{escape(path)}">{escape(text)}</a>' for text, path in chapter.links.items()]
    lines += [f"<p>{' · '.join(links)}</p>"] if links else []
    if isinstance(chapter.tables, str):
        lines.append(chapter.tables)
    else:
        lines += [as_html(table.sheet()) for table in chapter.tables]
    figures = "\n".join(_figure(path, text) for path, text in chapter.figures.items())
    lines += [f'<div class="gallery">\n{figures}\n</div>'] if figures else []
    return "\n".join(lines)


def _figure(path: str, caption: str) -> str:
    files = " ".join(
        f'<a href="{escape(path)}.{kind}">{kind.upper()}</a>' for kind in FIGURE_FORMATS
    )
    image = f'<img src="{escape(path)}.png" alt="{escape(caption)}" loading="lazy">'
    return (
        f'<figure><a href="{escape(path)}.png">{image}</a>'
        f"<figcaption>{escape(caption)} {files}</figcaption></figure>"
    )
