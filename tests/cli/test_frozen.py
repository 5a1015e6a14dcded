"""Commands answer as they did: the same keys, exit codes and error texts."""

from __future__ import annotations

import json

import pytest

from tests.cli.frozen import COMMANDS, FROZEN, FROZEN_REPORT, facts, report_facts

KNOWN = {
    command: {key: value for key, value in group.items() if key != "commands"}
    for group in json.loads(FROZEN.read_text())
    for command in group["commands"]
}


def test_every_command_is_frozen() -> None:
    assert set(KNOWN) == set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_answers_as_it_did(command: str) -> None:
    assert facts(command) == KNOWN[command]


def test_the_report_of_the_checker_says_what_it_said() -> None:
    """Keys of `proofs-check report`; verdict and number of cases of every theorem."""
    known, found = json.loads(FROZEN_REPORT.read_text()), report_facts()
    assert {key: found.get(key) for key in known} == known  # claims may be added
