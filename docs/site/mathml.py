"""Formulas as MathML, which every browser draws by itself: no script, no fonts from elsewhere."""

import re
from html import unescape
from typing import Any

from latex2mathml.converter import convert
from sphinx.application import Sphinx


def inline(writer: Any, node: Any) -> None:
    """A formula within a line."""
    writer.body.append(convert(node.astext()))


def block(writer: Any, node: Any) -> None:
    """A formula of its own."""
    writer.body.append(f'<div class="formula">{convert(node.astext(), display="block")}</div>')


def leave(writer: Any, node: Any) -> None:
    """Nothing is left to write."""


_SHOWN = re.compile(r"\$\\displaystyle (.*?)\$", re.DOTALL)


def in_outputs(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    """The formulas in what a notebook shows as HTML, such as the card of a claim."""
    body = context.get("body")
    if body and "$\\displaystyle" in body:
        context["body"] = _SHOWN.sub(lambda found: convert(unescape(found[1])), body)


def setup(app: Sphinx) -> dict[str, bool]:
    """Give Sphinx the renderer, for pages and for the boxes that myst-nb draws."""

    def visit_inline(writer: Any, node: Any) -> None:
        from docutils.nodes import SkipNode

        inline(writer, node)
        raise SkipNode

    def visit_block(writer: Any, node: Any) -> None:
        from docutils.nodes import SkipNode

        block(writer, node)
        raise SkipNode

    app.connect("html-page-context", in_outputs)
    app.add_html_math_renderer("mathml", (visit_inline, leave), (visit_block, leave))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
