"""The views that every result has: a table, a dictionary, a data frame, a picture, a rich display.

A class of results names its view, `class Contention(Viewed, view="contention")`. How that looks is
for the top of the package to say: `lccmodel/__init__.py` sets `views`, which loads the module that
draws when somebody looks. So results know neither tables nor drawings, and stay light.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from lccmodel.ground.arguments import guard_methods

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


def _unsaid() -> Any:
    raise RuntimeError("lccmodel/__init__.py has not said which module draws")


views: Callable[[], Any] = _unsaid
"""Loads the module with `table_of` and `plot_of`; `lccmodel/__init__.py` says which."""


class Viewed:
    """A result that can be looked at.

    >>> from lccmodel import Hypercube, catalog, contention
    >>> result = contention(catalog.matrix_transpose(4), Hypercube(4))
    >>> result.records()[0]["loads"], result.to_dict()["network"]
    ((1, 2, 2, 1), 'cube:4')
    >>> result.plot().get_ylabel()
    'messages on the busiest channel'
    """

    __slots__ = ()
    _view: ClassVar[str] = ""

    def __init_subclass__(cls, view: str = "", evaluable: bool = False, **kwargs: Any) -> None:
        """Name the view of a class; keep its `repr` short, and print it as its table.

        A class that `eval` shall read, of a value and not of a result, is printed as it is.
        """
        super().__init_subclass__(**kwargs)
        guard_methods(cls)
        if evaluable:
            setattr(cls, "__str__", object.__str__)  # noqa: B010 - mypy refuses a method
        if view:
            cls._view = view
            if not evaluable:  # a dataclass keeps a `__repr__` that is there
                own: Any = cls.__dict__.get("__repr__", _fields_repr)
                setattr(cls, "__repr__", _shortened(own))  # noqa: B010 - mypy refuses a method

    def __str__(self) -> str:
        return str(self.as_table())

    def as_table(self) -> Any:
        """The `lccmodel.show.records.Table` that says what was found."""
        return views().table_of(self._view, self)

    def records(self) -> list[dict[str, Any]]:
        """What was found as records: dictionaries from stable keys to exact values."""
        records: list[dict[str, Any]] = self.as_table().records()
        return records

    def to_dict(self) -> dict[str, Any]:
        """What holds for all, and under `rows` a dictionary for each row; JSON can hold it."""
        table: dict[str, Any] = self.as_table().to_dict()
        return table

    def to_dataframe(self) -> pd.DataFrame:
        """The records as a data frame of pandas.

        Raises:
            InputError: pandas is not installed.
        """
        return self.as_table().to_dataframe()

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw what was found.

        Args:
            ax: where to draw; axes of a new figure if left out, which a notebook shows.

        Returns:
            The axes, for titles and labels of one's own.
        """
        axes: Axes = views().plot_of(self._view, self, ax)
        return axes

    def _repr_html_(self) -> str:
        html: str = self.as_table()._repr_html_()
        return html


guard_methods(Viewed)


class Answer(Viewed):
    """A result with the problem that it solves, and the notes on which its numbers rest.

    Every record of an answer, in Python, JSON, CSV and every other format, ends with `read_as` and
    `notes`.

    Attributes:
        problem: the `Problem` that is solved; some answers, such as a pipelining degree, have none.

    >>> from lccmodel import contention
    >>> sent = contention([(0, 1), (1, 2), (0, 2)], "mesh:4")
    >>> sent.notes, sent.records()[0]["notes"], sent.problem.network
    (('1 of 4 nodes hold no rank: 3',), ('1 of 4 nodes hold no rank: 3',), Mesh((4,)))
    """

    __slots__ = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """The sentences on which the numbers rest, such as columns that were ignored."""
        problem = getattr(self, "problem", None)
        return () if problem is None else tuple(problem.notes)

    @property
    def read_as(self) -> str:
        """How the input was read, such as a matrix of volumes; "" if it was given as a value."""
        problem = getattr(self, "problem", None)
        return "" if problem is None else str(problem.read_as)


_LONGEST = 200
"""Most characters of a `repr`: two lines of a session."""


def _shortened(own: Callable[[Any], str]) -> Callable[[Any], str]:
    """A `__repr__` that leaves out the middle of what is long."""

    @functools.wraps(own)
    def __repr__(self: Any) -> str:  # noqa: N807 - it becomes one
        text = own(self)
        if len(text) <= _LONGEST:
            return text
        text = " ".join(text.split())
        return text if len(text) <= _LONGEST else f"{text[:150]} … {text[-40:]}"

    return __repr__


def _fields_repr(self: Any) -> str:
    """What a dataclass or a named tuple writes of itself."""
    import dataclasses

    if dataclasses.is_dataclass(self):
        names = tuple(field.name for field in dataclasses.fields(self) if field.repr)
    else:
        names = getattr(self, "_fields", ())
    fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
    return f"{type(self).__qualname__}({fields})"
