"""Small domains of compiled claims run as Python: at once, and with the answers of machine code."""

import subprocess
import sys

import pytest

from lccmodel.kernels.jit import kernel
from proofs_check.claim import compiled_unless_small
from proofs_check.registry import all_claims

COMPARE = """
import sys
from fnmatch import fnmatchcase
from proofs_check.registry import all_claims

def answers(examine):
    return {
        (claim.id, variant, n): tuple(examine(claim, variant, n))
        for claim in all_claims()
        if claim.is_batch and fnmatchcase(claim.id, sys.argv[1])
        for n in claim.dimensions(3)
        if n <= 3 and claim.domain.span(n) <= 4096
        for variant in claim.variants
    }

def as_machine_code(claim, variant, n):
    return claim.check(n, 0, claim.domain.span(n), **claim.variant_parameters(variant))

in_python = answers(lambda claim, variant, n: claim.examine(variant, n, 0, claim.domain.span(n)))
assert in_python == answers(as_machine_code)
print(len(in_python))
"""
"""Both ways in one new process, Python first: what is compiled already would be used."""


@pytest.mark.slow
@pytest.mark.parametrize("paper", ["boppana", "calmant", "edelman", "hou", "lattice", "sibeyn"])
def test_machine_code_says_the_same_of_every_claim(paper):
    claims = [c.id for c in all_claims() if c.is_batch and c.id.startswith(paper)]
    command = [sys.executable, "-c", COMPARE, f"{paper}.*"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert int(done.stdout) >= 2 * len(claims)


@pytest.mark.parametrize(("n", "span", "small"), [(3, 4096, True), (3, 4097, False), (4, 1, False)])
def test_large_domains_are_compiled(n, span, small):
    @kernel
    def following(number):
        return number + 1

    with compiled_unless_small(n, span):
        assert following(1) == 2
    assert bool(following.signatures) != small
