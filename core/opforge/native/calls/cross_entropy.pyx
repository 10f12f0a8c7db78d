"""Cross entropy of softmax with class labels, fused so that no log-probabilities are stored.

Each row of logits is read once for the loss and once for the gradient. float16 is computed in float32.
"""

from cpython.pycapsule cimport PyCapsule_GetPointer

from opforge.native.array.array cimport Array, new_array, wait_read, wait_write
from opforge.native.array.expect cimport expect_code, expect_float, expect_shape
from opforge.native.array.output cimport req_code, elementwise_target_of, settle
from opforge.native.calls.indices cimport integer_indices
from opforge.native.calls.normalize cimport cast_to, store_result
from opforge.native.kernels.crossentropy cimport opforge_crossentropy_table
from opforge.native.memory.types cimport F32, F64, REQ_NULL, REQ_WRITE, itemsize_of
from opforge.native.threads.parallel cimport parallel_for

from opforge.base.errors import ShapeError
from opforge.native.kernels import isa as _isa

__all__ = ["softmax_cross_entropy", "softmax_cross_entropy_grad"]

cdef opforge_crossentropy_table* kernels = <opforge_crossentropy_table*>PyCapsule_GetPointer(
    _isa.table("crossentropy"), b"opforge.kernels.crossentropy"
)

cdef enum:
    GRAIN = 8192                       # minimum elements per thread: 4 us

cdef struct Task:
    const char* dloss                  # NULL in the forward pass
    const char* x
    const long long* label
    char* saved
    char* out                          # loss, or dx
    Py_ssize_t n, item
    int kernel
    double weight


cdef void part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Task* t = <Task*>arg
    cdef Py_ssize_t rows = end - begin, at = begin * t.item
    if t.dloss == NULL:
        kernels.loss[t.kernel](
            t.x + at * t.n, t.label + begin, t.out + at, t.saved + 2 * at, rows, t.n, t.weight
        )
    else:
        kernels.grad[t.kernel](
            t.dloss + at, t.x + at * t.n, t.label + begin, t.saved + 2 * at, t.out + at * t.n, rows,
            t.n, t.weight,
        )


cdef int expect_arguments(str function, Array x, Array label, Array saved, str per_row, Array rows) except -1:
    """Check that `label` and `rows` (named `per_row`) have one entry per row of `x`, and `saved` two."""
    expect_float(function, "x", x)
    if x.ndim == 0:
        raise ShapeError(
            f"{function}: 'x' has shape (); expected at least one axis, the last being the classes"
        )
    row_shape = x.shape[:x.ndim - 1]
    for name, array in (("label", label), (per_row, rows)):
        shape = (<Array>array).shape
        if shape != row_shape and shape != row_shape + (1,) and not (row_shape == () and shape == (1,)):
            raise ShapeError(
                f"{function}: {name!r} has shape {shape}, expected {row_shape} or {row_shape + (1,)}"
            )
    expect_code(function, per_row, rows, x.code)
    expect_shape(function, "saved", saved, row_shape + (2,))
    expect_code(function, "saved", saved, F64 if x.code == F64 else F32)
    wait_read(x)
    return 0


cdef int launch(Task* t, Array x, Array label, Array saved, double weight) except -1:
    t.n = x.shape[x.ndim - 1]
    t.x, t.label, t.saved, t.weight = x.data, <const long long*>label.data, saved.data, weight
    t.kernel, t.item = x.code == F64, itemsize_of(x.code)
    with nogil:
        parallel_for(label.size, GRAIN // t.n + 1, part, t)
    return 0


def softmax_cross_entropy(
    Array x not None, Array label not None, Array out not None, Array saved not None,
    double weight=1.0, req="write",
):
    """Compute ``-weight * log(softmax(x)[label])`` for each row along the last axis.

    Parameters
    ----------
    x : Array of float dtype, shape (..., classes)
    label : Array of any dtype
        Shape of `x` without the last axis, or with length 1 there. Labels are converted to integers
        and clipped to the valid classes.
    out : Array, dtype of `x`, shape of `label`
    saved : Array, shape (..., 2), float64 if `x` is float64, else float32
        Receives the values needed by the gradient: the largest element of each row and the
        reciprocal of its sum of exponentials.
    weight : float
    req : {"write", "inplace", "add", "null"}
        Applies to `out`; `saved` is always written unless `req` is "null".
    """
    cdef int code = req_code(req), real = F64 if x.code == F64 else F32
    cdef Array labels, loss, moments
    cdef Task t
    expect_arguments("softmax_cross_entropy", x, label, saved, "out", out)
    wait_write(out)
    wait_write(saved)
    if code == REQ_NULL or label.size == 0:
        return
    labels = integer_indices("softmax_cross_entropy", label, "clip", x.shape[x.ndim - 1], True)
    loss = new_array(out.shape, real, x.context)
    moments = new_array(saved.shape, real, x.context)
    t.dloss, t.out = NULL, loss.data
    launch(&t, cast_to(x, real), labels, moments, weight)
    settle(saved, moments, REQ_WRITE)
    store_result(loss, out, code)


def softmax_cross_entropy_grad(
    Array dloss not None, Array x not None, Array label not None, Array saved not None,
    Array out not None, double weight=1.0, req="write",
):
    """Compute the gradient ``weight * dloss * (softmax(x) - onehot(label))`` of `softmax_cross_entropy`.

    Parameters
    ----------
    dloss : Array, dtype of `x`, shape of `label`
    x, label, saved
        The arguments of `softmax_cross_entropy` after that call.
    out : Array, shape and dtype of `x`; may be `x`
    weight : float
    req : {"write", "inplace", "add", "null"}
    """
    cdef int code = req_code(req), real = F64 if x.code == F64 else F32
    cdef Array labels, target, source, dloss_real
    cdef Task t
    expect_arguments("softmax_cross_entropy_grad", x, label, saved, "dloss", dloss)
    expect_shape("softmax_cross_entropy_grad", "out", out, x.shape)
    expect_code("softmax_cross_entropy_grad", "out", out, x.code)
    wait_read(dloss)
    wait_read(saved)
    wait_write(out)
    if code == REQ_NULL or label.size == 0:
        return
    labels = integer_indices("softmax_cross_entropy_grad", label, "clip", x.shape[x.ndim - 1])
    source, dloss_real = cast_to(x, real), cast_to(dloss, real)
    target = source
    if source is x:
        target = elementwise_target_of(out, code, (x, dloss, saved))
    t.dloss, t.out = dloss_real.data, target.data
    launch(&t, source, labels, saved, weight)
    if source is x:
        settle(out, target, code)
    else:
        store_result(target, out, code)
