"""The fake claims are registered only for tests that ask for them."""

import pytest

from proofs_check import registry

registry.load()
_real = dict(registry._claims)
from tests.proofs_check import fake_claims  # noqa: E402, F401 - importing registers the claims

_fake = {id_: claim for id_, claim in registry._claims.items() if id_ not in _real}
for _id in _fake:
    del registry._claims[_id]


@pytest.fixture(scope="module")
def registered_fake_claims():
    """Adds the fake claims; whatever a module registers besides is forgotten after it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "_claims", {**registry._claims, **_fake})
        yield
