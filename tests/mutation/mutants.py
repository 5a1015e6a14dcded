"""Small faults in a source text: one operator, number, condition or statement at a time.

A fault that no test notices shows what the tests leave open. Left alone is what says nothing
about a formula: annotations, decorators, docstrings, texts, what an error says (that it is raised
is a statement like any other), the type of `np.arange`, whose numbers are whole, `copy=False`,
which only saves one, the 1 of `reshape(-1)`, for which any negative number does, a sum with a name
that is 0, and what no input makes false: an assertion, and `strict=True`, which says that two of
our own lists are equally long.

    if 0 <= bit < self.n:      < becomes <=, 0 becomes 1, and so on: one mutant each
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
Change = tuple[str, Callable[[], None]]

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitXor,
    ast.BitXor: ast.BitOr,
}
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any", "uint64": "int64"}
OPTIONS = {"dtype", "default", "axis", "reverse", "key", "initial", "copy"}


@dataclass(frozen=True)
class Mutant:
    """One fault: where it stands, and what becomes of it. `node` and `choice` make it again."""

    module: str
    function: str
    line: str
    change: str
    node: int
    choice: int
    number: int

    @property
    def key(self) -> str:
        """A name that stays when other lines change."""
        return f"{self.module} | {self.function} | {self.line} | {self.change}"


def mutants_of(path: Path, module: str) -> list[Mutant]:
    """Every mutant of a file, in the order of the syntax tree."""
    source = path.read_text(encoding="utf-8")
    tree, lines = ast.parse(source), source.splitlines()
    left_alone, functions = _left_alone(tree) | _with_nothing(tree), _functions(tree)
    found, seen = [], Counter[tuple[str, str, str]]()
    for index, node in enumerate(ast.walk(tree)):
        if id(node) in left_alone:
            continue
        for choice, (change, _) in enumerate(_changes(node)):
            line = getattr(node, "lineno", 1)
            where = (functions.get(id(node), ""), lines[line - 1].strip(), change)
            seen[where] += 1
            change += f" (no. {seen[where]})" if seen[where] > 1 else ""
            found.append(Mutant(module, *where[:2], change, index, choice, line))
    return found


def mutated(source: str, mutant: Mutant) -> ast.Module:
    """The syntax tree of the source with the fault in it."""
    tree = ast.parse(source)
    node = list(ast.walk(tree))[mutant.node]
    _changes(node)[mutant.choice][1]()
    return ast.fix_missing_locations(tree)


def _changes(node: ast.AST) -> list[Change]:
    """What can become of one node, and how it is done."""
    found: list[Change] = []

    def replaced(owner: Any, field: str, value: Any, change: str) -> None:
        found.append((change, lambda: setattr(owner, field, value)))

    match node:
        case ast.Compare(ops=operators):
            for k, operator in enumerate(operators):
                for other in COMPARISONS[type(operator)]:
                    changed = [*operators[:k], other(), *operators[k + 1 :]]
                    name = f"{type(operator).__name__} becomes {other.__name__}"
                    replaced(node, "ops", changed, name)
        case ast.BinOp(op=operator) | ast.AugAssign(op=operator) if type(operator) in OPERATORS:
            other = OPERATORS[type(operator)]
            replaced(node, "op", other(), f"{type(operator).__name__} becomes {other.__name__}")
        case ast.BoolOp(op=operator):
            other = ast.Or if isinstance(operator, ast.And) else ast.And
            replaced(node, "op", other(), f"{type(operator).__name__} becomes {other.__name__}")
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            swapped = ast.UnaryOp(node.op, operand)
            replaced(node, "operand", swapped, f"{type(node.op).__name__} dropped")
        case ast.Constant(value=bool(value)):
            replaced(node, "value", not value, f"{value} becomes {not value}")
        case ast.Constant(value=int(value)):
            replaced(node, "value", value + 1, f"{value} becomes {value + 1}")
        case ast.Name(id=name) if name in NAMES:
            replaced(node, "id", NAMES[name], f"{name} becomes {NAMES[name]}")
        case ast.Attribute(attr=name) if name in NAMES:
            replaced(node, "attr", NAMES[name], f"{name} becomes {NAMES[name]}")
        case ast.Call(keywords=keywords):
            for k, keyword in enumerate(keywords):
                if ast.unparse(keyword) == "copy=False" or ast.unparse(node.func) == "np.arange":
                    continue
                if keyword.arg in OPTIONS:
                    kept = [*keywords[:k], *keywords[k + 1 :]]
                    replaced(node, "keywords", kept, f"{keyword.arg} dropped")
        case ast.If() | ast.IfExp():
            for value in (True, False):
                replaced(node, "test", ast.Constant(value), f"condition becomes {value}")
    for body in (getattr(node, "body", None), getattr(node, "orelse", None)):
        if isinstance(body, list):
            found += list(_dropped(body))
    return found


def _dropped(body: list[ast.stmt]) -> Iterator[Change]:
    """Statements whose loss leaves a program that still starts."""
    for k, statement in enumerate(body):
        kind = type(statement).__name__
        match statement:
            case ast.Raise(exc=error) if _is_assertion(error):
                continue
            case ast.Raise() | ast.AugAssign() | ast.Break() | ast.Continue():
                pass
            case ast.Expr(value=ast.Call()):
                kind = "call"
            case _:
                continue
        change = f"{kind} dropped: {ast.unparse(statement)[:60]}"
        yield change, lambda k=k: body.__setitem__(k, ast.Pass())


def _is_assertion(error: ast.expr | None) -> bool:
    """`AssertionError`, with a text or without: what no input makes happen."""
    name = error.func if isinstance(error, ast.Call) else error
    return isinstance(name, ast.Name) and name.id == "AssertionError"


def _left_alone(tree: ast.Module) -> set[int]:
    """The nodes that say nothing about a formula."""
    found: set[int] = set()

    def leave(*roots: ast.AST | None) -> None:
        found.update(id(node) for root in roots if root is not None for node in ast.walk(root))

    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(decorator_list=decorators, returns=returns):
                leave(*decorators, returns)
            case ast.ClassDef(decorator_list=decorators):
                leave(*decorators)
            case ast.arg(annotation=annotation) | ast.AnnAssign(annotation=annotation):
                leave(annotation)
            case ast.Raise(exc=error, cause=cause):
                leave(error, cause)
            case ast.keyword(arg="strict") | ast.Assert():
                leave(node)
            case ast.keyword(arg="copy", value=ast.Constant(value=False)):
                leave(node)
            case ast.If(body=[ast.Raise(exc=error)], orelse=[]) if _is_assertion(error):
                leave(node)
            case ast.JoinedStr() | ast.Import() | ast.ImportFrom():
                leave(node)
            case ast.Call(func=ast.Attribute(attr="reshape"), args=sizes):
                leave(*(size.operand for size in sizes if isinstance(size, ast.UnaryOp)))
            case ast.Call(func=ast.Attribute(attr="setflags")):
                leave(*node.keywords)
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                leave(node)
            case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):  # in another process
                leave(node.test)
            case ast.Assign(targets=[ast.Name(id=name)]) if name[:2] == "__" or name[0].isupper():
                a_type = name[0].isupper() and not name.isupper()  # Number = int | Fraction
                if a_type or not isinstance(node.value, ast.Constant | ast.BinOp):
                    leave(node)
    return found


def _with_nothing(tree: ast.Module) -> set[int]:
    """Sums with a field of a record that lies where the record begins: `message + LIMIT`."""
    zeros = _zeros(tree)
    return {
        id(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)
        if isinstance(node.right, ast.Name) and node.right.id in zeros
    }


def _zeros(tree: ast.Module) -> set[str]:
    """Constants that are 0: the first of `HEAD, TAIL, LIST = range(3)`, here or imported."""
    found = set()
    for node in tree.body:
        match node:
            case ast.Assign([ast.Tuple([ast.Name(first), *_])], ast.Call(ast.Name("range"), [_])):
                found.add(first)
            case ast.ImportFrom(module=str(module)) if module.startswith("lccmodel."):
                found |= _zeros_of(module) & {name.name for name in node.names}
    return found


@cache
def _zeros_of(module: str) -> set[str]:
    path = ROOT.joinpath(*module.split(".")).with_suffix(".py")
    return _zeros(ast.parse(path.read_text(encoding="utf-8"))) if path.exists() else set()


def _functions(tree: ast.Module) -> dict[int, str]:
    """The qualified name of the function or class that a node stands in."""
    found: dict[int, str] = {}

    def visit(node: ast.AST, name: str) -> None:
        for child in ast.iter_child_nodes(node):
            inner = name
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                inner = f"{name}.{child.name}" if name else child.name
            found[id(child)] = inner
            visit(child, inner)

    visit(tree, "")
    return found
