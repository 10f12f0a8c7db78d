"""The computations that operators choose from: `plugin_api.kernels` shows them by these names.

Each checks what it is given and calls one driver. The GIL is released where the work is worth it.
"""

cimport cython

from opforge.native.array cimport Array
from opforge.native.computation cimport Computation
from opforge.native.elementwise cimport UNARY_CODES, run_unary

from opforge.base import dtypes as _dtypes
from opforge.base.errors import DTypeError, OperatorNotFoundError, OpforgeError, ShapeError

__all__ = ["Unary"]

cdef enum:
    INLINE = 16384                     # below this many elements the GIL is kept

cdef tuple NAMES = _dtypes.NAMES


cdef int expect_count(Computation c, list inputs, int n_inputs, list outputs, int n_outputs) except -1:
    """Refuse another number of arrays."""
    if len(inputs) != n_inputs or len(outputs) != n_outputs:
        raise OpforgeError(
            f"{c!r} takes {n_inputs} inputs and {n_outputs} outputs, got {len(inputs)} and "
            f"{len(outputs)}"
        )
    return 0


cdef int expect_like(Computation c, str name, Array a, Array model) except -1:
    """Refuse an array that does not look like `model`."""
    if a.shape is not model.shape and a.shape != model.shape:
        raise ShapeError(f"{c!r}: '{name}' has shape {a.shape}, expected {model.shape}")
    if a.code != model.code:
        raise DTypeError(
            f"{c!r}: '{name}' has dtype {NAMES[a.code]}, expected {NAMES[model.code]}"
        )
    return 0


@cython.final
cdef class Unary(Computation):
    """``y = f(x)``, element by element.

    Parameters
    ----------
    name : str
        The kernel, for instance ``"relu"``.
    """

    cdef readonly str name
    cdef int op

    def __init__(self, str name not None):
        if name not in UNARY_CODES:
            raise OperatorNotFoundError(
                f"no unary elementwise kernel is called {name!r}; there are "
                f"{', '.join(sorted(UNARY_CODES))}"
            )
        self.name = name
        self.op = UNARY_CODES[name]
        self.in_place = True

    cdef int run(self, list inputs, list outputs) except -1:
        cdef Array x, y
        cdef int status
        expect_count(self, inputs, 1, outputs, 1)
        x, y = inputs[0], outputs[0]
        expect_like(self, "out", y, x)
        if x.size < INLINE:
            status = run_unary(self.op, x.code, x.data, y.data, x.size)
        else:
            with nogil:
                status = run_unary(self.op, x.code, x.data, y.data, x.size)
        if status:
            raise DTypeError(
                f"{self!r}: '{self.name}' does not support dtype {NAMES[x.code]}; cast it first"
            )
        return 0
