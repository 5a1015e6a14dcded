"""Commands write where they like: a folder of their own, with a file of every kind."""

from pathlib import Path

import pytest

from tests.cli.calling import FILES


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory of the test."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path
