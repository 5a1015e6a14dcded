"""One typed door to numba: `@kernel` compiles on first use, caches on disk, frees the GIL.

A cached kernel is compiled again when anything that went into it has changed (`kernels.cache`). It
is compiled once for each combination of types, not of constants: `walk(..., 0)` and `walk(..., k)`
in two kernels call the same machine code. Inside `in_python()` what is not compiled yet runs as
the Python that it is: a dozen small cases are done in less time than their kernel compiles in.
A `light_kernel` decides that by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf
from time import monotonic, thread_time
from typing import Any, ParamSpec, TypeVar, cast

import numba
import numpy as np
from llvmlite import ir
from numba.core import event, types
from numba.core.extending import _Intrinsic

from lccmodel.kernels import notice
from lccmodel.kernels.cache import KernelCache, kernels_within

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function of ints and numpy arrays; its Python signature stays as it is."""
    return _compiled(function)


def light_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """A kernel that goes through its arrays a few times; small ones need no machine code.

    Where no code is on disk yet, small arrays are gone through in Python (`compiled_unless_small`).
    What overflows wraps around in both, in arrays and between numbers of numpy.
    """
    return _compiled(function, light=True)


def vector_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Like `kernel`, but x / 0 is inf or nan: a check would keep loops from vector instructions."""
    return _compiled(function, error_model="numpy")


def reduction_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Like `vector_kernel`, and the least or the sum of many numbers is found by vectors, too.

    The numbers must be finite: no nan, no infinity, and -0 counts as 0. Sums must be exact in any
    order, or they differ between machines.
    """
    return _compiled(function, error_model="numpy", fastmath={"nnan", "ninf", "nsz", "reassoc"})


def inlined_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """A kernel that is inlined where another calls it: for small steps with many arguments."""
    return _compiled(function, forceinline=True)


def kernel_filed_under(home: Callable[..., Any]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A kernel made inside a function, cached beside `home`: a loop around what it is given."""
    return lambda function: _compiled(function, home=home)


def _compiled(
    function: Callable[P, R],
    home: Callable[..., Any] | None = None,
    light: bool = False,
    **options: bool | str | set[str],
) -> Callable[P, R]:
    # The third way to call a kernel, from C, is not used here: leave it out, it takes time to make.
    make: Any = numba.njit(nogil=True, **cast(Any, {"no_cfunc_wrapper": True, **options}))
    dispatcher = make(function)
    dispatcher.get_call_template = _for_types_alone(dispatcher.get_call_template)
    dispatcher._compile_for_args = _unless_in_python(dispatcher, light)
    # As `cache=True` does, with a fuller key.
    dispatcher._cache = KernelCache(dispatcher, home)
    return cast(Callable[P, R], dispatcher)


_is_in_python = ContextVar("in Python", default=False)


@contextmanager
def in_python() -> Iterator[None]:
    """Within it a kernel that this process has not compiled runs uncompiled.

    Whole numbers are then Python's, on whose overflow a kernel may not rely, and numpy's, which
    wrap around as in machine code.
    """
    token = _is_in_python.set(True)
    try:
        with np.errstate(over="ignore"):
            yield
    finally:
        _is_in_python.reset(token)


_MOST_SECONDS, _MOST_OF_ONE = 1.0, 0.25
"""Seconds of a process in Python: of all small work, and of one light kernel, which every later run
would spend again: what takes longer is compiled, and is on disk then."""
_spent = 0.0


@contextmanager
def compiled_unless_small(steps: int) -> Iterator[None]:
    """Work of few steps, of some microseconds each, is done in Python, until it adds up to 1 s.

    So a first small question needs no compiler, and a loop over small ones has one after a second.

    Args:
        steps: about how often the innermost loops of the kernels are gone through.
    """
    global _spent
    if steps > _FEW or _spent > _MOST_SECONDS or _is_in_python.get():
        yield
        return
    began = thread_time()  # not of the clock: a busy machine compiles slowly, too
    try:
        with in_python():
            yield
    finally:
        _spent += thread_time() - began


_FEW = 1 << 15
"""Steps of a microsecond or more, which take Python as long as a kernel takes to compile."""


def compile_always() -> None:
    """From now on this process compiles for small arrays, too."""
    global _spent
    _spent = inf


def _unless_in_python(dispatcher: Any, light: bool) -> Callable[..., Any]:
    """What numba asks for when no machine code fits the arguments: a function to call instead."""
    compiled = dispatcher._compile_for_args
    unknown: set[Any] = set()  # types that the disk has nothing for

    def is_on_disk(arguments: Any) -> bool:
        kinds = tuple(map(dispatcher.typeof_pyval, arguments))
        if kinds in unknown:
            return False
        if dispatcher._cache.has(kinds, dispatcher.targetctx):
            return True
        unknown.add(kinds)
        return False

    own = 0.0

    def interpreted(*arguments: Any) -> Any:
        nonlocal own
        began = thread_time()
        with compiled_unless_small(0):
            result = _plain(dispatcher.py_func(*arguments))
        own += thread_time() - began
        return result

    def found(*arguments: Any) -> Any:
        if _holds_a_list(arguments):
            raise TypeError("a kernel takes numbers, arrays and tuples of these")
        if _is_in_python.get():
            return dispatcher.py_func
        few = light and sum(map(_entries, arguments)) <= _FEW
        small = few and _spent <= _MOST_SECONDS and own <= _MOST_OF_ONE
        if small and not is_on_disk(arguments):
            return interpreted
        return compiled(*arguments)

    return found


def _holds_a_list(value: Any) -> bool:
    """Then numba may spoil memory, as it did for lists in lists in a tuple."""
    return isinstance(value, list) or (isinstance(value, tuple) and any(map(_holds_a_list, value)))


def _entries(value: Any) -> int:
    if isinstance(value, tuple):
        return sum(map(_entries, value))
    return value.size if isinstance(value, np.ndarray) else 0


def _plain(value: Any) -> Any:
    """Numbers as machine code returns them: Python's own."""
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    return value.item() if isinstance(value, np.generic) else value


class _Compiling(event.Listener):
    """How long this process has compiled; what it compiles is told (`kernels.notice`)."""

    def __init__(self) -> None:
        self.seconds, self._began, self._depth = 0.0, 0.0, 0
        self._wanted: list[Any] = []

    def on_start(self, event: Any) -> None:
        kernel = event.data["dispatcher"]
        if not self._depth:
            self._began = monotonic()
            self._wanted = [inner for inner in kernels_within(kernel) if not inner.overloads]
        self._depth += 1
        if kernel in self._wanted:
            number = 1 + sum(bool(inner.overloads) for inner in self._wanted)
            name = kernel.py_func.__name__.strip("_").replace("_", " ")
            notice.say(f"compiling, once: {name} ({number} of {len(self._wanted)})")

    def on_end(self, event: Any) -> None:
        self._depth -= 1
        if not self._depth:
            self.seconds += monotonic() - self._began
            notice.say("")


_compiling = _Compiling()
cast(Any, event).register("numba:compile", _compiling)


class OutOfTimeError(Exception):
    """The stated time is over, and the grace."""


class Clock:
    """The time since it was made, less what kernels were compiled in.

    Args:
        end: seconds after which it cuts.
        alone: whether one thread does all the work. Its processor time counts then, so that other
            work on the machine does not cut it; else the time of day.

    Attributes: `end`.
    """

    def __init__(self, end: float, alone: bool = False) -> None:
        self._now = thread_time if alone else monotonic
        self._began = self._now() - _compiling.seconds
        self.end = end

    @property
    def left(self) -> float:
        """Seconds until the clock cuts."""
        return self._began + _compiling.seconds + self.end - self._now()

    def check(self) -> None:
        """Raises: OutOfTimeError: the clock cuts."""
        if self.left <= 0:
            raise OutOfTimeError


def _for_types_alone(template: Callable[..., Any]) -> Callable[..., Any]:
    """What a calling kernel asks for, without the values of constants among the arguments.

    numba takes `Literal[int](0)` for a type of its own and would compile another version.
    """
    general_type: Any = types.unliteral  # numba has no types here

    def general(arguments: Any, keywords: Any) -> Any:
        named = {name: general_type(kind) for name, kind in keywords.items()}
        return template(tuple(map(general_type, arguments)), named)

    return general


_Base: Any = _Intrinsic  # numba has no types here


class _Operation(_Base):  # type: ignore[misc]  # its base has no types
    """An intrinsic that says in Python, too, what it does."""

    def __call__(self, *arguments: Any) -> Any:
        return self._defn.in_python(*arguments)


def _operation(define: Any, in_python: Callable[..., Any]) -> Any:
    define.in_python = in_python
    made = _Operation(define.__name__, define)
    made._register()
    return made


def _word_operation(emit: Callable[[Any, Any], Any], in_python: Callable[[Any], int]) -> Any:
    """A function of one unsigned word that compiles to one machine instruction."""

    def operation(typing_context: Any, word: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return context.cast(builder, emit(builder, arguments[0]), word, types.int64)

        return (types.int64(word), generate) if isinstance(word, types.Integer) else None

    return _operation(operation, in_python)


def _trailing_zeros(builder: Any, word: Any) -> Any:
    return builder.cttz(word, ir.Constant(ir.IntType(1), 1))  # 1: zero does not occur


def _highest(builder: Any, word: Any) -> Any:
    zeros = builder.ctlz(word, ir.Constant(ir.IntType(1), 1))
    return builder.sub(ir.Constant(word.type, word.type.width - 1), zeros)


bit_count = _word_operation(
    lambda builder, word: builder.ctpop(word), in_python=lambda word: int(word).bit_count()
)
"""In a kernel: the number of bits set in an unsigned word."""

lowest_bit = _word_operation(
    _trailing_zeros, in_python=lambda word: (int(word) & -int(word)).bit_length() - 1
)
"""In a kernel: the position of the lowest bit set in an unsigned word that is not 0."""

highest_bit = _word_operation(_highest, in_python=lambda word: int(word).bit_length() - 1)
"""In a kernel: the position of the highest bit set in a word above 0."""


def _without_owner(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    if isinstance(kind, types.BaseTuple):
        kinds: Any = kind
        parts = [
            _without_owner(context, builder, part, builder.extract_value(value, k))
            for k, part in enumerate(kinds)
        ]
        return context.make_tuple(builder, kind, parts)
    if not isinstance(kind, types.Array):
        return value
    array = context.make_array(kind)(context, builder, value)
    array.meminfo = ir.Constant(array.meminfo.type, None)
    return array._getvalue()


def _borrow(typing_context: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _without_owner(context, builder, value, arguments[0])

    return value(value), generate


borrowed: Any = _operation(_borrow, in_python=lambda value: value)
"""In a kernel: an array, or tuples of arrays and numbers, whose references are not counted.

Counting takes longer than a small step does, and a tuple counts every array in it each time that
it is passed on. Who calls the kernel must hold the arrays until it returns.
"""
