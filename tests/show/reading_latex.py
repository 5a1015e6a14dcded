"""LaTeX formulas read back by rules of their own: `value_of` is what a reader would compute.

The innermost fraction, root, exponent or rounding becomes an expression of Python, until nothing
is left to rewrite. Names are defined on the later lines of an `align`; a line may go on.
"""

import operator
import re
from collections.abc import Mapping

import sympy

_SKIPPED = re.compile(r"\\(?:left|right|quad|,|;| )")
_RULES = (
    (r"\\frac\{([^{}]*)\}\{([^{}]*)\}", r"((\1)/(\2))"),
    (r"\\sqrt\{([^{}]*)\}", r"sqrt(\1)"),
    (r"\\lceil\{?([^{}\\]*)\}?\s*\\rceil", r"ceiling(\1)"),
    (r"\\lfloor\{?([^{}\\]*)\}?\s*\\rfloor", r"floor(\1)"),
    (r"\^\{([^{}]*)\}", r"**(\1)"),
    (r"\^(\w)", r"**\1"),
    (r"\\cdot", "*"),
    (r"\\bmod", "%"),
    (r"\\(alpha|tau)", r"\1"),
)
_FUNCTIONS = {"sqrt", "ceiling", "floor"}
_COMPARED = {r"\leq": "le", r"\geq": "ge", r"\neq": "ne", "<": "lt", ">": "gt", "=": "eq"}


def value_of(latex: str, given: Mapping[str, sympy.Expr]) -> sympy.Expr:
    """The value of a formula, or of the first line of an `align*`, for values of its symbols."""
    text = re.sub(r"_\{(\d+)\}", r"_\1", latex.strip())
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
            rows = text.split(r"\begin{cases}")[1].rsplit(r"\end{cases}", 1)[0].split(r" \\ ")
            cases = (row.split("&") for row in rows)
            return self.value(next(value for value, when in cases if self.holds(when.strip())))
        text, before = _SKIPPED.sub(" ", text), ""
        while text != before:
            before = text
            for rule, rewritten in _RULES:
                text = re.sub(rule, rewritten, text)
        tokens = re.findall(r"\*\*|\w+(?:\.\d+)?|\S", text)
        for k in range(len(tokens) - 1, 0, -1):  # what stands side by side is multiplied
            ends = tokens[k - 1] == ")" or tokens[k - 1][-1].isalnum()
            if ends and tokens[k - 1] not in _FUNCTIONS and re.match(r"[(\w]", tokens[k]):
                tokens.insert(k, "*")
        names = set(re.findall(r"[A-Za-z]\w*", " ".join(tokens))) - _FUNCTIONS
        return sympy.sympify(
            " ".join(tokens), {name: self.symbol(name) for name in names}, rational=True
        )

    def symbol(self, name: str) -> sympy.Expr:
        return self.given[name] if name in self.given else self.value(self.defined[name])

    def holds(self, condition: str) -> bool:
        if condition == r"\text{otherwise}":
            return True
        for word, decide in ((r"\text{ or }", any), (r",\ ", all), (r"\wedge", all)):
            if word in condition:
                return decide(self.holds(part.strip()) for part in condition.split(word))
        if condition.endswith(r"\text{ even}"):
            return bool(self.value(condition.removesuffix(r"\text{ even}")) % 2 == 0)
        if r"\in" in condition:
            what, listed = condition.split(r"\in")
            values = listed.strip().removeprefix(r"\{").removesuffix(r"\}").split(",")
            return self.value(what) in map(self.value, values)
        left, sign, right = re.split(r"(\\leq|\\geq|\\neq|[<>=])", condition)
        return bool(getattr(operator, _COMPARED[sign])(self.value(left), self.value(right)))
