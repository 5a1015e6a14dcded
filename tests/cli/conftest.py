"""Commands write where they like: a folder of their own, with a file of every kind."""

from pathlib import Path

import pytest

from tests.cli.calling import FILES, laid_out


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory of the test."""
    return laid_out(tmp_path, monkeypatch, FILES)
