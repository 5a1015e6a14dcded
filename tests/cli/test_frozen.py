"""Commands answer as they did: the same keys, numbers, exit codes and error texts."""

from __future__ import annotations

import json

import pytest

from tests.cli.frozen import COMMANDS, FROZEN, facts

KNOWN = json.loads(FROZEN.read_text())


def test_every_command_is_frozen() -> None:
    assert list(KNOWN) == list(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_answers_as_it_did(command: str) -> None:
    assert facts(command) == KNOWN[command]
