"""Errors that name the argument, the rule it breaks, and the value received.

Every error a caller can provoke with bad input is a `ValueError`, so one `except ValueError`
catches all of them and the command line turns each into one line and exit code 2.
"""

from __future__ import annotations

import operator
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "CommunicationError",
    "FileError",
    "InputError",
    "MatrixError",
    "NetworkError",
    "NodeError",
    "NotFactorable",
    "NotLinearComplement",
    "Reason",
    "SingularMatrixError",
    "SizeLimitError",
    "UnderdeterminedError",
    "checked_array",
    "checked_index",
    "checked_integer",
    "checked_integers",
    "checked_name",
    "checked_shape",
    "clipped",
    "printable",
    "shown",
]

_LOOKED_AT = 4096
"""Characters of a text that are made printable: the content of a whole file may be a value."""

_SHOWN_LENGTH, _NAME_LENGTH, _RULE_LENGTH = 80, 300, 1000

_ADDRESS = re.compile(r"<((?:[^<>]|<[^<>]*>)*?) (?:object )?at 0x[0-9a-fA-F]+>")
_FRACTION = re.compile(r"\bFraction\((-?\d+), (\d+)\)")
_WRAPPED = re.compile(r"\b(?:np\.(?:u?int|float)\d+|np\.bool_?|(?:Posix|Windows)Path)\(([^()]*)\)")


def shown(value: object) -> str:
    """Print a value in one line, cut to a length that a terminal line holds.

    Numbers are printed as they are typed, and objects without a text of their own by what they
    are, without an address in memory. What has no text (an integer of 10,000 digits, lists nested
    5,000 deep) is told by its type.

    >>> shown([[0, 1], [1, 0]]), shown(10**5000)
    ('[[0, 1], [1, 0]]', 'int of about 5001 digits')
    >>> from fractions import Fraction
    >>> shown([Fraction(1, 3), Fraction(2)]), shown(object()), shown(sorted)
    ('[1/3, 2]', 'object', 'built-in function sorted')
    """
    try:
        text = " ".join(_text(value).split())
    except Exception:  # whatever a repr raises: the error that is being made says more
        text = type(value).__name__
        if isinstance(value, int):
            text += f" of about {int(value.bit_length() * 0.30103) + 1} digits"
    return text if len(text) <= _SHOWN_LENGTH else text[: _SHOWN_LENGTH - 1] + "…"


def _text(value: object) -> str:
    """The `repr` of a value, without addresses and the names of wrappers of numbers and paths."""
    if isinstance(value, str):
        return repr(value[:_LOOKED_AT])
    kind = type(value)
    if kind.__repr__ is object.__repr__ and kind.__str__ is not object.__str__:
        return str(value)  # a networkx graph: "Graph with 3 nodes and 2 edges"
    text = repr(value)
    if text.startswith("<") and text.endswith(">") and " at 0x" not in text:
        text = text[1:-1]
    text = _ADDRESS.sub(lambda m: m[1].rpartition(".")[2] if " " not in m[1] else m[1], text)
    text = _FRACTION.sub(lambda m: m[1] if m[2] == "1" else f"{m[1]}/{m[2]}", text)
    return re.sub(r"\bnp\.(True|False)_", r"\1", _WRAPPED.sub(r"\1", text))


class Reason(str):
    """Why something cannot be used, in the words of the system or of a parser.

    As the value of an error it follows a colon: "got" names only what was received.

    >>> str(FileError("a.csv", 0, "cannot read the file", Reason("No such file")))
    'a.csv: cannot read the file: No such file'
    """

    __slots__ = ()

    def __new__(cls, reason: object) -> Reason:
        """Take the text of an error, or its type if it has none."""
        text = str(reason)
        return super().__new__(cls, text or type(reason).__name__)


_OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
"""What a terminal, a spreadsheet or a page obeys and does not show, but line ends and tabs."""


def printable(text: str) -> str:
    r"""A text whose escape sequences, NUL, lone surrogates and changes of direction are shown.

    >>> printable("a\x1b[31mb\x00") == r"a\x1b[31mb\x00"
    True
    """
    if text.isascii() and text.isprintable():
        return text
    return _OBEYED.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def checked_name(argument: str, name: Any) -> str:
    """Return a name as one line of printable text: it gets into tables, pictures and programs.

    >>> checked_name("name", "a\\nb")
    'a b'
    """
    if not isinstance(name, str):
        raise InputError(argument, "must be a text", name)
    return name if name.isascii() and name.isprintable() else printable(re.sub(r"\s", " ", name))


def clipped(text: str, most: int) -> str:
    """Return a text of at most that many characters, printable; what is in the middle goes.

    >>> clipped("a" * 50 + "b" * 50, 7)
    'aaa…bbb'
    """
    if len(text) > most:
        text = f"{text[: most // 2]}…{text[len(text) - (most - 1) // 2 :]}"
    return printable(text)


class InputError(ValueError):
    """An argument breaks a rule.

    Attributes: `argument` (its name), `rule` (what it has to satisfy), `value` (what came).

    >>> raise InputError("n", "must be at least 1", 0)
    Traceback (most recent call last):
    ...
    lccmodel.errors.InputError: n: must be at least 1; got 0
    """

    def __init__(self, argument: str, rule: str, value: object) -> None:
        self.argument = argument
        self.rule = rule
        self.value = value
        stated = f"{clipped(str(argument), _NAME_LENGTH)}: {clipped(str(rule), _RULE_LENGTH)}"
        if isinstance(value, Reason):
            reason = clipped(" ".join(value.split()), _SHOWN_LENGTH)
            super().__init__(f"{stated}: {reason}")
        else:
            super().__init__(f"{stated}; got {shown(value)}")

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), self.args, vars(self))


def _again(kind: type[InputError], texts: tuple[str, ...], held: dict[str, Any]) -> InputError:
    """The same error in another process: made without `__init__`, whose arguments differ."""
    error = kind.__new__(kind, *texts)
    vars(error).update(held)
    return error


def checked_integer(
    argument: str, value: Any, error: type[InputError] = InputError, *, least: int | None = None
) -> int:
    """Return the value as an int, or an error that names the argument; a float is not an integer.

    Args:
        argument: its name.
        value: what was given.
        error: what is raised.
        least: the smallest that will do.

    >>> checked_integer("n", "8")
    Traceback (most recent call last):
    ...
    lccmodel.errors.InputError: n: must be an integer; got '8'
    """
    try:
        number = operator.index(value)
    except TypeError:
        raise error(argument, "must be an integer", value) from None
    if least is not None and number < least:
        raise error(argument, f"must be at least {least}", number)
    return number


def checked_index(
    argument: str, value: Any, count: int, error: type[InputError] = InputError
) -> int:
    """Return the value as an int in 0..count - 1.

    >>> checked_index("step", 3, 3)
    Traceback (most recent call last):
    ...
    lccmodel.errors.InputError: step: must be in 0..2; got 3
    """
    if type(value) is int and 0 <= value < count:
        return value
    number = checked_integer(argument, value, error)
    if not 0 <= number < count:
        raise error(argument, f"must be in 0..{count - 1}", number)
    return number


def checked_integers(
    argument: str, values: Any, error: type[InputError] = InputError
) -> tuple[int, ...]:
    """Return the values of any iterable as ints, or an error that names the argument.

    >>> checked_integers("order", range(3))
    (0, 1, 2)
    """
    try:
        return tuple(map(operator.index, values))
    except TypeError:
        raise error(argument, "must be a sequence of integers", values) from None


def checked_array(
    argument: str, values: Any, rule: str = "must be integers", error: type[InputError] = InputError
) -> npt.NDArray[np.int64]:
    """Return the integers of an array or of nested sequences as int64, of the same shape.

    Raises:
        InputError, or the `error` given: ragged rows, a float (an infinite one too), a text, an
            integer that 64 bits do not hold; it names the argument and the rule.

    >>> checked_array("nodes", [[0, 3], [2, float("inf")]])
    Traceback (most recent call last):
    ...
    lccmodel.errors.InputError: nodes: must be integers; got [[0, 3], [2, inf]]
    """
    import numpy as np  # here, so that this module stays light

    try:
        array = np.asarray(values)
    except (TypeError, ValueError, OverflowError):  # ragged rows, or no array at all
        raise error(argument, rule, values) from None
    large = array.dtype.kind == "u" and array.size and int(array.max()) >= 1 << 63
    if array.size and (array.dtype.kind not in "iu" or large):
        raise error(argument, rule, values)
    return array.astype(np.int64, copy=False)


def checked_shape(argument: str, values: Any) -> npt.NDArray[Any]:
    """Return the values as an array of whatever type, or an error if their rows differ in length.

    >>> checked_shape("x", [[0, 1], [2]])
    Traceback (most recent call last):
    ...
    lccmodel.errors.InputError: x: must be an array, with rows of one length; got [[0, 1], [2]]
    """
    import numpy as np

    try:
        return np.asarray(values)
    except (TypeError, ValueError, OverflowError):
        rule = "must be an array, with rows of one length"
        raise InputError(argument, rule, values) from None


class MatrixError(InputError):
    """A matrix or vector over GF(2) has a wrong shape or an entry that is not 0 or 1.

    >>> from lccmodel import LCC
    >>> LCC([[0, 2], [1, 0]])
    Traceback (most recent call last):
    ...
    lccmodel.errors.MatrixError: matrix[0, 1]: entries must be 0 or 1; got 2
    """


class SingularMatrixError(MatrixError):
    """A matrix has to be nonsingular and is not.

    >>> from lccmodel import GF2Matrix
    >>> GF2Matrix([[1, 1], [1, 1]]).inverse()
    Traceback (most recent call last):
    ...
    lccmodel.errors.SingularMatrixError: matrix: must be square and nonsingular; got [[1, 1], [1, \
1]]
    """


class NotFactorable(MatrixError):  # noqa: N818 - the name says the finding
    """A matrix is not a product of conditional exchanges in the given order.

    Attributes: `order`, the order of the dimensions; `minor`, the dimensions (a leading part of
    the order) whose principal submatrix is singular.

    >>> from lccmodel import LCC
    >>> from lccmodel.permutations import exchange_factors
    >>> try:
    ...     exchange_factors(LCC([[0, 1], [1, 0]]))
    ... except NotFactorable as error:
    ...     print(error.order, error.minor)
    (0, 1) (0,)
    """

    def __init__(
        self,
        argument: str,
        rule: str,
        value: object,
        order: tuple[int, ...] = (),
        minor: tuple[int, ...] = (),
    ) -> None:
        super().__init__(argument, rule, value)
        self.order = order
        self.minor = minor


class SizeLimitError(InputError):
    """A size is beyond what the method can do; the rule says which limit, and why.

    >>> from lccmodel import Hypercube
    >>> Hypercube(65)
    Traceback (most recent call last):
    ...
    lccmodel.errors.SizeLimitError: n: must be at most 64: a node number has to fit one machine \
word; got 65
    """


class NodeError(InputError):
    """A node is not in the network.

    >>> from lccmodel import Hypercube
    >>> Hypercube(2).path(0, 4)
    Traceback (most recent call last):
    ...
    lccmodel.errors.NodeError: y: must be a node of cube:2, 0..3; got 4
    """


class NetworkError(InputError):
    """A network is misdescribed, or does not fit the communication.

    >>> from lccmodel.network import parse_network
    >>> parse_network("cube:x")
    Traceback (most recent call last):
    ...
    lccmodel.errors.NetworkError: network: N must be a positive integer, not 'x'; got 'cube:x'
    """


class CommunicationError(InputError):
    """A communication is misdescribed, or is not of the kind that the method needs.

    >>> from lccmodel import catalog
    >>> catalog.build("bit-revers", 3)
    Traceback (most recent call last):
    ...
    lccmodel.errors.CommunicationError: catalog: no such communication, did you mean \
'bit-reverse'?; got 'bit-revers'
    """


class NotLinearComplement(CommunicationError):  # noqa: N818 - the name says the finding
    """Messages are not of the form y = Ax + b, nor x = Ay + b.

    `witness` is the `communication.recognition.Witness` that proves it.

    >>> from lccmodel import recognise
    >>> try:
    ...     recognise([(0, 0), (1, 1), (2, 2), (3, 0)])
    ... except NotLinearComplement as error:
    ...     print(error.witness)
    Witness(reading='gather', pair=(3, 0), others=((0, 0), (1, 1), (2, 2)), predicted=3)
    """

    def __init__(self, argument: str, rule: str, value: object, witness: object = None) -> None:
        super().__init__(argument, rule, value)
        self.witness = witness


class UnderdeterminedError(CommunicationError):
    """Messages fit more than one y = Ax + b; `recognition` holds what they do determine.

    >>> from lccmodel import recognise
    >>> recognise([(0, 0)], 2)
    Traceback (most recent call last):
    ...
    lccmodel.errors.UnderdeterminedError: messages: must determine A and b: the messages leave 4 \
bits of A and b free; 3 of 4 nodes send nothing (with idle="stay", nodes without messages count \
as sending to themselves); got 1
    """

    def __init__(self, argument: str, rule: str, value: object, recognition: object = None) -> None:
        super().__init__(argument, rule, value)
        self.recognition = recognition


class FileError(InputError):
    """A file cannot be read; `path` and `line` (1-based, 0 if none) say where.

    >>> from lccmodel import read
    >>> read("none.csv")
    Traceback (most recent call last):
    ...
    lccmodel.errors.FileError: none.csv: cannot read the file: No such file or directory
    """

    def __init__(self, path: object, line: int, rule: str, value: object) -> None:
        self.path = str(path)
        self.line = line
        super().__init__(f"{path}:{line}" if line else str(path), rule, value)
