"""What a type checker tells a user of the library: no answer is `Any`."""

from typing import get_type_hints

import pytest

from lccmodel.ground.numbers import Number
from lccmodel.placement.contention import Contention, ContentionSet

ASKED = """
import lccmodel as lcc

found = lcc.contention(lcc.catalog.bit_reverse(4), "cube:4")
reveal_type(found.degree)
reveal_type(found.per_dimension)
reveal_type(lcc.place("bit-reverse", "cube:4"))
reveal_type(lcc.Mesh((4, 4)))
reveal_type(lcc.catalog.bit_reverse(4)(3))
"""


def test_degrees_are_numbers():
    for kind in (Contention, ContentionSet):
        assert get_type_hints(kind.degree.fget)["return"] == Number


@pytest.mark.slow
def test_what_mypy_reveals(tmp_path):
    api = pytest.importorskip("mypy.api")
    (tmp_path / "asked.py").write_text(ASKED)
    said, _, code = api.run(["--strict", str(tmp_path / "asked.py")])
    assert code == 0, said
    kinds = ["int | float", "tuple[int | float", "Placement", "Mesh", "int"]
    lines = [line for line in said.splitlines() if "Revealed type" in line]
    assert all(kind in line and "Any" not in line for kind, line in zip(kinds, lines, strict=True))
