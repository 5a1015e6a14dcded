"""Every view can be read: no texts meet, none is cut off, at any size that `--size` offers."""

import warnings
from itertools import product

import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.text import Text
from PIL import Image

import lccmodel as lcc
from lccmodel.show.style import SIZES, figure_bytes
from tests.choosing import sampled
from tests.cli import calling
from tests.show.pictures import GRID, drawn, faults


@pytest.mark.parametrize("name", sampled(GRID, 10))
def test_no_texts_meet_or_are_cut_off(name):
    """Boxes of texts are disjoint and within the figure; the layout comes out."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        assert list(faults(drawn(name))) == []


@pytest.mark.slow
@pytest.mark.parametrize(("name", "size"), list(product(GRID, SIZES)))
def test_no_texts_meet_at_the_size_of_a_column_a_page_or_a_slide(name, size):
    figure = drawn(name, size)
    assert figure.get_figwidth() == SIZES[size]
    assert list(faults(figure)) == []


def test_faults_are_found():
    """A near miss: two words on each other, and one that begins left of the figure."""
    figure = Figure(figsize=(3, 3))
    for x, word in ((0.5, "here"), (0.52, "there"), (-0.05, "outside")):
        figure.text(x, 0.5, word)
    assert len(list(faults(figure))) == 2


def test_a_command_draws_at_the_size_asked_for(tmp_path):
    """3.4 inches at the 120 points an inch of every PNG."""
    plot = tmp_path / "a.png"
    words = ["contention", "bit-reverse", "--network", "cube:4", "--plot", str(plot)]
    done = calling.run(*words, "--size", "column")
    assert done.exit_code == 0, done.output
    assert Image.open(plot).width == 408


def test_a_size_without_a_picture_is_refused():
    words = ["contention", "bit-reverse", "--network", "cube:4", "--size", "page"]
    done = calling.run(*words)
    assert done.exit_code == 2
    assert "--size: is that of the picture that --plot names; got 'page'" in done.output


@pytest.mark.parametrize("size", sampled([None, *SIZES], 3))
@pytest.mark.parametrize("name", sampled(["loads", "loads of one message", "loads of volumes"], 3))
def test_no_number_of_a_node_is_wider_than_the_node(name, size):
    """A number that reaches over its circle hides the channels beside it."""
    figure = drawn(name, size)
    figure.draw_without_rendering()
    circles = {str(patch.get_gid()): patch for patch in figure.findobj(Patch)}
    for text in figure.findobj(Text):
        name, _, node = str(text.get_gid()).partition("-")
        if name == "label":
            room = circles[f"node-{node}"].get_window_extent().width
            assert text.get_window_extent().width <= room


@pytest.mark.parametrize(("size", "inches"), [("column", 9.0), ("page", 9.0), ("slide", 5.6)])
def test_no_picture_is_taller_than_a_page_or_a_slide(size, inches):
    """48 channels of sixteen worms."""
    assert drawn("worms of n = 4", size).get_figheight() <= inches


def test_a_fitted_line_is_a_curve_on_logarithmic_axes():
    """α + τ L at many sizes, not only at the four that were measured."""
    line = next(line for line in drawn("fit").axes[0].lines if line.get_label() == "α + L τ")
    assert len(line.get_xydata()) > 32


_COUNTED = ["comparison of n = 1", "pattern", "orbits", "schedule", "front", "fault", "kept"]


@pytest.mark.parametrize("name", _COUNTED)
def test_what_is_counted_has_whole_ticks(name):
    """No step 0.05, no node 2.5, no half an orbit."""
    axes = drawn(name).axes[0]
    axes.figure.draw_without_rendering()
    counted = [axes.yaxis] if name == "orbits" else [axes.xaxis, axes.yaxis]
    assert all(float(at).is_integer() for axis in counted for at in axis.get_ticklocs())


@pytest.mark.parametrize("n", sampled([1, 2, 4, 5], 2))
def test_the_first_picture_is_laid_out_without_a_warning(n):
    """Texts had no place yet when the layout was worked out: axes collapsed to nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        png, _ = lcc.explore(lcc.catalog.bit_reverse(n)).png()
    assert png.startswith(b"\x89PNG")


def test_a_pdf_embeds_no_type_3_fonts():
    """Journals refuse Type 3; 42 is TrueType."""
    figure = Figure()
    figure.add_subplot().set_title("T = α + Nτ")
    content = figure_bytes(figure, ["pdf"])["pdf"]
    assert b"/Type3" not in content
    assert b"/TrueType" in content or b"/CIDFontType2" in content
