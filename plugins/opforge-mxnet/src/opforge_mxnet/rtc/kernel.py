"""`Rtc`: a kernel bound to the names, shapes and types of its arrays; `push` runs it."""

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from opforge.base.errors import DTypeError, OpforgeError, ShapeError
from opforge.native.array import Array, numpy_alias

from .compiler import compile_kernel
from .python_function import jit_kernel
from .source import Parameter

__all__ = ["Rtc"]

Run = Callable[[Sequence[Any], Sequence[int], Sequence[int]], None]
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*\Z", re.ASCII)


class Rtc:
    """Kernel for the CPU, compiled on construction.

    Parameters
    ----------
    name : str
        Name of the kernel, an identifier.
    inputs : sequence of (str, NDArray)
        Names of the kernel's inputs. Only the shapes and types of the arrays are used.
    outputs : sequence of (str, NDArray)
        The same for the kernel's outputs.
    kernel : str or function, optional
        Body of the kernel in C++, in the form that MXNet compiled for CUDA: an array named ``x`` is
        a pointer ``x``, its shape is ``x_ndim`` and ``x_dims``, and ``threadIdx``, ``blockIdx``,
        ``blockDim`` and ``gridDim`` have the members ``x``, ``y`` and ``z``. Or a Python function
        of ``(threadIdx, blockIdx, blockDim, gridDim, *inputs, *outputs)``, which Numba compiles.
        Without a kernel, the object can be created but not run.

    Raises
    ------
    OpforgeError
        A name is not an identifier or is used twice, the kernel waits for other threads, the C++
        compiler or Numba is missing, or the kernel does not compile.

    Examples
    --------
    >>> from opforge import nd, rtc
    >>> x, y = nd.array([1, 2, 3]), nd.zeros((3,))
    >>> kernel = rtc("scale", [("x", x)], [("y", y)], "y[threadIdx.x] = 5 * x[threadIdx.x];")
    >>> kernel.push([x], [y], (1, 1, 1), (3, 1, 1))
    >>> y.asnumpy().tolist()
    [5.0, 10.0, 15.0]
    """

    def __init__(
        self,
        name: str,
        inputs: Sequence[tuple[str, Any]],
        outputs: Sequence[tuple[str, Any]],
        kernel: "str | Callable[..., None] | None" = None,
    ) -> None:
        self.name = name
        self._inputs = _parameters(name, inputs, is_input=True)
        self._outputs = _parameters(name, outputs, is_input=False)
        _check_names(name, [*self._inputs, *self._outputs])
        self._run: Run | None = None
        if isinstance(kernel, str):
            self._run = compile_kernel(name, tuple(self._inputs + self._outputs), kernel)
        elif kernel is not None:
            self._run = jit_kernel(name, kernel)

    def push(
        self,
        ins: Sequence[Any],
        outs: Sequence[Any],
        grid_dims: Sequence[int],
        block_dims: Sequence[int],
    ) -> None:
        """Run the kernel for each thread of each block, and return when all have finished.

        Parameters
        ----------
        ins, outs : sequence of NDArray
            Arrays in the order of the constructor's, with the same shapes and types.
        grid_dims, block_dims : sequence of 3 ints
            Numbers of blocks, and of threads per block, along x, y and z.

        Raises
        ------
        OpforgeError
            The kernel has no source, an array differs from the constructor's in shape or type, or
            an output is read-only.
        """
        if self._run is None:
            raise OpforgeError(
                f"rtc kernel {self.name!r} has no source. Pass its body in C++, or a Python "
                "function, as the fourth argument: rtc(name, inputs, outputs, kernel)"
            )
        views = [
            *self._views("input", ins, self._inputs),
            *self._views("output", outs, self._outputs),
        ]
        self._run(views, self._dims("grid_dims", grid_dims), self._dims("block_dims", block_dims))
        for array in outs:
            array.wait_to_write()  # again, as other threads may have read it meanwhile

    def _views(self, role: str, arrays: Sequence[Any], wanted: Sequence[Parameter]) -> list[Any]:
        """Check NDArrays against the parameters and return NumPy views of their memory."""
        if len(arrays) != len(wanted):
            raise OpforgeError(
                f"rtc kernel {self.name!r} takes {len(wanted)} {role}s "
                f"({', '.join(p.name for p in wanted) or 'none'}), got {len(arrays)}"
            )
        views = []
        for array, parameter in zip(arrays, wanted, strict=True):
            where = f"rtc kernel {self.name!r}: {role} {parameter.name!r}"
            _check_array(where, array, parameter)
            if not parameter.is_input:
                array.wait_to_write()
            view = numpy_alias(array)
            if parameter.is_input:
                view.flags.writeable = False
            elif not view.flags.writeable:
                raise OpforgeError(f"{where} is read-only. Pass a copy of it")
            views.append(view)
        return views

    def _dims(self, argument: str, dims: Sequence[int]) -> list[int]:
        valid = isinstance(dims, Sequence) and len(dims) == 3
        if not (valid and all(isinstance(d, (int, np.integer)) and d > 0 for d in dims)):
            raise OpforgeError(
                f"rtc kernel {self.name!r}: {argument} is {dims!r}; expected three positive "
                "integers, for example (1, 1, 1)"
            )
        return [int(d) for d in dims]

    def __repr__(self) -> str:
        names = [[p.name for p in group] for group in (self._inputs, self._outputs)]
        return f"<Rtc {self.name}: {', '.join(names[0])} -> {', '.join(names[1])}>"


def _parameters(
    kernel: str, pairs: Sequence[tuple[str, Any]], *, is_input: bool
) -> list[Parameter]:
    role = "inputs" if is_input else "outputs"
    found = []
    for pair in pairs:
        is_pair = isinstance(pair, (tuple, list)) and len(pair) == 2
        if not (is_pair and isinstance(pair[0], str) and isinstance(pair[1], Array)):
            raise OpforgeError(
                f"rtc kernel {kernel!r}: {role} contain {pair!r:.80}; expected pairs of a name "
                "and an NDArray, for example [('x', x)]"
            )
        found.append(Parameter(pair[0], pair[1].shape, pair[1].dtype_code, is_input))
    return found


def _check_names(kernel: str, parameters: Sequence[Parameter]) -> None:
    names = [kernel, *(p.name for p in parameters)]
    for name in names:
        if not isinstance(name, str) or not _IDENTIFIER.match(name):
            raise OpforgeError(
                f"rtc kernel {kernel!r}: {name!r} is not an identifier of C++. Use letters, "
                "digits and underscores"
            )
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise OpforgeError(
            f"rtc kernel {kernel!r}: the name {twice[0]!r} is used twice. Rename one of them"
        )


def _check_array(where: str, array: Any, parameter: Parameter) -> None:
    if not isinstance(array, Array):
        raise OpforgeError(f"{where} must be an NDArray, got {type(array).__name__}")
    if array.shape != parameter.shape:
        raise ShapeError(
            f"{where} has shape {array.shape}, but the kernel was created for {parameter.shape}. "
            "Create another kernel for other shapes"
        )
    if array.dtype_code != parameter.code:
        raise DTypeError(
            f"{where} has dtype {np.dtype(array.dtype).name}, but the kernel was created for "
            f"{parameter.dtype_name}. Convert it with astype()"
        )
