"""Cross entropy of the softmax of rows against class numbers, and its gradient, as computations.

Class numbers of any type are read as integers and limited to the classes there are, as `pick` does.
float16 is computed in float32.
"""

cimport cython
from libc.stdint cimport int64_t

from opforge.native.array cimport F16, F32, F64, I64, Array, new_array
from opforge.native.computation cimport Computation, expect_count, expect_like
from opforge.native.elementwise cimport run_cast
from opforge.native.parallel cimport parallel_for
from opforge.native.rowwise cimport run_softmax

from opforge.base.errors import DTypeError, ShapeError

__all__ = ["CrossEntropy", "CrossEntropyGrad"]

cdef enum:
    INLINE = 16384                     # below this many elements the GIL is kept
    GRAIN = 16384                      # elements that are worth a thread, as in elementwise.pyx

ctypedef fused Real:
    float
    double

cdef struct Rows:
    Py_ssize_t n                       # classes
    const int64_t* labels
    const char* scores                 # forward: logarithms of the probabilities
    const char* head                   # backward: gradient of each row's loss
    char* out


cdef inline Py_ssize_t class_of(Rows* rows, Py_ssize_t row) noexcept nogil:
    return max(<int64_t>0, min(rows.labels[row], <int64_t>(rows.n - 1)))


cdef void pick_losses(Real* tag, void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """out[i] = -scores[i, label of i]."""
    cdef Rows* rows = <Rows*>arg
    cdef Py_ssize_t i
    for i in range(begin, end):
        (<Real*>rows.out)[i] = -(<const Real*>rows.scores)[i * rows.n + class_of(rows, i)]


cdef void scale_rows(Real* tag, void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """out[i] = (out[i] - onehot(label of i)) * head[i], where out holds the probabilities."""
    cdef Rows* rows = <Rows*>arg
    cdef Py_ssize_t i, j
    cdef Real factor
    cdef Real* row
    for i in range(begin, end):
        row = <Real*>rows.out + i * rows.n
        factor = (<const Real*>rows.head)[i]
        row[class_of(rows, i)] -= 1
        for j in range(rows.n):
            row[j] *= factor


cdef void losses_f32(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    pick_losses(<float*>NULL, arg, begin, end)


cdef void losses_f64(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    pick_losses(<double*>NULL, arg, begin, end)


cdef void gradients_f32(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    scale_rows(<float*>NULL, arg, begin, end)


cdef void gradients_f64(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    scale_rows(<double*>NULL, arg, begin, end)


cdef void forward(int code, const void* x, void* scores, Rows* rows, Py_ssize_t count) noexcept nogil:
    run_softmax(code, x, scores, count, rows.n, 1, 1.0, True)
    rows.scores = <const char*>scores
    parallel_for(count, GRAIN, losses_f32 if code == F32 else losses_f64, rows)


cdef void backward(int code, const void* x, Rows* rows, Py_ssize_t count) noexcept nogil:
    run_softmax(code, x, rows.out, count, rows.n, 1, 1.0, False)
    parallel_for(
        count, GRAIN // rows.n + 1, gradients_f32 if code == F32 else gradients_f64, rows
    )


cdef Array converted(Array x, int code):
    """`x`, or a copy of it in another type."""
    if x.code == code:
        return x
    cdef Array result = new_array(x.shape, code, x.context)
    run_cast(x.code, code, x.data, result.data, x.size)
    return result


cdef int expect_rows(Computation c, Array x, Array label, Array losses) except -1:
    """Refuse data that are not rows of classes with one label and one loss each."""
    if x.code != F16 and x.code != F32 and x.code != F64:
        raise DTypeError(f"{c!r}: data has dtype {x.dtype.__name__}, expected a floating one")
    if losses.code != x.code:
        raise DTypeError(
            f"{c!r}: the losses have dtype {losses.dtype.__name__}, expected {x.dtype.__name__} "
            "as the data have"
        )
    if x.ndim < 2 or label.size * <Py_ssize_t>x.shape[x.ndim - 1] != x.size or losses.size != label.size:
        raise ShapeError(
            f"{c!r}: data of shape {x.shape}, labels {label.shape} and losses {losses.shape} do "
            "not fit; expected rows of classes with one label and one loss each"
        )
    if x.shape[x.ndim - 1] == 0:
        raise ShapeError(f"{c!r}: data of shape {x.shape} have no classes")
    return 0


@cython.final
cdef class CrossEntropy(Computation):
    """``-log(softmax(x))[label]`` for each row of the last axis; inputs are data and labels."""

    cdef int run(self, list inputs, list outputs) except -1:
        cdef Array x, label, loss, scores, wide, target
        cdef Rows rows
        cdef int code
        expect_count(self, inputs, 2, outputs, 1)
        x, label, loss = inputs[0], inputs[1], outputs[0]
        expect_rows(self, x, label, loss)
        if x.size == 0:
            return 0
        wide = converted(x, F32) if x.code == F16 else x
        target = new_array(loss.shape, F32, x.context) if x.code == F16 else loss
        label = converted(label, I64)
        scores = new_array(wide.shape, wide.code, x.context)
        rows.n, code = x.shape[x.ndim - 1], wide.code
        rows.labels, rows.head, rows.out = <const int64_t*>label.data, NULL, target.data
        if x.size < INLINE:
            forward(code, wide.data, scores.data, &rows, label.size)
        else:
            with nogil:
                forward(code, wide.data, scores.data, &rows, label.size)
        if target is not loss:
            run_cast(F32, F16, target.data, loss.data, loss.size)
        return 0


@cython.final
cdef class CrossEntropyGrad(Computation):
    """Gradient of `CrossEntropy` by the data; inputs are the losses' gradient, data and labels."""

    cdef int run(self, list inputs, list outputs) except -1:
        cdef Array head, x, label, dx, wide, target
        cdef Rows rows
        cdef int code
        expect_count(self, inputs, 3, outputs, 1)
        head, x, label, dx = inputs[0], inputs[1], inputs[2], outputs[0]
        expect_rows(self, x, label, head)
        expect_like(self, "out", dx, x)
        if x.size == 0:
            return 0
        wide = converted(x, F32) if x.code == F16 else x
        target = new_array(dx.shape, F32, x.context) if x.code == F16 else dx
        label, head = converted(label, I64), converted(head, wide.code)
        rows.n, code = x.shape[x.ndim - 1], wide.code
        rows.labels, rows.head, rows.out = <const int64_t*>label.data, head.data, target.data
        if x.size < INLINE:
            backward(code, wide.data, &rows, label.size)
        else:
            with nogil:
                backward(code, wide.data, &rows, label.size)
        if target is not dx:
            run_cast(F32, F16, target.data, dx.data, dx.size)
        return 0
