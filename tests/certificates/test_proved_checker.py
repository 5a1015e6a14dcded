"""The checker of one linear-complement communication against the one that is proved in Coq.

`proofs_check/formal/certificate.v` proves a checker on lists of booleans right for every n; the
prover writes it as OCaml (`checker.ml`), with LCP_Optimizer. Both run here where OCaml is.

T_i = 2^(i - rank A_(L_(i+1),L_i)) where a bit changes [hou, Theorem 1].
"""

import contextlib
import itertools
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from lccmodel import BristledHypercube, Hypercube
from lccmodel.certificates.cubes import check_linear
from lccmodel.certificates.parser import Refused
from lccmodel.certificates.writer import certificate_of
from lccmodel.communication.lcc import LCC
from lccmodel.errors import InputError
from lccmodel.placement import lcp_optimizer, optimal_linear_mapping, optimal_reordering
from proofs_check import report
from tests.certificates.samples import altered, drawn_lcc, entry, leaves, samples
from tests.choosing import fast_only

FORMAL = Path(report.__file__).parent / "formal"

pytestmark = pytest.mark.skipif(shutil.which("ocamlc") is None, reason="OCaml is not installed")


@pytest.fixture(scope="module")
def proved(tmp_path_factory):
    """What the proved programs answer to a list of lines."""
    folder = tmp_path_factory.mktemp("proved")
    shutil.copy(FORMAL / "checker.ml", folder)
    shutil.copy(Path(__file__).parent / "main.ml", folder)
    compiler = shutil.which("ocamlopt") or "ocamlc"
    command = [compiler, "-w", "-a", "checker.ml", "main.ml", "-o", "run"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)

    def run(lines: list[str]) -> list[str]:
        asked = "\n".join(lines) + "\n"
        found = subprocess.run([folder / "run"], input=asked, capture_output=True, text=True)
        assert found.returncode == 0, found.stderr
        return found.stdout.splitlines()

    return run


def _matrix(rows: list[str]) -> str:
    return ",".join("." + row for row in rows) or "-"


def _line(made: dict) -> str:
    """A certificate as the program of `main.ml` reads it: L and R with their zeros."""
    problem, answer, proof = made["problem"], made["answer"], made["proof"]
    n = len(problem["A"])
    scatter = problem["sends"] == "scatter"
    if "order" in answer:
        units = ["".join("1" if c == k else "0" for c in range(n)) for k in range(n)]
        Q = [units[k] for k in answer["order"]]
        inverse = ["".join(row[r] for row in Q) for r in range(n)]
    else:
        Q, inverse = answer["Q"], answer["inverse"]
    inside = int(problem["network"].startswith("origin"))
    steps = ["none"] * inside
    for i, step in enumerate(proof["steps"], inside):
        if step is None:
            steps.append("none")
            continue
        k = len(step["left"])
        known = [*range(i + 1, n)] if scatter else [*range(i)]
        rows = [r for r in range(n) if r in (*known, i) and r >= inside]
        columns = [c for c in range(n) if c in known or c < inside]
        left = [_spread(row, rows, n) for row in step["left"]]
        right = ["0" * k] * n
        for c, row in zip(columns, step["right"], strict=True):
            right[c] = row
        steps.append(f"{_matrix(left)}|{_matrix(right)}")
    exponent = answer["degree"].bit_length() - 1
    U, W = proof.get("factors", ([], []))
    parts = [_matrix(problem["A"]), "." + problem["b"], _matrix(Q), _matrix(inverse)]
    parts += [";".join(steps), _matrix(U), _matrix(W)]
    if inside:
        parts += ["." + x for x in proof.get("displaced", ["", ""])]
    network, _, bits = problem["network"].partition(":")
    kind = "origin" if network == "origin" else "check"
    return " ".join([kind, bits, str(exponent), str(int(scatter)), *parts])


def _spread(row: str, places: list[int], n: int) -> str:
    """A row with its digits at these places, and zeros."""
    digits = dict(zip(places, row, strict=True))
    return "".join(digits.get(c, "0") for c in range(n))


def _accepted(made: dict) -> bool:
    try:
        check_linear(made["problem"], made["answer"], made["proof"])
    except Refused:
        return False
    return True


def _certificates(count: int, network=Hypercube):
    draw = random.Random(17)
    for _ in range(count):
        n = draw.randint(1, 5)
        find = optimal_reordering if draw.random() < 0.5 else optimal_linear_mapping
        with contextlib.suppress(InputError):  # an order that some linear mapping beats
            made = certificate_of(find(drawn_lcc(n, draw), network(n)))
            if made["kind"] == "linear" and made["answer"]["degree"]:
                yield made


def _altered(made: dict):
    """Every bit turned, every two neighbours of the order exchanged, other degrees."""
    for path in leaves({part: made[part] for part in ("problem", "answer", "proof")}):
        text = entry(made, path)
        if isinstance(text, str) and not set(text) - {"0", "1"}:
            for k, digit in enumerate(text):
                yield altered(made, path, f"{text[:k]}{1 - int(digit)}{text[k + 1 :]}")
    order = made["answer"].get("order", [])
    for k in range(len(order) - 1):
        yield altered(
            made, ("answer", "order"), [*order[:k], order[k + 1], order[k], *order[k + 2 :]]
        )
    for k in range(len(made["proof"]["steps"])):
        yield altered(made, ("proof", "steps", k), None)


@pytest.mark.parametrize("count", [10, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize("network", [Hypercube, BristledHypercube])
def test_both_accept_and_refuse_the_same(proved, network, count):
    """Certificates, the samples among them, and each with every single bit of it turned."""
    known = [made for made in samples().values() if made["kind"] == "linear"]
    cases = []
    for made in (*known, *_certificates(count, network)):
        cases += [made, *itertools.islice(_altered(made), 120)]
    theirs = proved([_line(case) for case in cases])
    ours = [_accepted(case) for case in cases]
    assert theirs == [str(int(ok)) for ok in ours]
    assert ours.count(True) > count / 2
    assert ours.count(False) > 10 * count


def test_a_spoiled_checker_would_be_noticed(proved):
    """With gathers read as scatters some verdict differs."""
    cases = list(_certificates(30))
    lines = [_line(case).split(" ") for case in cases]
    for line in lines:
        line[3] = "1" if line[3] == "0" else "0"
    theirs = proved([" ".join(line) for line in lines])
    assert theirs != ["1"] * len(cases)


@pytest.mark.parametrize("n", fast_only([4, 7, 12, 20, 64], 4, 7))
def test_the_proved_lcp_optimizer_beyond_three_bits(proved, n):
    """[hou, Fig. 3] the same order as the library's, on random nonsingular matrices."""
    draw = random.Random(n)
    asked, orders = [], []
    while len(asked) < (20 if n <= 20 else 2):
        rows = [[draw.randint(0, 1) for _ in range(n)] for _ in range(n)]
        c = LCC(rows)
        if c.rank == n:
            texts = ["".join(map(str, row)) for row in rows]
            asked.append(f"lcp {n} {_matrix(texts)} .{'0' * n}")
            orders.append(lcp_optimizer(c))
    for said, order in zip(proved(asked), orders, strict=True):
        assert [row.index("1") for row in said.split(",")] == list(order)
