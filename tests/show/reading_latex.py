"""LaTeX formulas read back, by a grammar of their own: `value_of` is what a reader would compute.

lines     left &= sum \\\\ ...        names are defined on later lines; a line may go on
sum       product + product - ...
product   factor factor \\cdot factor, a \\bmod b
factor    base^{exponent};  base: number, symbol, \\frac, \\sqrt, ( ), \\lceil \\rceil, cases
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import sympy

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|[A-Za-z](?:_\{\d+\}|_\d)?|[-+^_{}()=<>,/&|]|\S")
_SKIPPED = {"\\ ", "\\,", "\\;", "\\left", "\\right", "\\quad"}


def value_of(latex: str, given: Mapping[str, sympy.Expr]) -> sympy.Expr:
    """The value of a formula, or of the first line of an `align*`, for values of its symbols."""
    text = latex.strip()
    if text.startswith("$"):
        return _Reader({}, given).value(text.strip("$"))
    text = re.sub(r" \\notag(?= |\n)| ?\\label\{[^}]*\}", "", text)  # of numbered formulas
    text = re.sub(r"\{(?:align\*|align|equation)\}", "{align*}", text)
    body = text.split(r"\begin{align*}")[1].split(r"\end{align*}")[0]
    body = re.sub(r"\\\\\s*&\s*\\quad", " ", body)  # a line that goes on
    lines = [line.split("&=", 1) for line in re.split(r"\\\\\n", body.strip())]
    defined = {left.strip(): right for left, right in lines[1:]}
    return _Reader(defined, given).value(lines[0][1])


class _Reader:
    def __init__(self, defined: Mapping[str, str], given: Mapping[str, sympy.Expr]) -> None:
        self.defined, self.given = defined, given

    def value(self, text: str) -> sympy.Expr:
        if r"\begin{cases}" in text.strip()[:20]:
            return self.cases(text)
        parsed = _Sum(self, [t for t in _TOKEN.findall(text) if t not in _SKIPPED])
        found = parsed.sum()
        assert not parsed.left, parsed.left
        return found

    def cases(self, text: str) -> sympy.Expr:
        body = text.split(r"\begin{cases}")[1].rsplit(r"\end{cases}", 1)[0]
        for row in body.split(r" \\ "):
            value, condition = row.split("&")
            if self.holds(condition.strip()):
                return self.value(value)
        raise AssertionError(f"no case of {text}")

    def holds(self, condition: str) -> bool:
        if condition == r"\text{otherwise}":
            return True
        for word, decide in ((r"\text{ or }", any), (r",\ ", all), (r"\wedge", all)):
            if word in condition:
                return decide(self.holds(part.strip()) for part in condition.split(word))
        if condition.endswith(r"\text{ even}"):
            value = self.value(condition.removesuffix(r"\text{ even}"))
            return bool(value % 2 == 0)
        if r"\in" in condition:
            what, listed = condition.split(r"\in")
            values = listed.strip().removeprefix(r"\{").removesuffix(r"\}").split(",")
            return any(self.value(what) == self.value(one) for one in values)
        for sign, compared in (
            (r"\leq", lambda a, b: a <= b),
            (r"\geq", lambda a, b: a >= b),
            (r"\neq", lambda a, b: a != b),
            ("<", lambda a, b: a < b),
            (">", lambda a, b: a > b),
            ("=", lambda a, b: a == b),
        ):
            if sign in condition:
                return bool(compared(*map(self.value, condition.split(sign))))
        raise AssertionError(condition)

    def symbol(self, name: str) -> sympy.Expr:
        if name in self.given:
            return self.given[name]
        return self.value(self.defined[name])


class _Sum:
    """Recursive descent over tokens."""

    def __init__(self, reader: _Reader, tokens: list[str]) -> None:
        self.reader, self.left = reader, tokens

    def next(self, *wanted: str) -> str:
        token = self.left.pop(0)
        assert not wanted or token in wanted, (token, wanted)
        return token

    def is_next(self, *tokens: str) -> bool:
        return bool(self.left) and self.left[0] in tokens

    def sum(self) -> sympy.Expr:
        sign = -1 if self.is_next("-") and self.next() else 1
        if self.is_next("+"):
            self.next()
        total = sign * self.product()
        while self.is_next("+", "-"):
            sign = 1 if self.next() == "+" else -1
            total += sign * self.product()
        return total

    def product(self) -> sympy.Expr:
        found = self.factor()
        while self.left and not self.is_next("+", "-", "}", ")", "\\rceil", "\\rfloor", ",", "&"):
            if self.is_next("\\bmod"):
                self.next()
                found = sympy.Mod(found, self.factor())
                continue
            if self.is_next("\\cdot"):
                self.next()
            found *= self.factor()
        return found

    def factor(self) -> sympy.Expr:
        base = self.base()
        if self.is_next("^"):
            self.next()
            base **= self.group() if self.is_next("{") else self.base()
        return base

    def group(self) -> sympy.Expr:
        self.next("{")
        found = self.sum()
        self.next("}")
        return found

    def base(self) -> sympy.Expr:
        token = self.next()
        if token == "\\frac":
            above = self.group()
            return above / self.group()
        if token == "\\sqrt":
            return sympy.sqrt(self.group())
        if token in ("(", "{"):
            found = self.sum()
            self.next(")", "}")
            return found
        if token in ("\\lceil", "\\lfloor"):
            found = self.sum()
            self.next("\\rceil", "\\rfloor")
            return sympy.ceiling(found) if token == "\\lceil" else sympy.floor(found)
        if re.fullmatch(r"\d+", token):
            return sympy.Integer(token)
        if re.fullmatch(r"\d+\.\d+", token):
            return sympy.Rational(token)
        return self.reader.symbol(token.removeprefix("\\"))
