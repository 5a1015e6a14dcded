"""An option that cannot change the answer is refused: the rules of every command, in one table.

    COMMAND = command("map", rules=(Rule("hosts launcher", lambda typed: typed["rankfile"],
                                         "requires --rankfile"), ...))

A rule names options, when they apply, and what a refusal says. It is checked before the command
runs, against what was typed. What only the input decides, such as whether a search is needed, the
command checks with `refuse_unless` as soon as it is known; both end in the same line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import click

Typed = Mapping[str, Any]
"""The values of all options by their names, with defaults."""


class Rule(NamedTuple):
    """Options that apply under a condition alone.

    Attributes:
        options: their names as arguments, with spaces between.
        applies: whether they change the answer, by the values of all options.
        reason: what the refusal says after the option: "requires --rankfile".
    """

    options: str
    applies: Callable[[Typed], Any]
    reason: str


class Command(click.Command):
    """A command whose rules are checked before it runs."""

    def __init__(self, *arguments: Any, rules: Sequence[Rule] = (), **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.rules = tuple(rules)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words; what an option opened is closed where a later word is refused."""
        try:
            return super().parse_args(ctx, args)
        except BaseException:
            ctx.close()
            raise

    def invoke(self, ctx: click.Context) -> Any:
        """Refuse options that change nothing, then run.

        Raises:
            click.UsageError: an option was typed that does not apply.
        """
        typed = dict(ctx.params)
        for rule in self.rules:
            refuse_unless(bool(rule.applies(typed)), rule.options, rule.reason, ctx)
        return super().invoke(ctx)


def command(
    name: str | None = None, *, rules: Sequence[Rule] = (), **more: Any
) -> Callable[[Callable[..., Any]], Command]:
    """Decorate the function of a command, as `click.command` does, with rules."""
    return click.command(name, Command, rules=rules, **more)


def is_typed(name: str, context: click.Context | None = None) -> bool:
    """Whether the user typed an option."""
    ctx = context or click.get_current_context()
    source = ctx.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def refuse_unless(
    applies: bool, options: str, reason: str, context: click.Context | None = None
) -> None:
    """Refuse each of some options that was typed, unless they apply.

    Args:
        applies: whether they change the answer.
        options: their names as arguments, with spaces between.
        reason: what the refusal says after the option.
        context: of the command; the current one by default.

    Raises:
        click.UsageError: one was typed and changes nothing.
    """
    ctx = context or click.get_current_context(silent=True)
    if applies or ctx is None:
        return
    words = {parameter.name: parameter.opts[0] for parameter in ctx.command.params}
    for name in options.split():
        if is_typed(name, ctx):
            raise click.UsageError(f"{words[name]} {reason}", ctx)


_READING = {
    "decimal": "changes nothing: no table of numbers was read",
    "first_rank": "changes nothing: no file was read that numbers ranks",
    "shape": "changes nothing: no rows of numbers without headings were read",
    "volume": "changes nothing: no table with headings was read",
}
"""Options that say how a file is read, and why one that no reader looked at changes nothing."""


def refuse_unread() -> None:
    """Refuse the options of reading that no reader looked at; call it when all files are read.

    Raises:
        click.UsageError: one was typed and changes nothing.
    """
    from lccmodel.reading.options import looked_at

    for name, reason in _READING.items():
        refuse_unless(name in looked_at(), name, reason)
