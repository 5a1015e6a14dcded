"""Try out orders, networks, steps and machines with controls: `explore(anything)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lccmodel._lazy import lazy_names

if TYPE_CHECKING:
    from lccmodel.exploration.controls import Control as Control
    from lccmodel.exploration.door import explore as explore
    from lccmodel.exploration.exploration import Exploration as Exploration

_HOME = {
    "Control": "lccmodel.exploration.controls",
    "Exploration": "lccmodel.exploration.exploration",
    "explore": "lccmodel.exploration.door",
}

__all__ = [*_HOME]

__getattr__, __dir__ = lazy_names(__name__, _HOME)
