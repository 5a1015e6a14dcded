"""A lecture's exploration (issue 15, "Done when"), in JupyterLab in a real browser."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser


def test_results_are_shown(lab):
    """A result at the end of a cell is a table; its drawing is a picture."""
    lab.run(
        "results.ipynb",
        "import lccmodel as lcc\nlcc.contention(lcc.catalog.matrix_transpose(4), lcc.Hypercube(4))",
        "%matplotlib inline\nlcc.catalog.matrix_transpose(4).plot();",
    )
    assert "Channel contention" in lab.texts(".jp-OutputArea table")[0]
    lab.wait(lambda: lab.count(".jp-OutputArea img") == 1, "a picture")
