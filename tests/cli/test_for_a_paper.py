"""Tables that go into a paper: captions, labels, columns and notes that the author chooses."""

import re

from tests.cli.calling import run

DEGREE = ("pipeline", "-N", "mesh:8x8", "--alpha", "500", "--tau", "1", "--items", "4096")
LATEX = (*DEGREE, "-f", "latex")


def test_a_caption_names_the_question_and_so_does_its_label():
    """0.4 wrote "Pipelining degree." with one label for every question."""
    text = run(*LATEX).stdout
    assert r"\caption{Pipelining degree: mesh:8x8, " in text
    assert r"\ensuremath{\alpha} = 500, \ensuremath{\tau} = 1, N = 4,096" in text
    other = run("pipeline", "-N", "mesh:4x4", *LATEX[3:]).stdout
    labels = [re.findall(r"\\label\{([^}]*)\}", each) for each in (text, other)]
    assert labels[0] != labels[1]
    assert all(len(each) == 1 for each in labels)


def test_the_author_chooses_caption_label_and_columns():
    chosen = ("--caption", "Packets & time", "--label", "tab:mine", "--columns", "Q, time T")
    text = run(*LATEX, *chosen).stdout
    assert r"\caption{Packets \& time" in text
    assert r"\label{tab:mine}" in text
    assert r"$Q$ & time T \\" in text
    assert "shallow &" not in text
    assert run(*DEGREE, "--columns", "time,Q").stdout.count("45,720") == 2  # its fact, its row


def test_notes_that_are_left_out_go_to_standard_error():
    with_notes, without = run(*LATEX), run(*LATEX, "--no-notes")
    assert "minipage" in with_notes.stdout
    assert "minipage" not in without.stdout
    notes = run("contention", "-", "--no-notes", "-f", "markdown", "-N", "cube:2",
                stdin="source,destination,colour\n0,1,red\n1,2,red\n2,3,red\n")  # fmt: skip
    assert "colour" not in notes.stdout
    assert "colour" in notes.stderr
