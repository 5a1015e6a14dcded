"""The build of the theorems fails where it must: sabotaged definitions, unproved steps, no prover.

The slow tests run the prover itself, on copies.
"""

import importlib.util
import re
import shutil
from pathlib import Path
from types import ModuleType

import pytest

from proofs_check import report

FORMAL = Path(report.__file__).parent / "formal"
WITH_PROVER = pytest.mark.skipif(shutil.which("coqc") is None, reason="the prover is not installed")


@pytest.fixture
def build(tmp_path):
    """The build script on a copy of its folder."""
    for source in [*FORMAL.glob("*.v"), *FORMAL.glob("*.txt"), *FORMAL.glob("*.json")]:
        shutil.copy(source, tmp_path)
    for script in ("build.py", "sources.py"):
        shutil.copy(FORMAL / script, tmp_path)
    spec = importlib.util.spec_from_file_location("formal_build", tmp_path / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _sabotage(build: ModuleType, file: str, old: str, new: str) -> None:
    path = build.HERE / file
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


# p_S with the source's bits in S and the destination's elsewhere.
PLACE = ("if i \\in S then dst m i 0 else src m i 0", "if i \\in S then src m i 0 else dst m i 0")
RUN_PLACE = ("if nth false S i then dst i else src i", "if nth false S i then src i else dst i")


# -- A sabotaged definition ---------------------------------------------------------------------


@pytest.mark.slow
@WITH_PROVER
def test_a_sabotaged_definition_makes_the_build_fail(build, capsys):
    """With another p_S the theorems cannot be proved any more."""
    _sabotage(build, "lattice.v", *PLACE)
    assert build.main() == 1
    assert "proofs: lattice.v does not compile" in capsys.readouterr().err


@pytest.mark.slow
@WITH_PROVER
@pytest.mark.parametrize("sabotaged", [False, True])
def test_a_sabotaged_program_makes_the_comparison_fail(build, sabotaged):
    """Without its proof the program would be evaluated: then its numbers are not those kept."""
    if sabotaged:
        _sabotage(build, "executable.v", *RUN_PLACE)
    text = (build.HERE / "executable.v").read_text(encoding="utf-8")
    program, _, rest = text.partition("(** ** What the lists stand for *)")
    evaluated = rest.partition("(** ** What is evaluated *)")[2]
    program = re.sub(r"From lcc Require Import .*\n", "", program)
    (build.HERE / "executable.v").write_text(program + evaluated, encoding="utf-8")
    assert build._coq("executable.v").returncode == 0
    kept = (FORMAL / "evaluated.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    same = build._evaluated("evaluated", "executable", range(3)) == "".join(
        x for x in kept if x[0] != "3"
    )
    assert same != sabotaged


# -- An unproved step ---------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["Admitted", "Axiom", "Parameter"])
def test_what_is_taken_on_trust_makes_the_build_fail(build, word, monkeypatch, capsys):
    monkeypatch.setattr(build, "_prover", lambda: True)
    with (build.HERE / "counting.v").open("a", encoding="utf-8") as source:
        source.write(f"{word} trust : 0 = 1.\n")
    assert build.main() == 1
    assert capsys.readouterr().err == f"proofs: counting.v: {word} is not a proof\n"


@pytest.mark.slow
@WITH_PROVER
def test_a_theorem_that_rests_on_something_is_noticed_by_the_prover(build):
    """A way to take something on trust that no word gives away: `Context` outside a section."""
    source = build.HERE / "trusting.v"
    source.write_text(
        "Context (trust : 0 = 1).\nTheorem wrong : 1 = 0.\nProof. symmetry. exact trust. Qed.\n"
    )
    build.FILES = ["trusting"]
    assert build._coq("trusting.v").returncode == 0
    (wrong,) = build.read("trusting.v", source.read_text(encoding="utf-8")).theorems
    assert "trusting.trust : 0 = 1" in build._ask([wrong])
    assert "lcc.trusting.trust" in build._checked()


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


def test_a_prover_without_the_library_for_arithmetic_is_not_enough(build, path):
    """A machine that has Coq from before gets mathcomp-zify."""
    _script(path / "coqc", f"echo {path}\n")
    assert not build._installed()
    (path / "user-contrib" / "mathcomp" / "zify").mkdir(parents=True)
    assert build._installed()


@pytest.mark.parametrize(("apt", "root"), [(False, True), (True, False)])
def test_without_apt_or_root_one_line_says_how(build, path, apt, root, monkeypatch, capsys):
    log = _fake_apt(path, brings=True) if apt else path / "asked"
    monkeypatch.setattr(build.os, "geteuid", lambda: 0 if root else 1000)
    assert build.main() == 1
    assert capsys.readouterr() == ("", f"proofs: {build.HOW}\n")
    assert build.HOW.startswith("the prover is missing: Debian `apt-get install coq ")
    assert not log.exists()


@pytest.mark.parametrize("brings", [True, False])
def test_with_apt_and_root_the_prover_is_installed(build, path, brings, monkeypatch, capsys):
    """Where apt brings none, the line that says how is printed all the same."""
    log = _fake_apt(path, brings=brings)
    packages = "coq libcoq-mathcomp-algebra libcoq-mathcomp-zify"
    monkeypatch.setattr(build.os, "geteuid", lambda: 0)
    assert build._prover() is brings
    assert log.read_text(encoding="utf-8").splitlines() == [
        "noninteractive update -qq",
        f"noninteractive install -qq -y --no-install-recommends {packages}",
    ]
    assert capsys.readouterr().out == "proofs: installing the prover\n"
    if not brings:
        assert build.main() == 1
        assert capsys.readouterr().err == f"proofs: {build.HOW}\n"
