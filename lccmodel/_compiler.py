"""How numba compiles a kernel: in half of its passes, and what only kernels call once.

Numba's own pipeline serves all of Python that it knows: `with`, closures, texts of exceptions,
array expressions, literal arguments. A kernel has none of them, but every pass looks for its own,
and then works out anew how long each variable lives. What a kernel may not have, it may not have
for good: the passes that are left refuse it with numba's error, but for array expressions, whose
operations are then done one after another.

Numba gives every function an entry for Python, optimises it and makes it machine code, and then
does all of it again in each function that calls it, where alone it is used. Here a kernel that is
called by a kernel is only translated; it is optimised and made machine code in its callers.

    Python -> f -> g      f: `KernelCompiler`      g: `CalledCompiler`, linked into f
"""

from __future__ import annotations

from typing import Any, ClassVar

from numba.core import typed_passes as typed
from numba.core import untyped_passes as untyped
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, Flags
from numba.core.compiler_machinery import PassManager, register_pass

__all__ = ["CalledCompiler", "KernelCompiler"]

# numba has no types here
_CompilerBase: Any = CompilerBase
_Flags: Any = Flags
_JITCodeLibrary: Any = JITCodeLibrary
_NativeLowering: Any = typed.NativeLowering
_PassManager: Any = PassManager
_register_pass: Any = register_pass

_PASSES: tuple[Any, ...] = (
    untyped.TranslateByteCode,
    untyped.FixupArgs,
    untyped.IRProcessing,
    untyped.RewriteSemanticConstants,
    untyped.DeadBranchPrune,
    untyped.GenericRewrites,
    untyped.ReconstructSSA,
    typed.NopythonTypeInference,
    typed.PreLowerStripPhis,
    typed.InlineOverloads,
    typed.NoPythonSupportedFeatureValidation,
    typed.IRLegalization,
    typed.AnnotateTypes,
)


class _SharedFlags(_Flags):  # type: ignore[misc]  # its base has no types
    """Flags that know their hash: numba asks for it dozens of times for every call that it types.

    Equal flags are one object, so that they are not compared value by value either.
    """

    __slots__ = ("_hash",)
    _made: ClassVar[dict[Any, Any]] = {}

    def __init__(self, flags: Any) -> None:
        super().__init__(flags)
        self._hash = super().__hash__()

    def __hash__(self) -> int:
        return int(self._hash)

    @classmethod
    def like(cls, flags: Any) -> Any:
        made = cls(flags)
        return cls._made.setdefault(made, made)


class _KernelFlags(_Flags):  # type: ignore[misc]  # its base has no types
    """Flags of one kernel. A copy of them is what numba goes by while it compiles the kernel."""

    def copy(self) -> Any:
        return _SharedFlags.like(self)


class KernelCompiler(_CompilerBase):  # type: ignore[misc]  # its base has no types
    """The compiler of a kernel that Python calls."""

    lowering: ClassVar[Any] = typed.NativeLowering

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.state.flags = _KernelFlags(self.state.flags)

    def define_pipelines(self) -> list[Any]:
        manager = _PassManager("kernel")
        for each in (*_PASSES, self.lowering, typed.NoPythonBackend):
            manager.add_pass(each, each.__name__)
        manager.finalize()
        return [manager]


class _LinkedLibrary(_JITCodeLibrary):  # type: ignore[misc]  # its base has no types
    """Code for callers to link with: neither optimised nor made machine code by itself."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def serialize_using_object_code(self) -> Any:
        return self.serialize_using_bitcode()  # there is no object code


@_register_pass(mutates_CFG=True, analysis_only=False)
class _LoweringForCallers(_NativeLowering):  # type: ignore[misc]  # its base has no types
    """Translation of a kernel that callers know by a name in place of an entry for Python."""

    _name = "lowering_for_callers"

    def run_pass(self, state: Any) -> bool:
        # Only now: what the kernel calls was compiled with the same flags as for any other kernel.
        state.flags.no_cpython_wrapper = state.flags.no_compile = True
        state.library = _LinkedLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        super().run_pass(state)
        name = object()
        state.targetctx.insert_user_function(name, state.cr.fndesc, [state.library])
        state.cr = state.cr._replace(cfunc=name)
        return True


class CalledCompiler(KernelCompiler):
    """The compiler of a kernel that another kernel calls."""

    lowering = _LoweringForCallers
