"""Files that figures become: everything in its place, in fonts that journals take."""

from __future__ import annotations

import warnings

import pytest
from matplotlib.figure import Figure

import lccmodel as lcc
from lccmodel.show.style import figure_bytes
from tests.choosing import sampled


@pytest.mark.parametrize("n", sampled([1, 2, 4, 5], 2))
def test_the_first_picture_is_laid_out_without_a_warning(n: int) -> None:
    """Texts had no place yet when the layout was worked out: axes collapsed to nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        png, _ = lcc.explore(lcc.catalog.bit_reverse(n)).png()
    assert png.startswith(b"\x89PNG")


def test_a_pdf_embeds_no_type_3_fonts() -> None:
    """Journals refuse Type 3; 42 is TrueType."""
    figure = Figure()
    figure.add_subplot().set_title("T = α + Nτ")
    content = figure_bytes(figure, ["pdf"])["pdf"]
    assert b"/Type3" not in content
    assert b"/TrueType" in content or b"/CIDFontType2" in content
