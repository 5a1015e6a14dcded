"""`lccmodel formula`: contention for every n, and the formulas of the papers."""

from __future__ import annotations

from typing import Any

import click

from lccmodel.cli.options import Output, completed, output_options
from lccmodel.errors import InputError


def _names(_: click.Context) -> tuple[str, ...]:
    from lccmodel.symbolic.catalogue import FAMILIES
    from lccmodel.symbolic.formulas import FORMULAS

    return (*FAMILIES, *FORMULAS)


@click.command(short_help="Print formulas in n: contention of a family, or of the papers.")
@click.argument("name", required=False, shell_complete=completed(_names))
@click.option(
    "--network",
    "-N",
    metavar="NETWORK",
    help='Network of a family: cube:n, origin:n, "mesh:2^a x 2^b" or "torus:2^a x 2^b".  '
    "[default: cube:n]",
)
@click.option(
    "--check",
    "counted",
    type=click.IntRange(1, 64),
    metavar="N",
    help="Count every member of at most N address bits and compare.",
)
@click.option("--list", "listed", is_flag=True, help="List the names, their domains and sources.")
@output_options
def formula(
    name: str | None, network: str | None, counted: int | None, listed: bool, to: Output
) -> None:
    """Print formulas that hold for every number of address bits n.

    NAME is a communication of the catalogue with its parameters left open, one of the patterns
    uniform, neighbor and tornado, or a formula of the papers with what fixes it, as in
    time:c=2,model=load. `exchange` is the communication, unless a method follows. Rules prove a
    family, or a form fits all counts and is marked as not proved. A family without a rule or a
    form is refused with what was counted.

    \b
    Examples:
      lccmodel formula bit-reverse --network cube:n
      lccmodel formula matrix-transpose:r -N origin:n --check 8 -f latex
      lccmodel formula perfect-shuffle -N "mesh:2^a x 2^b"
      lccmodel formula uniform -N "torus:2^a x 2^b"
      lccmodel formula border:c=1
      lccmodel formula exchange:method=direct
      lccmodel formula --list
    """
    to.check()
    if listed:
        for option, value in (("NAME", name), ("--network", network), ("--check", counted)):
            if value is not None:
                raise InputError(option, "cannot be combined with --list", value)
        from lccmodel.show.symbolic_tables import formulas_table

        to.emit(formulas_table())
        return
    if name is None:
        raise InputError("NAME", "must be given, or --list", None)
    from lccmodel.symbolic import FAMILIES, FORMULAS
    from lccmodel.symbolic import formula as named_formula

    word, _, rest = name.partition(":")
    if word in FORMULAS and (word not in FAMILIES or rest.startswith("method=")):
        for option, value in (("--network", network), ("--check", counted)):
            if value is not None:
                raise InputError(option, f"{word} is a formula of the papers, not a family", value)
        from lccmodel.show.symbolic_tables import formula_table_of

        to.emit(formula_table_of(named_formula(word, **_arguments(name, rest))))
        return
    from lccmodel.communication import catalog
    from lccmodel.communication.naming import split_name
    from lccmodel.communication.patterns import is_pattern_word
    from lccmodel.ground.words import suggestion
    from lccmodel.show.symbolic_tables import contention_formula_table
    from lccmodel.symbolic import ContentionFormula, PatternFormula, contention

    known = {entry.name for entry in catalog.entries()}
    if split_name(name)[0] not in known and not is_pattern_word(name):
        hint = suggestion(word, (*FAMILIES, *FORMULAS))
        rule = "no communication or formula has this name"
        raise InputError("NAME", f"{rule}; {hint or 'formula --list and catalog list them'}", name)
    T = contention(name, network or "cube")
    if isinstance(T, PatternFormula) and (counted or 0) > 10:
        raise InputError("--check", "must be at most 10 for a traffic pattern", counted)
    if not isinstance(T, ContentionFormula) and (counted or 0) > 12:
        raise InputError("--check", "must be at most 12 on a mesh or torus", counted)
    to.emit(contention_formula_table(T, counted))


def _arguments(name: str, text: str) -> dict[str, Any]:
    """The arguments of a formula: c=2,model=load."""
    arguments: dict[str, Any] = {}
    for part in text.split(",") if text else []:
        key, sign, value = part.partition("=")
        if not sign or not key.strip() or not value.strip():
            raise InputError("NAME", "must have arguments such as c=2 after the colon", name)
        number = value.strip()
        ascii_digits = number.isascii() and number.isdigit() and len(number) < 10
        arguments[key.strip()] = int(number) if ascii_digits else number
    return arguments
