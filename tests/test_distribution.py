"""What an index shows of the package: links that work without the repository beside them.

`make dist` installs wheel and source archive; here is the README that they carry.
"""

import importlib
import re
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT))
pytest.importorskip("hatchling")
hatch_build = importlib.import_module("hatch_build")

README = (ROOT / "README.md").read_text()
ADDRESS = "https://example.org/someone/lccmodel"


def targets(text: str) -> list[str]:
    return re.findall(r"\]\(([^)\s]+)\)", text)


def test_with_an_address_every_link_is_absolute_and_names_a_file():
    text = hatch_build.readme_for_index(README, ADDRESS, "1.2.3")
    found = targets(text)
    assert len(found) == len(targets(README)) > 15
    for target in found:
        kind, _, name = target.removeprefix(f"{ADDRESS}/").partition("/v1.2.3/")
        if target.startswith(ADDRESS):
            assert kind == ("raw" if name.endswith(".png") else "blob")
            assert (ROOT / name.partition("#")[0]).exists(), target
        else:
            assert "://" in target


def test_without_an_address_nothing_leads_nowhere():
    """No relative link and no picture is left, and the page says where the files are."""
    text = hatch_build.readme_for_index(README, "", "1.2.3")
    assert all("://" in target for target in targets(text))
    assert "![" not in text
    assert hatch_build.NO_ADDRESS in text
    assert "`docs/placement.md`" in text


def test_addresses_are_stated_only_where_there_is_one():
    assert hatch_build.urls("", "1.2.3") == {}
    urls = hatch_build.urls(ADDRESS, "1.2.3")
    assert set(urls) == {"Homepage", "Documentation", "Changelog", "Issues"}
    assert urls["Changelog"] == f"{ADDRESS}/blob/v1.2.3/CHANGELOG.md"


def test_the_changelog_has_a_section_for_this_version():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    sections = re.findall(
        r"^## (\S+) \((\d{4}-\d\d-\d\d)\)$", (ROOT / "CHANGELOG.md").read_text(), re.M
    )
    assert sections[0][0] == version
    assert [day for _, day in sections] == sorted((day for _, day in sections), reverse=True)
    assert f'date-released: "{sections[0][1]}"' in (ROOT / "CITATION.cff").read_text()
