"""The machine-checked theorems: which claims they prove, what they say, and what they rest on.

`make proofs` asks the prover itself; these tests need no prover.
"""

import importlib.util
import re
import sys
from dataclasses import asdict
from pathlib import Path
from types import ModuleType

import pytest

from proofs_check import registry, report
from proofs_check.theorems import MACHINE_CHECKED, definitions, theorems, theorems_of

FORMAL = Path(report.__file__).parent / "formal"
SOURCES = {path.name: path.read_text(encoding="utf-8") for path in sorted(FORMAL.glob("*.v"))}


def _module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"formal_{name}", FORMAL / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


sources, build = _module("sources"), _module("build")


def _read(texts: dict[str, str]) -> tuple[list, list, str | None]:
    return build._contents({name: texts[f"{name}.v"] for name in build.FILES})


# -- The committed record ------------------------------------------------------------------------


def test_the_record_is_what_the_sources_say():
    """Every theorem, and every definition that one reaches, as written and in order."""
    found, reached, problem = _read(SOURCES)
    assert problem is None
    assert {f"{name}.v" for name in build.FILES} == set(SOURCES)
    assert [asdict(theorem) for theorem in found] == [asdict(theorem) for theorem in theorems()]
    assert [asdict(d) for d in reached] == [asdict(d) for d in definitions()]
    assert len(found) >= 140
    assert len(reached) >= 190


def test_names_are_given_once():
    """A second one of the same name would hide the first from the prover's answer."""
    names = [theorem.name for theorem in theorems()] + [d.name for d in definitions()]
    assert len(set(names)) == len(names)


def test_the_page_names_every_theorem_of_a_claim():
    page = (Path(__file__).parents[2] / "docs" / "proofs.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(\w+)`", page))
    assert {theorem.name for theorem in theorems() if theorem.claims} <= named


@pytest.mark.parametrize("definition", definitions()[::50], ids=lambda d: d.name)
def test_a_changed_definition_is_noticed(definition):
    """Even where all proofs pass: `make proofs` fails as the record differs from the committed."""
    changed = f"{definition.source.removesuffix('.')} || false."
    text = SOURCES[definition.file].replace(definition.source, changed)
    _, reached, _ = _read(SOURCES | {definition.file: text})
    kept = (FORMAL / "definitions.json").read_text(encoding="utf-8")
    assert build._listed(definitions()) == kept != build._listed(reached)


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("ecube.v", "Variables (n : nat).", "Variables (n : nat) (trust : 0 = 1 :> nat)."),
        ("hl.v", "Hypothesis AU : A \\in unitmx.", "Hypothesis AU : A = 1%:M."),
        ("lcp_optimizer.v", "Local Notation n := m.+1.", "Local Notation n := 1."),
    ],
)
def test_a_changed_declaration_around_theorems_is_noticed(file, old, new):
    assert SOURCES[file].count(old) == 1
    changed, _, _ = _read(SOURCES | {file: SOURCES[file].replace(old, new)})
    assert build._listed(changed) != (FORMAL / "theorems.json").read_text(encoding="utf-8")


NO_PROOF = "is neither proved nor a definition"


@pytest.mark.parametrize(
    ("sentence", "problem"),
    [
        ("Context (trust : 0 = 1).", f"Context (trust : 0 = 1). {NO_PROOF}"),
        ("Unset Guard Checking.", f"Unset Guard Checking. {NO_PROOF}"),
        (
            "Definition more : nat := 0. Theorem false : more = 0. Proof. by []. Qed.",
            "free.v: the first comment does not say what more means",
        ),
    ],
)
def test_other_sentences_and_definitions_without_meaning_are_refused(sentence, problem):
    _, _, complaint = _read(SOURCES | {"free.v": f"{SOURCES['free.v']}\n{sentence}\n"})
    assert complaint.endswith(problem)


@pytest.mark.parametrize("name", SOURCES)
def test_no_source_takes_anything_on_trust_or_is_wider_than_a_page(name):
    text = re.sub(r"\(\*.*?\*\)", "", SOURCES[name], flags=re.DOTALL)
    assert not re.search(r"\b(Admitted|admit|Axiom|Parameter|Conjecture)\b", text)
    assert max(map(len, SOURCES[name].splitlines())) <= 100


# -- Claims ----------------------------------------------------------------------------------------


def test_the_claims_that_theorems_name_exist():
    named = {claim for theorem in theorems() for claim in theorem.claims}
    for claim in named:
        assert registry.get_claim(claim).id == claim


def test_a_claim_that_fails_as_printed_is_not_said_to_be_proved():
    """Only the amended claim has theorems; Theorem 3 and Corollary 2 have them as they are read."""
    assert theorems_of("hou.thm3") == ("hou_theorem_3", "hou_theorem_3_exception")
    assert len(theorems_of("hou.cor2.scatter")) == 1
    assert theorems_of("hou.lem3.2") == ()


def test_claims_have_the_theorems_that_say_all_of_them():
    """Minimality with its three branches; that HL goes on to its end; the cycle of the converse."""
    least = {"origin_least_ge", "origin_least_reached", "hou_lemma_6", "hou_corollary_7"}
    assert least <= set(theorems_of("hou.cor7"))
    assert theorems_of("lattice.hl") == theorems_of("boppana.lem4.a")
    assert theorems_of("lattice.hl") == ("hl_order_exists", "hl_free")
    assert theorems_of("lattice.hl.first.amended") == ("hl_free_always", "hl_first")
    assert "triangular_iff_no_cycle" in theorems_of("edelman.cor3.3.converse")


def test_a_claim_of_which_a_part_is_proved_says_which_part():
    text = (
        "Section S.\n(** Claims: a.b (for n = 1), c.d. *)\nTheorem t : 1 = 1.\nProof. by []. Qed.\n"
    )
    (theorem,) = sources.read("t.v", text + "End S.\n").theorems
    assert theorem.claims == {"a.b": "for n = 1", "c.d": ""}
    assert theorem.statement == "t : 1 = 1"


def test_the_list_says_every_n_beside_the_counted_domain():
    text = report.render_claims(registry.select(["hou.thm8"]), "markdown")
    assert f"n ≤ 4; {MACHINE_CHECKED}: hou_theorem_8" in text


# -- Every definition is evaluated ---------------------------------------------------------------

EQUATION = re.compile(r"(?:Lemma|Theorem) \w+(.*?)\.\s+Proof\.", re.DOTALL)
DEFINED = re.compile(r"^(?:Definition|Fixpoint) (\w+)(.*?)\.$", re.DOTALL | re.MULTILINE)


def _evaluated(texts: dict[str, str]) -> set[str]:
    """Definitions that an evaluated program is, or is proved equal to, or that these use.

    The programs are those of `EVALUATED`, and those that the prover writes as OCaml for a test.
    """
    bodies: dict[str, set[str]] = {}
    for text in texts.values():
        bare = re.sub(r"\(\*.*?\*\)", "", text, flags=re.DOTALL)
        for name, body in DEFINED.findall(bare):
            bodies.setdefault(name, set()).update(re.findall(r"\w+", body))
    bodies |= {d.name: set(re.findall(r"\w+", d.source)) for d in definitions()}

    def closed(names: set[str]) -> set[str]:
        found: set[str] = set()
        while names:
            found |= names
            names = {w for name in names for w in bodies.get(name, ())} & set(bodies) - found
        return found

    programs = closed({*build.EVALUATED, *build.EXTRACTED})
    equal: set[str] = set()
    for file, text in texts.items():
        for statement in EQUATION.findall(text) if file.endswith("executable.v") else ():
            words = set(re.findall(r"\w+", statement))
            if words & {p for p in programs if p.startswith("run_")}:
                equal |= words
    return closed(programs | (equal & set(bodies)))


def test_every_definition_is_evaluated_on_small_cases():
    """Each is a program that the prover evaluates, or equal to one by a lemma, or part of these."""
    assert {d.name for d in definitions()} - _evaluated(SOURCES) == set()


@pytest.mark.parametrize(
    ("lemma", "definition"),
    [
        ("run_pipelinedP", "pipelined"),
        ("run_hl_orderP", "hl_order"),
        ("run_task_stepE", "task_step"),
    ],
)
def test_a_definition_without_its_equation_is_noticed(lemma, definition):
    texts = {file: text.replace(f"Lemma {lemma}", "Remark it") for file, text in SOURCES.items()}
    assert {d.name for d in definitions()} - _evaluated(texts) == {definition}
