"""The fake claims are registered only for tests that ask for them."""

from contextlib import nullcontext

import pytest

from lccmodel._jit import in_python
from proofs_check import claim as declared
from proofs_check import registry

registry.load()
_real = dict(declared.registered)
from tests.proofs_check import fake_claims  # noqa: E402, F401 - importing registers the claims

_fake = {id_: claim for id_, claim in declared.registered.items() if id_ not in _real}
for _id in _fake:
    del declared.registered[_id]


@pytest.fixture(scope="module")
def registered_fake_claims():
    """Adds the fake claims; whatever a module registers besides is forgotten after it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(declared, "registered", {**declared.registered, **_fake})
        yield


@pytest.fixture
def uncompiled(request):
    """Kernels run as Python but in slow tests: also for what a claim would compile them for."""
    with nullcontext() if request.node.get_closest_marker("slow") else in_python():
        yield
