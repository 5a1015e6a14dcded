"""The machine-checked theorems: which claims they prove, what they say, and what they rest on.

`make proofs` asks the prover itself; these tests need no prover.
"""

import importlib.util
import re
import shutil
import sys
from dataclasses import asdict
from pathlib import Path
from types import ModuleType

import pytest

from proofs_check import registry, report
from proofs_check.theorems import MACHINE_CHECKED, definitions, theorems, theorems_of

FORMAL = Path(report.__file__).parent / "formal"
SOURCES = {path.name: path.read_text(encoding="utf-8") for path in sorted(FORMAL.glob("*.v"))}


def _module(name: str, folder: Path = FORMAL) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"formal_{name}", folder / f"{name}.py")
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


# -- The build fails where it must ----------------------------------------------------------------

WITH_PROVER = pytest.mark.skipif(shutil.which("coqc") is None, reason="the prover is not installed")


@pytest.fixture(name="copy")
def build_on_a_copy(tmp_path):
    """The build script on a copy of its folder; the slow tests run the prover itself there."""
    for source in FORMAL.iterdir():
        if source.suffix in (".v", ".txt", ".json", ".py"):
            shutil.copy(source, tmp_path)
    return _module("build", tmp_path)


def _sabotage(copy: ModuleType, file: str, old: str, new: str) -> None:
    path = copy.HERE / file
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


# p_S with the source's bits in S and the destination's elsewhere.
PLACE = ("if i \\in S then dst m i 0 else src m i 0", "if i \\in S then src m i 0 else dst m i 0")
RUN_PLACE = ("if nth false S i then dst i else src i", "if nth false S i then src i else dst i")


# -- A sabotaged definition ---------------------------------------------------------------------


@pytest.mark.slow
@WITH_PROVER
def test_a_sabotaged_definition_makes_the_build_fail(copy, capsys):
    """With another p_S the theorems cannot be proved any more."""
    _sabotage(copy, "lattice.v", *PLACE)
    assert copy.main() == 1
    assert "proofs: lattice.v does not compile" in capsys.readouterr().err


@pytest.mark.slow
@WITH_PROVER
@pytest.mark.parametrize("sabotaged", [False, True])
def test_a_sabotaged_program_makes_the_comparison_fail(copy, sabotaged):
    """Without its proof the program would be evaluated: then its numbers are not those kept."""
    if sabotaged:
        _sabotage(copy, "executable.v", *RUN_PLACE)
    text = (copy.HERE / "executable.v").read_text(encoding="utf-8")
    program, _, rest = text.partition("(** ** What the lists stand for *)")
    evaluated = rest.partition("(** ** What is evaluated *)")[2]
    program = re.sub(r"From lcc Require Import .*\n", "", program)
    (copy.HERE / "executable.v").write_text(program + evaluated, encoding="utf-8")
    assert copy._coq("executable.v").returncode == 0
    kept = (FORMAL / "evaluated.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    same = copy._evaluated("evaluated", "executable", range(3)) == "".join(
        x for x in kept if x[0] != "3"
    )
    assert same != sabotaged


# -- An unproved step ---------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["Admitted", "Axiom", "Parameter"])
def test_what_is_taken_on_trust_makes_the_build_fail(copy, word, monkeypatch, capsys):
    monkeypatch.setattr(copy, "_prover", lambda: True)
    with (copy.HERE / "counting.v").open("a", encoding="utf-8") as source:
        source.write(f"{word} trust : 0 = 1.\n")
    assert copy.main() == 1
    assert capsys.readouterr().err == f"proofs: counting.v: {word} is not a proof\n"


@pytest.mark.slow
@WITH_PROVER
def test_a_theorem_that_rests_on_something_is_noticed_by_the_prover(copy):
    """A way to take something on trust that no word gives away: `Context` outside a section."""
    source = copy.HERE / "trusting.v"
    source.write_text(
        "Context (trust : 0 = 1).\nTheorem wrong : 1 = 0.\nProof. symmetry. exact trust. Qed.\n"
    )
    copy.FILES = ["trusting"]
    assert copy._coq("trusting.v").returncode == 0
    (wrong,) = copy.read("trusting.v", source.read_text(encoding="utf-8")).theorems
    assert "trusting.trust : 0 = 1" in copy._ask([wrong])
    assert "lcc.trusting.trust" in copy._checked()


# -- A machine without the prover ---------------------------------------------------------------


@pytest.fixture
def path(tmp_path, monkeypatch):
    """A search path without a prover."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def _script(file: Path, text: str) -> None:
    file.write_text(f"#!/bin/sh\n{text}")
    file.chmod(0o755)


def _fake_apt(path: Path, *, brings: bool) -> Path:
    """An apt-get that writes down what it is asked, and brings a prover if told to."""
    log = path / "asked"
    library = f"/bin/mkdir -p {path}/user-contrib/mathcomp/zify"
    made = f"printf '#!/bin/sh\\necho {path}\\n' > {path}/coqc; /bin/chmod +x {path}/coqc"
    coqc = f'case "$1" in install) {library}; {made};; esac\n' if brings else ""
    _script(path / "apt-get", f'echo "$DEBIAN_FRONTEND $@" >> {log}\n{coqc}')
    return log


def test_a_prover_without_the_library_for_arithmetic_is_not_enough(copy, path):
    """A machine that has Coq from before gets mathcomp-zify."""
    _script(path / "coqc", f"echo {path}\n")
    assert not copy._installed()
    (path / "user-contrib" / "mathcomp" / "zify").mkdir(parents=True)
    assert copy._installed()


@pytest.mark.parametrize(("apt", "root"), [(False, True), (True, False)])
def test_without_apt_or_root_one_line_says_how(copy, path, apt, root, monkeypatch, capsys):
    log = _fake_apt(path, brings=True) if apt else path / "asked"
    monkeypatch.setattr(copy.os, "geteuid", lambda: 0 if root else 1000)
    assert copy.main() == 1
    assert capsys.readouterr() == ("", f"proofs: {copy.HOW}\n")
    assert copy.HOW.startswith("the prover is missing: Debian `apt-get install coq ")
    assert not log.exists()


@pytest.mark.parametrize("brings", [True, False])
def test_with_apt_and_root_the_prover_is_installed(copy, path, brings, monkeypatch, capsys):
    """Where apt brings none, the line that says how is printed all the same."""
    log = _fake_apt(path, brings=brings)
    packages = "coq libcoq-mathcomp-algebra libcoq-mathcomp-zify"
    monkeypatch.setattr(copy.os, "geteuid", lambda: 0)
    assert copy._prover() is brings
    assert log.read_text(encoding="utf-8").splitlines() == [
        "noninteractive update -qq",
        f"noninteractive install -qq -y --no-install-recommends {packages}",
    ]
    assert capsys.readouterr().out == "proofs: installing the prover\n"
    if not brings:
        assert copy.main() == 1
        assert capsys.readouterr().err == f"proofs: {copy.HOW}\n"
