"""What can be changed in an exploration: a choice, a text, a step, a number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from lccmodel.errors import InputError


@dataclass(frozen=True)
class Control:
    """One thing that can be changed.

    Attributes:
        name: of the argument of `Exploration.figure`.
        label: what stands beside it.
        value: where it starts.
        kind: "choice" of `options`; "text", for which `options` are suggestions; "step", a whole
            number that a button plays through; "whole" number; "scale", a number on a
            logarithmic scale.
        options: what can be chosen, or is suggested.
        low, high: the ends of a number's range.
    """

    name: str
    label: str
    value: Any
    kind: Literal["choice", "text", "step", "whole", "scale"]
    options: tuple[Any, ...] = ()
    low: float = 0
    high: float = 0

    def check(self, value: Any) -> None:
        """Refuse a value that the control cannot have.

        Raises:
            InputError: not one of the options, or outside the range.
        """
        if self.kind == "text":
            return
        if self.kind == "choice":
            if value not in self.options:
                rule = f"must be one of {', '.join(map(str, self.options))}"
                raise InputError(self.name, rule, value)
            return
        kinds = (int, float) if self.kind == "scale" else (int,)
        if isinstance(value, bool) or not isinstance(value, kinds):
            whole = "" if self.kind == "scale" else "whole "
            raise InputError(self.name, f"must be a {whole}number", value)
        if not self.low <= value <= self.high:
            raise InputError(self.name, f"must be in {self.low:g}..{self.high:g}", value)
