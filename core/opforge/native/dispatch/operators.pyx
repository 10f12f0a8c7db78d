"""ArrayOperators: Python arithmetic, comparison and truth value of arrays.

The type slots call the elementwise dispatch directly; the other operand may be a number or a NumPy
array, on either side.
"""

cimport numpy as cnp
from cpython.float cimport PyFloat_Check
from cpython.long cimport PyLong_Check

from opforge.native.array.array cimport Array, is_elsewhere, is_plain
from opforge.native.array.exchange cimport array_from
from opforge.native.dispatch.elementwise cimport (
    BINARY, SCALAR, UNARY, binary, compared, elementwise_site, expect_together, scalar, unary,
)
from opforge.native.dispatch.tape cimport in_graph, is_recording
from opforge.native.loops.elementwise cimport BINARY_CODES, UNARY_CODES
from opforge.native.memory.types cimport BOOL, is_float
from opforge.native.threads.spans cimport CALLS, Span, close_span, open_span, watched

import numbers as _numbers
import operator as _operator

import numpy as np

from opforge.base import dtypes as _dtypes
from opforge.base.errors import DTypeError, OpforgeError
from opforge.base.traps import told, warn_of
from opforge.native.array.deferred import DeferredArray
from opforge.native.array.stored import StoredArray

cnp.import_array()

cdef int ADD = BINARY_CODES["add"]
cdef int SUBTRACT = BINARY_CODES["subtract"]
cdef int MULTIPLY = BINARY_CODES["multiply"]
cdef int DIVIDE = BINARY_CODES["divide"]
cdef int MOD = BINARY_CODES["mod"]
cdef int POWER = BINARY_CODES["power"]
cdef int EQUAL = BINARY_CODES["equal"]
cdef int NOT_EQUAL = BINARY_CODES["not_equal"]
cdef int GREATER = BINARY_CODES["greater"]
cdef int GREATER_EQUAL = BINARY_CODES["greater_equal"]
cdef int LESSER = BINARY_CODES["lesser"]
cdef int LESSER_EQUAL = BINARY_CODES["lesser_equal"]
#: Comparisons have successive codes.
cdef int FIRST_COMPARISON = min(EQUAL, NOT_EQUAL, GREATER, GREATER_EQUAL, LESSER, LESSER_EQUAL)
cdef int LAST_COMPARISON = max(EQUAL, NOT_EQUAL, GREATER, GREATER_EQUAL, LESSER, LESSER_EQUAL)
#: Python's name of each.
cdef dict OF_PYTHON = {
    ADD: _operator.add,
    SUBTRACT: _operator.sub,
    MULTIPLY: _operator.mul,
    DIVIDE: _operator.truediv,
    MOD: _operator.mod,
    POWER: _operator.pow,
    EQUAL: _operator.eq,
    NOT_EQUAL: _operator.ne,
    GREATER: _operator.gt,
    GREATER_EQUAL: _operator.ge,
    LESSER: _operator.lt,
    LESSER_EQUAL: _operator.le,
}
cdef enum:
    SMALL = 127                        # integers up to this one are values of all types

cdef int NEGATIVE = UNARY_CODES["negative"]
cdef int ABS = UNARY_CODES["abs"]


cdef bint is_number(object item):
    """Return whether `x` is a Python or NumPy scalar, including bool."""
    return (
        PyFloat_Check(item) or PyLong_Check(item)
        or isinstance(item, (_numbers.Real, np.bool_, np.number))
    )


cdef object with_other(int op, Array left, object right, bint reverse, Array out):
    """Return the result with an operand that is neither an array nor a number.

    A pandas Series or DataFrame computes with the elements as a NumPy array and returns its own type.
    For other array types the result is NotImplemented, so that Python tries their operators.
    """
    if isinstance(right, DeferredArray):
        raise right.used_as("value for arithmetic")
    if out is None and hasattr(right, "__pandas_priority__"):
        of_python, values = OF_PYTHON[op], np.asarray(left)
        return of_python(right, values) if reverse else of_python(values, right)
    if hasattr(right, "__array_ufunc__"):
        return NotImplemented
    raise TypeError(f"type {type(right)} not supported")


def alike(Array array not None, cnp.ndarray given not None):
    """Return a NumPy array as an NDArray with the element type and context of `array`.

    Parameters
    ----------
    array : NDArray
    given : numpy.ndarray

    Raises
    ------
    TypeError
        `given` is not numeric.
    DTypeError
        The conversion would lose fractions or signs.

    Examples
    --------
    >>> from opforge import nd
    >>> alike(nd.zeros(1), np.arange(2)).dtype.__name__
    'float32'
    """
    if not _dtypes.is_numeric(given.dtype):
        raise TypeError(f"type {type(given)} of {given.dtype} not supported: expected numbers")
    if not np.can_cast(given.dtype, array.dtype, "same_kind"):
        raise DTypeError(
            f"a NumPy array of {given.dtype} cannot be used with an NDArray of "
            f"{array.dtype.__name__} without a loss: convert one of them with astype() first"
        )
    return array_from(given, array.code, array.context)


cdef object with_numpy(int op, Array left, cnp.ndarray right, bint reverse, Array out):
    """Return the result with a NumPy array; one of zero dimensions counts as a number."""
    cdef Array converted
    if cnp.PyArray_NDIM(right) == 0 and is_number(right[()]):
        return scalar(op, left, right[()], reverse, out)
    converted = alike(left, right)
    return binary(op, converted, left, out) if reverse else binary(op, left, converted, out)


cdef inline object apply(int op, Array left, object right, bint reverse):
    """Compute ``left op right``, or ``right op left`` if `reverse`."""
    if not is_plain(left) and not is_simple(op, left, right, reverse):
        if is_simple_comparison(op, left, right):
            return timed_comparison(op, left, right) if watched & CALLS else compared(op, left, right)
        return left._operated(OF_PYTHON[op], right, reverse, None)
    if watched & CALLS:
        return timed(op, left, right, reverse, None)
    return operated(op, left, right, reverse, None)


cdef bint is_simple(int op, Array left, object right, bint reverse):
    """Return whether all classes of arrays agree on an operation: arithmetic of equal float types.

    Classes differ in the remainder of a division by 0.
    """
    if not is_float(left.code) or FIRST_COMPARISON <= op <= LAST_COMPARISON:
        return False
    if op == MOD and (reverse or isinstance(right, Array) or not right):
        return False
    if isinstance(right, Array):
        return left.code == (<Array>right).code
    return PyFloat_Check(right) or PyLong_Check(right)


cdef bint is_simple_comparison(int op, Array left, object right):
    """Return whether `compared` supports a comparison: of equal types, or with a number that is a value of the type."""
    if not FIRST_COMPARISON <= op <= LAST_COMPARISON or left.code == BOOL or is_elsewhere(left):
        return False
    if isinstance(right, Array):
        return (
            left.code == (<Array>right).code and left.context is (<Array>right).context
            and not (is_recording() and (in_graph(left) or in_graph(<Array>right)))
        )
    if is_recording() and in_graph(left):
        return False
    if PyFloat_Check(right):
        return is_float(left.code)
    return PyLong_Check(right) and 0 <= right <= SMALL


cdef object operated(int op, Array left, object right, bint reverse, Array out):
    """Return the result of a Python operator, in `out` if given."""
    if isinstance(right, Array):
        expect_together(left, <Array>right)
        return binary(op, left, <Array>right, out)
    if is_number(right):
        return scalar(op, left, right, reverse, out)
    if isinstance(right, StoredArray):
        return operated(op, left, right.tostype("default"), reverse, out)
    if isinstance(right, np.ndarray):
        return with_numpy(op, left, right, reverse, out)
    return with_other(op, left, right, reverse, out)


cdef object timed(int op, Array left, object right, bint reverse, Array out):
    """Call `operated` inside a profiler span."""
    cdef Span span
    cdef bint arrays = isinstance(right, (Array, np.ndarray))
    open_span(&span, elementwise_site(BINARY if arrays else SCALAR, op, reverse))
    try:
        return operated(op, left, right, reverse, out)
    finally:
        close_span(&span)


cdef object timed_comparison(int op, Array left, object right):
    """Call `compared` inside a profiler span."""
    cdef Span span
    open_span(&span, elementwise_site(BINARY if isinstance(right, Array) else SCALAR, op, False))
    try:
        return compared(op, left, right)
    finally:
        close_span(&span)


cdef Array apply_unary(int op, Array x):
    cdef Span span
    if not watched & CALLS:
        return unary(op, x, None)
    open_span(&span, elementwise_site(UNARY, op, False))
    try:
        return unary(op, x, None)
    finally:
        close_span(&span)


cdef object apply_inplace(int op, Array target, object right):
    """Compute ``target op= right``."""
    if isinstance(right, Array) and is_recording() and in_graph(<Array>right):
        raise OpforgeError(
            "Inplace operations (+=, -=, x[:]=, etc) are not supported when recording with "
            "autograd: write `x = x + y` instead"
        )
    if not is_plain(target) and not is_simple(op, target, right, False):
        return target._operated(OF_PYTHON[op], right, False, target)
    if watched & CALLS:
        return timed(op, target, right, False, target)
    return operated(op, target, right, False, target)


cdef class ArrayOperators(Array):
    """Arithmetic, comparison and conversion to Python numbers."""

    def __add__(self, other):
        return apply(ADD, self, other, False)

    def __radd__(self, other):
        return apply(ADD, self, other, True)

    def __iadd__(self, other):
        return apply_inplace(ADD, self, other)

    def __sub__(self, other):
        return apply(SUBTRACT, self, other, False)

    def __rsub__(self, other):
        return apply(SUBTRACT, self, other, True)

    def __isub__(self, other):
        return apply_inplace(SUBTRACT, self, other)

    def __mul__(self, other):
        return apply(MULTIPLY, self, other, False)

    def __rmul__(self, other):
        return apply(MULTIPLY, self, other, True)

    def __imul__(self, other):
        return apply_inplace(MULTIPLY, self, other)

    def __truediv__(self, other):
        return apply(DIVIDE, self, other, False)

    def __rtruediv__(self, other):
        return apply(DIVIDE, self, other, True)

    def __itruediv__(self, other):
        return apply_inplace(DIVIDE, self, other)

    def __mod__(self, other):
        return apply(MOD, self, other, False)

    def __rmod__(self, other):
        return apply(MOD, self, other, True)

    def __imod__(self, other):
        return apply_inplace(MOD, self, other)

    def __pow__(self, other, modulo):
        if modulo is not None:
            raise TypeError("pow() of an NDArray takes no third argument; use pow(a, b) % c")
        return apply(POWER, self, other, False)

    def __rpow__(self, other, modulo):
        return apply(POWER, self, other, True)

    def __neg__(self):
        return apply_unary(NEGATIVE, self)

    def __abs__(self):
        return apply_unary(ABS, self)

    def __eq__(self, other):
        # No number equals a string; programs compare an argument that may be an array with a name.
        if other is None or isinstance(other, (str, bytes)):
            return False
        return apply(EQUAL, self, other, False)

    def __ne__(self, other):
        if other is None or isinstance(other, (str, bytes)):
            return True
        return apply(NOT_EQUAL, self, other, False)

    def __gt__(self, other):
        return apply(GREATER, self, other, False)

    def __ge__(self, other):
        return apply(GREATER_EQUAL, self, other, False)

    def __lt__(self, other):
        return apply(LESSER, self, other, False)

    def __le__(self, other):
        return apply(LESSER_EQUAL, self, other, False)

    def __hash__(self):
        return <Py_ssize_t><void*>self >> 4

    def __bool__(self):
        if self.size == 0:
            return False
        if self.size > 1:
            raise ValueError(
                "The truth value of an NDArray with multiple elements is ambiguous. Use x.any() or x.all()"
            )
        return bool(self.asscalar())

    def __len__(self):
        if self.ndim == 0:
            raise TypeError("len() of an array without dimensions")
        return self.shape[0]

    def __float__(self):
        return float(self.asscalar())

    def __int__(self):
        return int(self.asscalar())

    def __index__(self):
        value = self.asscalar() if self.size == 1 else None
        if not isinstance(value, np.integer):                 # TypeError lets bytearray read the elements
            raise TypeError(f"only an integer array of one element is an index, got {_dtypes.NAMES[self.code]} {self.shape}")
        if self.ndim and "index" not in told:
            warn_of("index", self.shape)
        return int(value)
