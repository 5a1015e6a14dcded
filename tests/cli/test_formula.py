"""`lccmodel formula`: formulas of families and papers, counted on demand."""

import pytest

from lccmodel.symbolic import FAMILIES, FORMULAS
from tests.cli.calling import records_of, typed


@pytest.mark.parametrize(
    ("words", "formulas"),
    [
        (
            "matrix-transpose:r",
            {
                "load": "2**Min(i, n - r, r - 1, -i + n - 1)",
                "degree": "2**Min(n - r, r - 1)",
                "best degree": "1",
            },
        ),
        (
            "Uniform",
            {
                "load": "2**(n - 1)",
                "degree": "2**(n - 1)",
                "sum": "2**(n - 1)*n",
                "distance": "2**(2*n - 1)*n",
            },
        ),
        ("tornado -N torus:2^ax2^b", {"load of axis 0": "2**(a - 1) - 1"}),
        ("exchange:k", {"degree": "1"}),  # also the name of a formula of the papers
    ],
)
def test_the_formulas_of_a_family(words, formulas):
    rows = records_of(f"formula {words}")
    assert {row["quantity"]: row["formula"] for row in rows}.items() >= formulas.items()
    assert all(row["derived"] for row in rows)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("bit-reverse -N origin:n --check 6", "counted for n <= 6: 6 members, 6 walked, 0 by"),
        ("bit-reverse -N origin:n --check 6", "R5: on an origin"),
        ("uniform -N mesh:2^ax2^b --check 4", "counted for n <= 4: 6 members, 6 walked, 0 by"),
        ("reverse-flip -f latex", r"\min\left("),
        ("uniform -N mesh:2^ax2^b -f latex", r"2^{a + n - 2}"),
        ("bit-reverse -N torus:2^ax2^b", "not proved: a form that fits all counts up to n = 12"),
    ],
)
def test_how_a_formula_is_known_and_written(words, said):
    assert said in typed(f"formula {words}").stdout


def test_a_fit_says_that_it_is_not_proved():
    rows = records_of("formula bit-reverse -N torus:2^ax2^b")
    assert not all(row["derived"] for row in rows)


@pytest.mark.parametrize(
    ("word", "name", "derived"),
    [
        ("border:c=1", "border(c=1)", False),
        ("time:c=2,model=load", "time(c=2, model=load)", True),
        ("exchange:method=direct", "exchange(method=direct)", True),
    ],
)
def test_a_formula_of_the_papers(word, name, derived):
    (row,) = records_of(f"formula {word}")
    assert (row["name"], row["derived"]) == (name, derived)
    assert "tau > 0" in row["where"] or name != "border(c=1)"


def test_the_list_has_every_name():
    names = [
        row["name"].replace("(", ":").partition(":")[0] for row in records_of("formula --list")
    ]
    assert names == [*FORMULAS, *FAMILIES]


def test_the_catalogue_shows_the_load_for_every_n():
    assert "2**Min(1, i, -i + n - 1) for n >= 2" in typed("catalog unshuffle").stdout
