"""The fake claims are registered only for tests that ask for them."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import pytest

from lccmodel.kernels.jit import in_python
from proofs_check import claim as declared
from proofs_check import registry

registry.load()
_real = dict(declared.registered)
from tests.proofs_check import fake_claims  # noqa: E402, F401 - importing registers the claims

_fake = {id_: claim for id_, claim in declared.registered.items() if id_ not in _real}
for _id in _fake:
    del declared.registered[_id]


@contextmanager
def _registered() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(declared, "registered", {**declared.registered, **_fake})
        yield


@pytest.fixture(scope="session")
def with_fake_claims():
    """A context with the fake claims; whatever is registered inside is forgotten after it."""
    return _registered


@pytest.fixture
def registered_fake_claims():
    """Adds the fake claims for one test: what it registers besides is no claim of the next."""
    with _registered():
        yield


@pytest.fixture
def uncompiled(request):
    """Kernels run as Python but in slow tests: also for what a claim would compile them for."""
    with nullcontext() if request.node.get_closest_marker("slow") else in_python():
        yield
