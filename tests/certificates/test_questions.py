"""A certificate names its question, and `check FILE PROGRAM --network` compares it with yours."""

import hashlib
import json
import re
from fractions import Fraction
from pathlib import Path

import pytest

import lccmodel as lcc
from lccmodel import Hypercube, Traffic
from lccmodel.certificates.asking import asked_question
from lccmodel.certificates.checker import certified, check
from lccmodel.certificates.degrees import _level
from lccmodel.certificates.questions import difference, mesh_stated, network_name, question_of
from lccmodel.certificates.writer import certificate_of
from lccmodel.errors import InputError
from lccmodel.network import parse_network
from lccmodel.pipelining.cost.steps import MODELS, step_table
from lccmodel.pipelining.degree import optimal_degree
from lccmodel.pipelining.machine import Machine
from lccmodel.placement import optimal_reordering
from lccmodel.problem import Problem
from tests.certificates.samples import GATHER, SCATTER, accepted, samples, signed
from tests.cli.calling import run

SAMPLES = samples()


def _by_hand(ranks: int, phases: list[dict[tuple[int, int], Fraction]]) -> str:
    """The hash as docs/certificates.md defines it."""
    text = f"ranks {ranks}\n"
    for phase in phases:
        text += "phase\n"
        for (source, destination), volume in sorted(phase.items()):
            if source != destination and volume:
                text += f"{source} {destination} {volume}\n"
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:12]


def test_the_hash_of_a_program_is_computed_by_hand():
    """Pairs in order, volumes added up, weights multiplied in; nothing for messages that stay."""
    sent = Traffic([(2, 1), (0, 1), (2, 1), (1, 1), (0, 2)], [1, 0.5, 2, 7, 0], 4)
    program = lcc.communication.Program([lcc.communication.Phase(sent, 3), [(3, 0)]], 4)
    question = asked_question(Problem.read(program, "mesh:4"), "joint")
    phases = [{(2, 1): Fraction(9), (0, 1): Fraction(3, 2)}, {(3, 0): Fraction(1)}]
    assert question.program == _by_hand(4, phases)
    assert (question.messages, question.volume, question.ranks) == (3, Fraction(23, 2), 4)


def test_the_hash_in_the_documentation_is_that_of_its_lines():
    page = (Path(__file__).parents[2] / "docs/certificates.md").read_text()
    stated = re.search(r"printf '(ranks.*?)' \| sha256sum \| cut -c1-12 +([0-9a-f]{12})", page)
    assert stated
    sent = Traffic([(2, 3), (0, 1)], [1, 1.5], 4)
    question = asked_question(Problem.read(sent, "mesh:4"))
    assert "".join(f"{line}\\n" for line in question.lines) == stated[1]
    assert question.program == stated[2]


@pytest.mark.parametrize(
    ("name", "c"),
    [("gather", GATHER), ("scatter", SCATTER), ("reverse", lcc.catalog.bit_reverse(4))],
)
def test_matrices_have_the_hash_of_their_messages(name, c):
    """y = Ax + b, walked x by x; gathers send x to y, scatters y to x."""
    question = certified(SAMPLES[name]).question
    sent = {(int(x), int(y)): Fraction(1) for x, y in c.pairs()}
    assert question.program == _by_hand(c.size, [sent])
    assert question.messages == question.volume == sum(x != y for x, y in sent)


def test_a_matrix_of_many_bits_counts_its_messages():
    """2^n less the x with Ax + b = x: none, or 2^(n - rank(A + I)) of them [linear algebra]."""
    n = 18
    for c in (
        lcc.catalog.bit_reverse(n),
        lcc.catalog.matrix_transpose(n),
        lcc.catalog.reverse_flip(n),
    ):
        made = certificate_of(optimal_reordering(c, Hypercube(n)))
        question = certified(made).question
        pairs = c.pairs()
        assert question.messages == int((pairs[:, 0] != pairs[:, 1]).sum())
        assert difference(question, asked_question(Problem.read(c, f"cube:{n}"))) is None
        other = lcc.catalog.perfect_shuffle(n)
        assert difference(question, asked_question(Problem.read(other, f"cube:{n}"))) is not None


@pytest.mark.parametrize(
    ("first", "second"),
    [("cube:4", "mesh:2x2x2x2"), ("cube:3*2", "origin:4"), ("mesh:4x1x4", "mesh:4x4"),
     ("torus:2x2", "cube:2"), ("torus:2x4", "torus:2x4,wrap=1")],
)  # fmt: skip
def test_equal_networks_have_one_name(first, second):
    questions = [asked_question(Problem.read([(0, 1)], word)) for word in (first, second)]
    assert questions[0] == questions[1]
    assert parse_network(questions[0].network)  # the name can be typed


@pytest.mark.parametrize(
    "word",
    ["mesh:4x8", "torus:5", "torus:4x4,wrap=0", "mesh:4x2,bandwidth=1:2", "torus:4x4*2,wrap=1",
     "fattree:4x4/2", "fattree:2x2x2/1x1,routing=s-mod-k", "mesh:4*3"],
)  # fmt: skip
def test_the_name_of_a_network_is_its_word(word):
    assert asked_question(Problem.read([(0, 1)], word)).network == parse_network(word).spec == word


@pytest.mark.parametrize("word", ["mesh:2x3", "cube:3", "fattree:3x2/1"])
def test_the_sentence_names_the_question(word):
    """0.4 printed one and the same line for these three networks."""
    made = certificate_of(lcc.place(Traffic([(0, 1)], ranks=6), word, over="placements"))
    assert f"; {word}, objective max-max, 6 ranks, 1 messages of total volume 1" in check(made)


# -- Compared with what is asked ------------------------------------------------------------------

TWO = "matrix-transpose bit-reverse -N cube:4 --objective"
GRID = "grid:4x2:rings:1,3 -N torus:4x2 --objective joint"
ASKED = {
    "linear": ("map matrix-transpose -N cube:6", "matrix-transpose -N cube:6"),
    "orders": (f"map {TWO} max-sum", f"{TWO} max-sum"),
    "weights": (f"map {TWO} sum-sum --weights 2,1/3", f"{TWO} sum-sum --weights 4/2,1/3"),
    "placement": (f"map {GRID} --over placements --seconds 0.1", GRID),
    "schedule": ("schedule --task 0,4 -N mesh:4x4", "0,4 -N mesh:4x4"),
    "collective": ("collective allgather -N torus:4x4 --algorithm ring", "allgather -N torus:4x4"),
}
OTHERS = {
    "linear": {
        "bit-reverse -N cube:6": 'certified for "1 8 1" in the program, asked for "1 32 1"',
        "matrix-transpose -N mesh:8x8": "certified for 56 messages on cube:6, asked for 56",
        "matrix-transpose -N cube:4": "messages on cube:6, asked for 12 messages on cube:4",
    },
    "orders": {
        "matrix-transpose bit-reverse -N cube:4": "for the objective max-sum, asked for max",
        "bit-reverse matrix-transpose -N cube:4 --objective max-sum": "in the program",
        "matrix-transpose -N cube:4 --objective max-sum": "for 24 messages on cube:4",
    },
    "weights": {
        f"{TWO} sum-sum": "certified for volume 28, asked for 24",
        f"{TWO} sum-sum --weights 1/3,2": "in the program",
    },
    "placement": {
        "grid:4x2:rings:1,3 -N mesh:4x2 --objective joint": "torus:4x2, asked for",
        "grid:4x2:rings:3,1 -N torus:4x2 --objective joint": "certified for volume",
        "grid:4x2:rings:1,3 -N torus:4x2": "for the objective joint, asked for max-max",
    },
    "schedule": {
        "0,3 -N mesh:4x4": 'certified for "task 0 4" in the program, asked for "task 0 3"',
        "0,4 -N mesh:16": "on mesh:4x4, asked for this program on mesh:16",
        "0,4 -N mesh:4x4 --ports all": "with one port, asked for steps with all ports",
    },
    "collective": {
        "allreduce -N torus:4x4": 'certified for "collective allgather"',
        "allgather -N cube:4": "asked for this program on cube:4",
        "allgather -N torus:4x4 --ports all": "one port, asked for",
    },
}


@pytest.mark.parametrize("kind", ASKED)
def test_only_this_question_is_accepted(kind, tmp_path):
    """0.4 had no way to ask: another trace's certificate passed as mine."""
    file = tmp_path / "proof.json"
    made, mine = ASKED[kind]
    assert run(*made.split(), "--certificate", file).exit_code == 0
    accepted = run("check", file, *mine.split(), "-f", "json")
    assert accepted.exit_code == 0, accepted.stderr
    assert json.loads(accepted.stdout)[0]["verdict"] == "accepted"
    for words, said in OTHERS[kind].items():
        other = run("check", file, *words.split(), "-f", "json")
        assert other.exit_code == 1, (words, other.stderr)
        (record,) = json.loads(other.stdout)
        assert record["verdict"] == "another question"
        assert said in record["explanation"]


def _listed(file: Path, lines: list[str]) -> Path:
    file.write_text("\n".join(["source,destination,volume", *lines]))
    return file


def test_a_file_in_another_order_is_the_same_question(tmp_path):
    mine = _listed(tmp_path / "mine.csv", ["0,1,3", "2,3,5", "1,2,4"])
    same = _listed(tmp_path / "same.csv", ["1,2,4", "2,3,2", "0,1,3", "2,3,3"])
    other = _listed(tmp_path / "other.csv", ["1,2,4", "2,3,6", "0,1,2"])
    proof = tmp_path / "proof.json"
    made = run("map", mine, "-N", "mesh:4", "--seconds", "0.1", "--certificate", proof)
    assert made.exit_code == 0
    for file in (mine, same):
        assert run("check", proof, file, "-N", "mesh:4").exit_code == 0
    refused = run("check", proof, other, "-N", "mesh:4", "-f", "json")
    assert refused.exit_code == 1
    explanation = json.loads(refused.stdout)[0]["explanation"]
    assert explanation == 'certified for "0 1 3" in the program, asked for "0 1 2"'


def test_a_uniform_volume_is_no_part_of_a_contention_degree(tmp_path):
    """The degree counts each message once [hou, Definition 6], whatever it carries."""
    lines = [f"{x},{(x & 3) << 2 | x >> 2},1000" for x in range(16)]
    proof = tmp_path / "proof.json"
    run("map", "matrix-transpose", "-N", "cube:4", "--certificate", proof)
    for exit_code, volume in enumerate(("1000", "1001")):
        lines[1] = lines[1].replace("1000", volume)
        file = _listed(tmp_path / "transpose.csv", lines)
        assert run("check", proof, file, "-N", "cube:4").exit_code == exit_code


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-N", "cube:4"], "--network needs PROGRAM"),
        (["--objective", "joint"], "--objective needs PROGRAM"),
        (["matrix-transpose", "-N", "cube:4", "--ports", "one"], "--ports is for"),
        (["none.csv", "-N", "cube:4"], "none.csv: cannot read the file"),
        (["matrix-transpose", "-N", "cube:x"], "N must be a positive integer"),
    ],
)
def test_options_without_effect_and_bad_input_are_refused(words, said, tmp_path):
    proof = tmp_path / "proof.json"
    run("map", "matrix-transpose", "-N", "cube:4", "--certificate", proof)
    refused = run("check", proof, *words)
    assert refused.exit_code == 2
    assert said in refused.stderr


# -- Degrees ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "word",
    ["mesh:2", "mesh:4x4", "mesh:2x8", "mesh:4x2x4", "torus:8", "torus:4x8", "torus:4x4x4"],
)
@pytest.mark.parametrize("ports", ["one", "all"])
@pytest.mark.parametrize("model", MODELS)
def test_the_steps_of_a_degree_follow_from_its_network(word, ports, model):
    """Counted by the checker's own loads of links, against the sums of the library.

    0.4 accepted the network mesh:1024x1024 and the model "banana" for any steps.
    """
    try:
        step_table(word, model, ports)
    except InputError:
        return
    machine = Machine(parse_network(word), 7, "1/3", barrier=1, ports=ports)
    made = certificate_of(optimal_degree(machine, 50, model))
    sentence = check(made)
    counted = model in ("load", "lower-bound") or (ports == "all" and model == "schedule")
    assert ("with the steps counted from the network" in sentence) == counted
    assert f"; {network_name(mesh_stated(word))}, objective time by the model {model}" in sentence
    for path, value in (
        (("problem", "network"), "mesh:1024x1024"),
        (("problem", "model"), "banana"),
        (("problem", "ports"), "two"),
        (("problem", "d"), made["problem"]["d"] + 1),
        (("problem", "steps", "A"), made["problem"]["steps"]["A"] + (1 if counted else -(10**6))),
        (("problem", "steps", "B"), 0),
    ):
        assert not accepted(signed(made, path, value)), path


@pytest.mark.parametrize("side", [2, 4, 16, 64])
def test_loads_of_a_level_are_counted_message_by_message(side):
    for level in range(side.bit_length() - 1):
        links = [0] * side
        for c in range(side):
            for at in range(c, c ^ 1 << level):
                links[at] += 1
        assert _level(side, level) == links


def test_old_digests_do_not_bind_and_every_sample_has_a_question():
    for name, made in SAMPLES.items():
        question = question_of(made["kind"], made["problem"])
        assert str(question) in check(made), name
        assert len(question.program) == 12
    assert len({check(made) for made in SAMPLES.values()}) == len(SAMPLES)
