"""Every registered claim is well formed; versions and displays."""

import importlib.util
import io
import linecache
import subprocess
import sys
import types
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

import proofs_check
from lccmodel.errors import InputError
from lccmodel.kernels import jit
from proofs_check import version
from proofs_check.claim import PAPERS, Control, Sample, Stated, claim
from proofs_check.domain import PAIRS, AllVectors
from proofs_check.registry import all_claims, get_claim, select
from proofs_check.runner import run
from proofs_check.version import code_version
from tests.proofs_check import fake_claims

NEW = {
    "place": "here",
    "says": "nothing",
    "over": PAIRS,
    "evidence": "none",
    "control": Control("spoiled", by=1),
}


def test_claims_are_complete_and_in_order():
    ids = [claim.id for claim in all_claims()]
    assert len(set(ids)) == len(ids)
    assert ids.index("hou.thm1") < ids.index("hou.lem3.2") < ids.index("hou.lem3.2.amended")
    assert [c.id for c in select(["hou.thm3", "hou.thm1", "hou.thm1"])] == ["hou.thm1", "hou.thm3"]
    for declared in all_claims():
        assert declared.source.paper in PAPERS, declared.id
        corrected = declared.amended
        assert corrected is None or get_claim(corrected).id.endswith(".amended"), declared.id
        assert declared.dimensions(), declared.id
        assert all(n > declared.max_n for n in declared.samples), declared.id


@pytest.mark.parametrize(
    ("id", "declared", "rule"),
    [
        ("hou.thm1", {}, "already used"),
        ("thm1", {}, "<paper>.<name>"),
        ("Hou thm1", {}, "<paper>.<name>"),
        ("hou.none", {"control": Control("changes nothing")}, "needs a parameter"),
        ("hou.none", {"max_n": 3}, "not max_n"),
        ("hou.none", {"sizes": 3}, "must be Sizes"),
        ("hou.none", {"place": None}, "must state its place"),
    ],
)
def test_declarations_that_cannot_be_run_are_refused(id, declared, rule):
    stated = {key: value for key, value in (NEW | declared).items() if value is not None}
    with pytest.raises(InputError, match=rule):
        claim(id, **stated)(lambda A, b, *, by=0: True)


@pytest.mark.usefixtures("registered_fake_claims")
def test_a_claim_takes_from_its_module_what_it_does_not_declare(monkeypatch):
    monkeypatch.setitem(globals(), "STATED", Stated(place="here", over=PAIRS, evidence="none"))
    made = claim("fake.stated", says="so", control=NEW["control"], evidence="own")(
        lambda A, b, *, by=0: not by
    )
    assert (made.source.place, made.domain, made.evidence) == ("here", PAIRS, "own")


@pytest.mark.usefixtures("registered_fake_claims")
@pytest.mark.parametrize("sample", [Sample(3, 7), Sample(10**6)])
def test_blocks_of_samples_must_fit_their_domain(monkeypatch, sample):
    monkeypatch.setitem(fake_claims.fake_nonsingular.samples, 3, sample)
    with pytest.raises(InputError, match="samples"):
        fake_claims.fake_nonsingular.sample_starts(3, 1)


# -- versions -----------------------------------------------------------------------------------


def module(source: str, tmp_path, name: str) -> types.ModuleType:
    """A module with this source, so that its functions have one."""
    path = tmp_path / f"{name}.py"
    path.write_text(source)
    # Bytecode of another source, as long and written in the same second, would stand in for it.
    Path(importlib.util.cache_from_source(str(path))).unlink(missing_ok=True)
    spec = importlib.util.spec_from_file_location(name, path)
    made = importlib.util.module_from_spec(spec)
    sys.modules[name] = made
    spec.loader.exec_module(made)
    linecache.clearcache()
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
    assert (code_version(renamed.check) != before) == changes


READER = "def check(x):\n    return open('words.json').read()\n"
IMPORTER = "def check(x):\n    from versioned.inner import inner\n    return inner()\n"


CONSTANT = "def check(x):\n    from versioned.inner import NUMBER\n    return NUMBER\n"


@pytest.mark.parametrize("source", [READER, IMPORTER, CONSTANT])
def test_the_version_follows_imports_inside_a_function_and_data_that_it_reads(source, tmp_path):
    """A constant of 0 counts as a value, too: compiled kernels number their kinds from it."""
    versions = []
    for number in (0, 2, 0):
        (tmp_path / "words.json").write_text(f"[{number}]")
        text = f"NUMBER = {number}\ndef inner():\n    return {number}\n"
        module(text, tmp_path, "versioned.inner")
        versions.append(code_version(module(source, tmp_path, "versioned.outer").check))
    assert versions[0] == versions[2] != versions[1]


# -- displays -----------------------------------------------------------------------------------


def test_a_result_shows_itself_in_a_notebook():
    result = proofs_check.check("hou.lem3.2", max_n=2)
    shown = result._repr_mimebundle_()
    assert set(shown) == {"text/plain", "text/markdown", "text/html", "text/latex"}
    assert "A = [[0, 0], [1, 1]], b = [0, 0]" in shown["text/html"]
    assert r"\operatorname{rank}" in shown["text/latex"]
    assert "hou.lem3.2.amended" in shown["text/markdown"]


@pytest.mark.usefixtures("registered_fake_claims")
def test_hostile_text_is_escaped_in_html():
    hostile = NEW | {"says": "1 < 2 & 3", "over": AllVectors(), "evidence": "<b>"}
    made = claim("fake.html", **hostile)(lambda b, *, by=0: not by)
    shown = run([made])[0]._repr_html_()
    assert "1 &lt; 2 &amp; 3" in shown
    assert "<b>" not in shown


def reads_what_is_typed() -> object:
    """As the library's reader of sources does."""
    return sys.stdin


@pytest.mark.parametrize(
    ("function", "owner", "name", "value"),
    [
        (reads_what_is_typed, sys, "stdin", io.StringIO("typed")),
        (jit.compiled_unless_small, jit, "_spent", 0.5),
    ],
)
def test_the_version_does_not_depend_on_what_a_process_reads_or_has_done(
    monkeypatch, function, owner, name, value
):
    """A worker that went through small kernels in Python refused the shards of a simulation."""
    before = code_version(function)
    monkeypatch.setattr(owner, name, value)
    version._analysis.cache_clear()
    assert code_version(function) == before


@pytest.mark.slow
def test_worker_processes_have_the_versions_of_every_claim():
    """Else a run on several cores refuses their shards. Hashes of strings differ between processes.

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
