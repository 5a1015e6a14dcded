"""Every view can be read: no texts meet, none is cut off, at any size that `--size` offers."""

from __future__ import annotations

import io
import warnings
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner
from matplotlib.figure import Figure
from PIL import Image

import lccmodel as lcc
from lccmodel.cli.app import cli
from lccmodel.lattice.lattice import CorrectionLattice
from lccmodel.show.lattice_drawing import draw_lattice
from lccmodel.show.style import SIZES
from tests.show.pictures import GRID, drawn, faults


@pytest.mark.parametrize("name", GRID)
def test_no_texts_meet_or_are_cut_off(name: str) -> None:
    """Boxes of texts are disjoint and within the figure; the layout comes out."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        assert list(faults(drawn(name))) == []


_TOO_MANY = {("loads of volumes", "column")}  # 256 nodes by name need a page


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "size"), [pair for pair in product(GRID, SIZES) if pair not in _TOO_MANY]
)
def test_no_texts_meet_at_the_size_of_a_column_a_page_or_a_slide(name: str, size: str) -> None:
    figure = drawn(name, size)
    assert figure.get_figwidth() == SIZES[size]
    assert list(faults(figure)) == []


def test_faults_are_found() -> None:
    """A near miss: two words on each other, and one that begins left of the figure."""
    figure = Figure(figsize=(3, 3))
    for x, word in ((0.5, "here"), (0.52, "there"), (-0.05, "outside")):
        figure.text(x, 0.5, word)
    assert len(list(faults(figure))) == 2


def test_a_command_draws_at_the_size_asked_for(tmp_path: Path) -> None:
    """3.4 inches at the 120 points an inch of every PNG."""
    plot = tmp_path / "a.png"
    words = ["contention", "bit-reverse", "--network", "cube:4", "--plot", str(plot)]
    done = CliRunner().invoke(cli, [*words, "--size", "column"])
    assert done.exit_code == 0, done.output
    assert Image.open(plot).width == 408


def test_a_size_without_a_picture_is_refused() -> None:
    words = ["contention", "bit-reverse", "--network", "cube:4", "--size", "page"]
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 2
    assert "--size: is that of the picture that --plot names; got 'page'" in done.output


def test_a_lattice_is_laid_out_without_a_warning() -> None:
    """Its texts lie within: room for them beside the picture left none for the picture."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for n in (2, 4):
            figure = draw_lattice(CorrectionLattice(lcc.catalog.bit_reverse(n)))
            figure.savefig(io.BytesIO(), format="png", bbox_inches="tight")


@pytest.mark.parametrize("name", ["comparison of n = 1", "pattern", "orbits", "schedule"])
def test_what_is_counted_has_whole_ticks(name: str) -> None:
    """No step 0.05, no node 2.5, no half an orbit."""
    axes = drawn(name).axes[0]
    axes.figure.draw_without_rendering()
    counted = [axes.yaxis] if name == "orbits" else [axes.xaxis, axes.yaxis]
    assert all(float(at).is_integer() for axis in counted for at in axis.get_ticklocs())
