"""The marks of the registry: no file is of a format whose module is not asked."""

from pathlib import Path

import pytest

from lccmodel.errors import FileError
from lccmodel.reading.found import KINDS
from lccmodel.reading.recognise import formats, recognise
from lccmodel.reading.text import Text
from tests.reading.test_bad_traffic import WRONG
from tests.reading.test_samples_hosts import FLUX, PLACEMENTS
from tests.reading.test_samples_traffic import VARIANTS

HERE = Path(__file__).parent
FILES = [p for folder in ("samples", "cases", "traces") for p in (HERE / folder).rglob("*")]
TYPED = [
    *(content for content, *_ in (*VARIANTS.values(), *PLACEMENTS.values())),
    *(content for content, _ in WRONG.values() if isinstance(content, str)),
    FLUX,
]


def _outcome(text: Text, role: str, known: tuple | None) -> str:
    try:
        return recognise(text, role, known).name
    except FileError as error:
        return str(error)


@pytest.mark.parametrize("role", KINDS)
def test_marks_and_roles_leave_out_no_format_that_recognises_a_file(role):
    """Asking the modules with a mark, and those of the role first, is the same as asking all."""
    texts = [Text.at(path) for path in FILES if path.is_file() and path.name != "expected.json"]
    for text in [*texts, *map(Text.typed, TYPED)]:
        assert _outcome(text, role, None) == _outcome(text, role, formats()), text.path
