"""`CachedGraph`: the compiled graphs of a hybridized block, one for each kind of call.

A kind is: shapes and types of the inputs, training or not, recorded or not, and which inputs want a
gradient. The first call of a kind traces and compiles; the following ones run the compiled graph in
one native call.
"""

import warnings
from typing import Any

from ..base.context import Context
from ..base.errors import OpforgeError, UnknownShapeError
from ..native.dispatch import tape
from ..native.graph.compiled import CompiledCall
from ..ndarray import NDArray
from ..symbol.compiler.compiling import compile_graph
from ..symbol.compiler.lowering import lower
from ..symbol.node import Type
from .parameter import Parameter
from .tracing import Trace, flatten, trace, unflatten

__all__ = ["CachedGraph"]


class _Signature:
    """One way of passing arguments: its trace and the calls that were compiled for it."""

    def __init__(self, found: Trace, n_inputs: int) -> None:
        names = set(found.symbol.list_inputs())
        self.trace = found
        data = ["data"] if n_inputs == 1 else [f"data{at}" for at in range(n_inputs)]
        #: Names of the inputs and parameters that the graph reads, and where each comes from.
        self.read = [at for at, name in enumerate(data) if name in names]
        self.data_names = [data[at] for at in self.read]
        self.parameters: list[Parameter] = [
            param for name, param in found.parameters.items() if name in names
        ]
        self.parameter_names = [n for n in found.parameters if n in names]
        self.calls: list[CompiledCall] = []
        #: Whether the block cannot be compiled for such arguments.
        self.is_imperative = False


class CachedGraph:
    """The graphs of one block, which has them and is passed to each call: so there is no circle."""

    def __init__(self) -> None:
        self._signatures: dict[Any, _Signature] = {}
        self._has_warned = False

    def __call__(self, block: Any, ctx: Context, args: tuple[Any, ...]) -> Any:
        """Return what `block` gives for `args`, arrays in nested lists."""
        arrays: list[Any] = []
        structure = flatten(args, NDArray, arrays)
        types = tuple([(array.shape, array.dtype_code) for array in arrays])
        key = structure, types, tape.training()
        try:
            signature = self._signatures.get(key)
        except TypeError as error:
            raise TypeError(
                f"{block.name} is hybridized and was called with what cannot be compared "
                f"with the next call's ({error}); pass NDArrays, numbers, strings and None, in "
                "nested lists, or call hybridize(False)"
            ) from None
        if signature is None:
            signature = self._signatures[key] = self._trace(block, structure, arrays)
        if signature.is_imperative:
            return block._run(ctx, args[0], args[1:])
        inputs = [arrays[at] for at in signature.read]
        for param in signature.parameters:
            value = param._single
            inputs.append(
                value if value is not None and param._single_ctx is ctx else param.data(ctx)
            )
        calls = signature.calls
        for call in calls:
            if call.fits(inputs):
                break
        else:
            try:
                call = self._compile(signature, inputs, ctx)
            except UnknownShapeError as error:
                signature.is_imperative = True
                if not self._has_warned:
                    self._has_warned = True
                    warnings.warn(
                        f"{block.name} runs imperatively for inputs of shapes "
                        f"{[array.shape for array in arrays]}: {error}",
                        stacklevel=5,
                    )
                return block._run(ctx, args[0], args[1:])
            calls.insert(0, call)
        outputs = call(inputs)
        return unflatten(signature.trace.structure, iter(outputs))

    def _trace(self, block: Any, structure: Any, arrays: list[Any]) -> _Signature:
        types = [Type(array.shape, array.dtype_code) for array in arrays]
        found = trace(block, structure, types)
        found.complete(block)
        return _Signature(found, len(arrays))

    def _compile(self, signature: _Signature, inputs: list[Any], ctx: Context) -> CompiledCall:
        """Compile the graph for arrays like `inputs` and for the present modes."""
        names = [*signature.data_names, *signature.parameter_names]
        recorded = tape.recording()
        wanted = [recorded and tape.in_graph(array) for array in inputs]
        graph = lower(
            signature.trace.symbol,
            {n: a.shape for n, a in zip(names, inputs, strict=True)},
            {n: a.dtype_code for n, a in zip(names, inputs, strict=True)},
        )
        requests = {name: "write" for name, flag in zip(names, wanted, strict=True) if flag}
        made = compile_graph(graph, requests)
        return CompiledCall(
            lambda: made.instantiate(ctx),
            made.n_forward,
            [made.inputs[name] for name in names],
            made.outputs,
            [(made.types[slot].shape, made.types[slot].code) for slot in made.outputs],
            [-1 if slot is None else slot for slot in made.heads] or [-1] * len(made.outputs),
            [made.grads.get(name, -1) for name in names],
            [(a.shape, a.dtype_code, flag) for a, flag in zip(inputs, wanted, strict=True)],
            tape.training(),
            recorded,
            ctx,
        )

    def last_trace(self) -> Trace:
        """Return the graph of the first kind of call that was made.

        Raises
        ------
        OpforgeError
            The block was not called yet.
        """
        for signature in self._signatures.values():
            return signature.trace
        raise OpforgeError(
            "please first call block.hybridize() and then run forward with this block at least "
            "once before calling export"
        )
