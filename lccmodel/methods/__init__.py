"""The old name of two packages, for one version: `lccmodel.placement`, `lccmodel.permutations`.

>>> import warnings
>>> with warnings.catch_warnings(record=True) as caught:
...     warnings.simplefilter("always")
...     from lccmodel.methods import self_route
>>> str(caught[0].message)
'lccmodel.methods.self_route is now lccmodel.permutations.self_route'
"""

import sys
import warnings
from importlib import import_module

_PACKAGES = {
    "mapping": "placement.mapping",
    "placement": "placement.search",
    "exchanges": "permutations.exchanges",
    "partitioned": "permutations.partitioned",
    "self_routing": "permutations.self_routing",
    "simd_mesh": "permutations.simd_mesh",
}
for _old, _new in _PACKAGES.items():  # so that `import lccmodel.methods.partitioned` works, too
    sys.modules[f"{__name__}.{_old}"] = import_module(f"lccmodel.{_new}")


def __getattr__(name: str) -> object:
    """A name of one of the two packages, with a warning that says where it is now."""
    homes = {
        public: f"{room}.{public}"
        for room in ("permutations", "placement")
        for public in import_module(f"lccmodel.{room}").__all__
    } | _PACKAGES
    if name not in homes:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = f"lccmodel.{homes[name]}"
    warnings.warn(f"{__name__}.{name} is now {home}", DeprecationWarning, stacklevel=2)
    if name in _PACKAGES:
        return sys.modules[home]
    package, _, public = home.rpartition(".")
    value: object = getattr(sys.modules[package], public)
    return value
