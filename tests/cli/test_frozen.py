"""Commands answer as they did: the same keys, exit codes and error texts."""

import json

import pytest

from tests.cli.frozen import FROZEN_REPORT, KNOWN, facts, report_facts


@pytest.mark.parametrize("command", KNOWN)
def test_a_command_answers_as_it_did(command):
    assert facts(command) == KNOWN[command]


def test_the_report_of_the_checker_says_what_it_said():
    """Keys of `proofs-check report`; verdict and number of cases of every theorem."""
    known, found = json.loads(FROZEN_REPORT.read_text()), report_facts()
    assert {key: found.get(key) for key in known} == known  # claims may be added
