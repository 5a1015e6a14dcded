"""What the package index shows: the README with links that work there, and the project's addresses.

The README's links are relative, as a clone has them. An index has no files beside the README, so
they are made absolute when a wheel or source archive is built: `address` in pyproject.toml is where
the repository can be read by everyone. As long as there is none, links become the names of files
in the source archive, and pictures are left out; nothing leads nowhere.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)\n*")
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")
NO_ADDRESS = "*Files that are named here are in the source archive of this package.*\n\n"


def readme_for_index(text: str, address: str, version: str) -> str:
    """The README with absolute links, or with the names of files where there is no address."""

    def picture(found: re.Match[str]) -> str:
        words, target = found.groups()
        if "://" in target:
            return found[0]
        return f"![{words}]({address}/raw/v{version}/{target})\n\n" if address else ""

    def link(found: re.Match[str]) -> str:
        words, target = found.groups()
        if "://" in target or target.startswith("#"):
            return found[0]
        if address:
            return f"[{words}]({address}/blob/v{version}/{target})"
        return f"`{target}`" if words == target else f"{words} (`{target}`)"

    whole = _LINK.sub(link, _PICTURE.sub(picture, text))
    if address:
        return whole
    title, _, rest = whole.partition("\n\n")
    return f"{title}\n\n{NO_ADDRESS}{rest}"


def urls(address: str, version: str) -> dict[str, str]:
    """The project's addresses; none as long as there is no public one."""
    if not address:
        return {}
    files = f"{address}/blob/v{version}"
    return {
        "Homepage": address,
        "Documentation": f"{files}/docs/index.md",
        "Changelog": f"{files}/CHANGELOG.md",
        "Issues": f"{address}/issues",
    }


class CustomMetadataHook(MetadataHookInterface):
    """Tells hatchling the README and the addresses."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set what pyproject.toml calls dynamic."""
        address = str(self.config.get("address", "")).rstrip("/")
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        version = metadata["version"]
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": readme_for_index(text, address, version),
        }
        metadata["urls"] = urls(address, version)
