"""Computations of matrix products: fully connected layers (`Dense`) and `Dot`."""

cimport cython
from opforge.abi cimport OPFORGE_OPERAND_FULL, opforge_step

from opforge.native.array.array cimport Array, view
from opforge.native.calls.computation cimport Computation, expect_count
from opforge.native.calls.epilogue cimport Epilogue
from opforge.native.calls.product cimport run_gemm
from opforge.native.loops.epilogue cimport MAX_STEPS, run_epilogue

from opforge.base.errors import DTypeError, ShapeError
from opforge.native.calls.product import gemm
from opforge.native.loops.epilogue import EPILOGUES

__all__ = ["Dense", "Dot"]

cdef enum:
    INLINE = 65536                     # multiplications; smaller products do not release the GIL

cdef int ADD = EPILOGUES.index("add")

cdef struct Matrices:                  # out[m, n] = op(a) op(b)
    bint ta, tb
    Py_ssize_t m, n, k


cdef int multiply(
    Matrices* p, Array a, Array b, Array bias, Array out, bint accumulate, const opforge_step* steps,
    int n_steps
) except -1:
    """Compute the product and an epilogue; types without a fast path take the general one.

    With `accumulate` the product is added to the values in `out`.
    """
    cdef double beta = 1.0 if accumulate else 0.0
    cdef const char* bias_data = NULL if bias is None else bias.data
    cdef int status
    if p.m * p.n * p.k < INLINE:
        status = run_gemm(
            a.code, p.ta, p.tb, p.m, p.n, p.k, a.data, b.data, out.data, bias_data, beta, steps,
            n_steps,
        )
    else:
        with nogil:
            status = run_gemm(
                a.code, p.ta, p.tb, p.m, p.n, p.k, a.data, b.data, out.data, bias_data, beta, steps,
                n_steps,
            )
    if status:
        gemm(
            view(a, 0, (p.k, p.m) if p.ta else (p.m, p.k)),
            view(b, 0, (p.n, p.k) if p.tb else (p.k, p.n)),
            view(out, 0, (p.m, p.n)), p.ta, p.tb, bias=bias, req="add" if accumulate else "write",
        )
        with nogil:
            run_epilogue(steps, n_steps, out.code, out.data, 0, 1, out.size, 0)
    return 0


cdef int expect_codes(Computation c, list inputs, Array out) except -1:
    """Check that the operands have the type of the output."""
    cdef Array item
    for item in inputs:
        if item.code != out.code:
            raise DTypeError(
                f"{c!r}: the operands have dtypes "
                f"{', '.join([x.dtype.__name__ for x in inputs])} and the output "
                f"{out.dtype.__name__}; cast them to one type"
            )
    return 0


@cython.final
cdef class Dense(Computation):
    """Fully connected layer: ``data . weight^T + bias`` for the rows of `data`.

    Inputs are data of any shape, weight of shape (units, features) and, with `bias`, a bias of shape
    (units,) or (units, 1).

    Parameters
    ----------
    units : int
    bias : bool
        Whether the layer has a bias.
    epilogue : Epilogue, optional
        Steps applied to the result; their array operands follow the other inputs.
    """

    cdef Py_ssize_t units
    cdef bint bias
    cdef Epilogue epilogue

    def __init__(self, Py_ssize_t units, bint bias=True, Epilogue epilogue=None):
        self.units, self.bias, self.epilogue = units, bias, epilogue

    def with_epilogue(self, Epilogue epilogue not None):
        """Return the same computation with an epilogue."""
        return Dense(self.units, self.bias, epilogue)

    cdef int run(self, list inputs, list outputs) except -1:
        cdef Array data, weight, out, bias = None
        cdef Matrices p
        cdef opforge_step[MAX_STEPS] steps
        cdef Epilogue epilogue = self.epilogue
        cdef int n_required = 3 if self.bias else 2, n_steps = 0, n_operands = 0
        if epilogue is not None:
            n_steps, n_operands = epilogue.n_steps, epilogue.n_operands
        expect_count(self, inputs, n_required + n_operands, outputs, 1)
        data, weight, out = inputs[0], inputs[1], outputs[0]
        if self.bias:
            bias = inputs[2]
            if bias.ndim != 1:         # shape (units, 1)
                bias = bias._view(0, (bias.size,))
        p.ta, p.tb, p.n = False, True, self.units
        p.m = out.size // max(p.n, 1)
        p.k = weight.size // max(p.n, 1)
        if (
            weight.ndim != 2 or weight.shape[0] != p.n or data.size != p.m * p.k
            or out.size != p.m * p.n or (bias is not None and bias.size != p.n)
        ):
            raise ShapeError(
                f"{self!r}: data of shape {data.shape}, weight {weight.shape}"
                f"{'' if bias is None else f', bias {bias.shape}'} and output {out.shape} do not "
                f"match; expected a weight with {p.n} rows of the length of the data's rows"
            )
        expect_codes(self, inputs, out)
        if n_steps:
            epilogue.bind(steps, inputs[n_required:], out)
        return multiply(&p, data, weight, bias, out, False, steps, n_steps)


@cython.final
cdef class Dot(Computation):
    """Product that sums over the last axis of `a` and the first axis of `b`.

    Parameters
    ----------
    transpose_a, transpose_b : bool
        Whether to sum over the first axis of `a`, or the last axis of `b`, instead.
    epilogue : Epilogue, optional
        Steps applied to the result; their array operands follow the other inputs. If the first step
        adds the output array itself, the product is accumulated in place.
    """

    cdef bint transpose_a, transpose_b
    cdef Epilogue epilogue

    def __init__(self, bint transpose_a=False, bint transpose_b=False, Epilogue epilogue=None):
        self.transpose_a, self.transpose_b, self.epilogue = transpose_a, transpose_b, epilogue

    def with_epilogue(self, Epilogue epilogue not None):
        """Return the same computation with an epilogue."""
        return Dot(self.transpose_a, self.transpose_b, epilogue)

    cdef int run(self, list inputs, list outputs) except -1:
        cdef Array a, b, out
        cdef Matrices p
        cdef Py_ssize_t k
        cdef opforge_step[MAX_STEPS] steps
        cdef Epilogue epilogue = self.epilogue
        cdef int n_steps = 0, n_operands = 0, n_done = 0
        if epilogue is not None:
            n_steps, n_operands = epilogue.n_steps, epilogue.n_operands
        expect_count(self, inputs, 2 + n_operands, outputs, 1)
        a, b, out = inputs[0], inputs[1], outputs[0]
        if a.ndim == 0 or b.ndim == 0:
            raise ShapeError(
                f"{self!r}: inputs have shapes {a.shape} and {b.shape}, expected at least one axis each"
            )
        # A vector is a column: transposed as `a`, but not as `b`.
        p.ta = self.transpose_a or a.ndim == 1
        p.tb = self.transpose_b and b.ndim > 1
        p.k = a.shape[0] if p.ta else a.shape[a.ndim - 1]
        k = b.shape[b.ndim - 1] if p.tb else b.shape[0]
        p.m = outer_size(a, p.ta)
        p.n = outer_size(b, not p.tb)
        if p.k != k or out.size != p.m * p.n:
            raise ShapeError(
                f"{self!r}: shapes {a.shape} and {b.shape} with transpose_a={self.transpose_a}, "
                f"transpose_b={self.transpose_b} and an output of shape {out.shape} do not match: "
                f"the inner lengths are {p.k} and {k}, the result has {p.m * p.n} elements"
            )
        expect_codes(self, inputs, out)
        if n_steps:
            epilogue.bind(steps, inputs[2:], out)
            n_done = adds_in_place(&steps[0], out)
        return multiply(&p, a, b, None, out, n_done == 1, steps + n_done, n_steps - n_done)


cdef bint adds_in_place(const opforge_step* step, Array out) noexcept:
    """Return whether a step adds the values in the output's memory."""
    return step.kind == ADD and step.operand == OPFORGE_OPERAND_FULL and step.data == out.data


cdef Py_ssize_t outer_size(Array x, bint without_first) except -1:
    """Return the product of all dimensions except the first or the last."""
    cdef Py_ssize_t size = 1
    cdef int axis, skipped = 0 if without_first else x.ndim - 1
    for axis in range(x.ndim):
        if axis != skipped:
            size *= <Py_ssize_t>x.shape[axis]
    return size
