"""Every registered claim is well formed; versions and displays."""

import ast
import io
import subprocess
import sys
import types
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

import proofs_check
import proofs_check.claims
from lccmodel.errors import InputError
from lccmodel.kernels import jit
from proofs_check import version
from proofs_check.claim import PAPERS, Control, Sample, Stated, claim
from proofs_check.domain import PAIRS, AllVectors
from proofs_check.registry import all_claims, get_claim, select
from proofs_check.version import code_version
from tests.proofs_check import fake_claims

REAL = all_claims()


@pytest.mark.parametrize("claim", REAL, ids=lambda c: c.id)
def test_claims_are_complete(claim):
    assert claim.source.paper in PAPERS
    assert claim.source.place
    assert claim.says
    assert claim.evidence
    assert claim.control.text
    assert claim.amended is None or get_claim(claim.amended).id.endswith(".amended")
    assert claim.dimensions()
    for n in claim.samples:
        assert n > claim.max_n


def test_ids_are_unique_and_in_order():
    ids = [claim.id for claim in REAL]
    assert len(set(ids)) == len(ids)
    assert all(len(claim.version) == 12 for claim in REAL[::20])
    assert ids.index("hou.thm1") < ids.index("hou.lem3.2") < ids.index("hou.lem3.2.amended")
    assert [c.id for c in select(["hou.thm3", "hou.thm1", "hou.thm1"])] == ["hou.thm1", "hou.thm3"]


def test_two_functions_cannot_share_an_id():
    with pytest.raises(InputError, match="already used"):
        claim(
            "hou.thm1",
            place="here",
            says="again",
            over=PAIRS,
            evidence="none",
            control=Control("spoiled", by=1),
        )(lambda A, b, *, by=0: True)


@pytest.mark.parametrize(
    "declared",
    [
        {"id": "thm1"},
        {"id": "Hou thm1"},
        {"control": Control("changes nothing")},
        {"place": None},
        {"max_n": 3},
        {"sizes": 3},
    ],
)
def test_declarations_that_cannot_be_run_are_refused(declared):
    arguments = {
        "id": "hou.none",
        "place": "here",
        "says": "nothing",
        "over": PAIRS,
        "evidence": "none",
        "control": Control("spoiled", by=1),
        **declared,
    }
    given = {name: value for name, value in arguments.items() if value is not None}
    with pytest.raises(InputError):
        claim(given.pop("id"), **given)(lambda A, b, *, by=0: True)


def test_claims_declare_what_differs_from_their_module() -> None:
    """What claims have in common stands once, above them: no claim repeats its `STATED`."""
    for path in sorted(Path(proofs_check.claims.__file__).parent.glob("*.py")):
        tree = ast.parse(path.read_text())
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        stated: dict = {}
        for call in sorted(calls, key=lambda call: call.lineno):
            name = getattr(call.func, "id", "")
            given = {k.arg: ast.dump(k.value) for k in call.keywords}
            if name == "Stated":
                stated = given
            elif name.endswith("claim"):
                again = {key for key in given.keys() & stated.keys() if given[key] == stated[key]}
                assert not again, f"{path.name} repeats {again}"


@pytest.mark.usefixtures("registered_fake_claims")
def test_a_claim_takes_from_its_module_what_it_does_not_declare(monkeypatch) -> None:
    monkeypatch.setitem(globals(), "STATED", Stated(place="here", over=PAIRS, evidence="none"))
    made = claim("fake.stated", says="so", control=Control("spoiled", by=1), evidence="own")(
        lambda A, b, *, by=0: not by
    )
    assert (made.source.place, made.domain, made.evidence) == ("here", PAIRS, "own")


@pytest.mark.usefixtures("registered_fake_claims")
def test_blocks_of_samples_must_fit_their_domain(monkeypatch):
    samples = fake_claims.fake_nonsingular.samples
    for sample in (Sample(3, 7), Sample(10**6)):
        monkeypatch.setitem(samples, 3, sample)
        with pytest.raises(InputError, match="samples"):
            fake_claims.fake_nonsingular.sample_starts(3, 1)


# -- versions -----------------------------------------------------------------------------------


def module(source: str, tmp_path, name: str) -> types.ModuleType:
    """A module with this source, so that its functions have one."""
    import importlib.util
    import sys

    path = tmp_path / f"{name}.py"
    path.write_text(source)
    # Bytecode of another source, as long and written in the same second, would stand in for it.
    Path(importlib.util.cache_from_source(str(path))).unlink(missing_ok=True)
    spec = importlib.util.spec_from_file_location(name, path)
    made = importlib.util.module_from_spec(spec)
    sys.modules[name] = made
    spec.loader.exec_module(made)
    return made


BASE = """
import numba
LIMIT = 3
UNUSED = 1
TABLE = {"a": [1, 2]}
NAMES = frozenset(["p", "q", "r"])
DOUBLE, TRIPLE = lambda x: x * 2, lambda x: x * 3
def helper(x):
    return x + LIMIT
@numba.njit
def kernel(x):
    return x * 2
class Thing:
    def size(self):
        return helper(1)
def check(x, *, by=0):
    assert TABLE and NAMES and DOUBLE(x) < TRIPLE(x)
    return helper(x) < kernel(Thing().size()) + by
"""


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ("x + LIMIT", "x - LIMIT", True),
        ("LIMIT = 3", "LIMIT = 4", True),
        ("[1, 2]", "[1, 3]", True),
        ("lambda x: x * 3", "lambda x: x * 4", True),
        ("return x * 2", "return x * 3", True),
        ("helper(1)", "helper(2)", True),
        ("+ by", "- by", True),
        ("UNUSED = 1", "UNUSED = 2", False),
        ("return helper(1)", "return helper(1)  # a comment", False),
    ],
)
def test_the_version_follows_the_code_that_is_used(tmp_path, old, new, changes):
    before = code_version(module(BASE, tmp_path, f"versioned_a_{abs(hash(old))}").check)
    renamed = module(BASE.replace(old, new), tmp_path, f"versioned_a_{abs(hash(old))}")
    import linecache

    linecache.clearcache()
    assert (code_version(renamed.check) != before) == changes


def test_the_version_follows_imports_inside_functions(tmp_path):
    module("def inner():\n    return 1\n", tmp_path, "versioned_inner")
    source = "def check(x):\n    from versioned_inner import inner\n    return inner()\n"
    outer = module(source, tmp_path, "versioned_outer")
    assert code_version(outer.check) == code_version(outer.check)


# -- displays -----------------------------------------------------------------------------------


def test_a_result_shows_itself_in_a_notebook():
    result = proofs_check.check("hou.lem3.2", max_n=2)
    shown = result._repr_mimebundle_()
    assert set(shown) == {"text/plain", "text/markdown", "text/html", "text/latex"}
    assert "A = [[0, 0], [1, 1]], b = [0, 0]" in shown["text/html"]
    assert r"\operatorname{rank}" in shown["text/latex"]
    assert "hou.lem3.2.amended" in shown["text/markdown"]
    with pytest.raises(AttributeError):
        result.verdict = "holds"


@pytest.mark.usefixtures("registered_fake_claims")
def test_hostile_text_is_escaped_in_html():
    made = claim(
        "fake.html",
        place="<here>",
        says="1 < 2 & 3",
        over=AllVectors(),
        evidence="<b>",
        control=Control("spoiled", by=1),
    )(lambda b, *, by=0: not by)
    from proofs_check.runner import run

    shown = run([made])[0]._repr_html_()
    assert "1 &lt; 2 &amp; 3" in shown
    assert "<b>" not in shown


@pytest.mark.slow
@pytest.mark.usefixtures("registered_fake_claims")
def test_versions_are_the_same_in_every_process():
    """Hashes of strings differ between processes; the order of a set must not show."""
    import os
    import subprocess
    import sys

    code = (
        "import tests.proofs_check.fake_claims as f\nfrom proofs_check.registry import all_claims\n"
        "print({c.id: c.version for c in all_claims() if c.id.startswith(('fake', 'hou.thm'))})"
    )
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"  # not that of this process
    elsewhere = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    found = ast.literal_eval(elsewhere)
    assert len(found) > 10
    assert found == {claim_id: get_claim(claim_id).version for claim_id in found}


def reads_what_is_typed() -> object:
    """As the library's reader of sources does."""
    return sys.stdin


def test_the_version_does_not_depend_on_the_streams_of_a_process(monkeypatch):
    """A worker process has another standard input than the process that started it."""
    before = code_version(reads_what_is_typed)
    monkeypatch.setattr(sys, "stdin", io.StringIO("typed"))
    version._analysis.cache_clear()
    assert code_version(reads_what_is_typed) == before


def test_the_version_does_not_depend_on_what_a_process_has_done(monkeypatch):
    """A worker that went through small kernels in Python refused the shards of a simulation."""
    before = code_version(jit.compiled_unless_small)
    monkeypatch.setattr(jit, "_spent", 0.5)
    version._analysis.cache_clear()
    assert code_version(jit.compiled_unless_small) == before


@pytest.mark.slow
def test_worker_processes_have_the_versions_of_every_claim():
    """Else a run on several cores refuses their shards.

    The other side is a process of its own, too: tests before this one put faults into the library.
    """
    ids = [one.id for one in all_claims()]
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        theirs = list(pool.map(version_of, ids, chunksize=len(ids)))
    asked = "from proofs_check.registry import all_claims; [print(c.version) for c in all_claims()]"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout.split() == theirs


def version_of(name: str) -> str:
    return get_claim(name).version


def test_the_version_follows_data_that_a_function_reads(tmp_path):
    source = "def check(x):\n    return open('words.json').read()\n"
    outer = module(source, tmp_path, "versioned_reader")
    versions = []
    for text in ("[1]", "[2]", "[1]"):
        (tmp_path / "words.json").write_text(text)
        versions.append(code_version(outer.check))
    assert versions[0] == versions[2] != versions[1]


def uses_zero() -> int:
    """Imports a constant that is 0, as compiled kernels number their kinds."""
    from lccmodel.network.kernels import CUBE

    return CUBE


def test_a_constant_of_0_that_is_imported_inside_counts_as_a_value():
    assert len(code_version(uses_zero)) == 12
