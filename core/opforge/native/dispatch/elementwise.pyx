"""Elementwise calls with broadcasting, their tape entries and gradient rules.

Operators that consist of a single elementwise kernel run here without Python and without caches.
"""

cimport cython

from opforge.native.array.array cimport (
    Array, alias, dims_of, is_elsewhere, is_plain, new_array, new_array_of, overlaps, same_shape,
    sync_overwrite, sync_read, take_class, wait_read,
)
from opforge.native.array.creation cimport set_zero
from opforge.native.calls.elementwise cimport aligned_dims
from opforge.native.dispatch.tape cimport Node, Rule, check_writable, in_graph, is_recording, record
from opforge.native.loops.casting cimport run_cast
from opforge.native.loops.elementwise cimport (
    BINARY_CODES, UNARY_CODES, BINARY_add, BINARY_divide, binary_gives_mask, unary_gives_mask, run_binary,
    run_binary_scalar, run_binary_scalar_i64,
    run_broadcast, run_comparison, run_unary,
)
from opforge.native.memory.types cimport BOOL, I64, MAX_NDIM, is_float, itemsize_of
from opforge.native.threads.parallel cimport (
    enter_stoppable, enter_work, leave_stoppable, leave_work,
)
from opforge.native.threads.spans cimport Site
from libc.math cimport floor, isfinite
from libc.string cimport memcpy

from opforge.native.calls.selection import fill

from opforge.base import dtypes as _dtypes
from opforge.base.context import are_apart
from opforge.base.errors import ContextError, DTypeError, OpforgeError, ShapeError
from opforge.base.out_of_memory import named_out_of_memory
from opforge.base.traps import told as _told, warn_of

cdef enum:
    INLINE = 16384                     # with fewer elements the GIL is kept

cdef tuple NAMES = _dtypes.NAMES
cdef set told = _told                  # warnings already issued by this process

# Gradient rules by kernel code; filled by `set_rule`.
cdef dict unary_rules = {}
cdef dict binary_rules = {}
cdef dict scalar_rules = {}

cdef object operators = None           # F of gradient rules; set by the ndarray layer


def set_namespace(module):
    """Set the operator namespace that gradient rules are called with."""
    global operators
    operators = module


cdef object namespace():
    return operators


cdef Array checked_out(Array out, tuple shape, int code, object context, str name):
    """Reject an unsuitable `out`; wait until it may be written."""
    if is_elsewhere(out) and out.context is not context and are_apart(out.context, context):
        raise ContextError(
            f"operator '{name}': out is on {out.context}, its inputs on {context}: move them there with "
            f"as_in_context({out.context})"
        )
    if out.shape != shape or out.code != code:
        raise ShapeError(
            f"operator '{name}': out has shape {out.shape} and dtype {NAMES[out.code]}, expected "
            f"{shape} and {NAMES[code]}"
        )
    check_writable(out)
    sync_overwrite(out)
    return out


cdef object called_elsewhere(int kind, int op, bint reverse, tuple inputs, Array out):
    """Call the operator of a kernel on arrays of another device than the CPU."""
    return getattr(operators, elementwise_site(kind, op, reverse).name)(*inputs, out=out)


cdef object kernel_missing(str kind, int op, int code):
    """Return the error for an element type that a kernel does not support."""
    names = UNARY_CODES if kind == "unary" else BINARY_CODES
    name = [key for key, value in names.items() if value == op][0]
    return DTypeError(f"operator '{name}' does not support dtype {NAMES[code]}; cast it first")


cdef Array new_result(Array like, tuple shape, int kind, int op, bint reverse=False):
    """Return a fresh output of a kernel, an array like an input; an out-of-memory error names the operator."""
    try:
        return new_array_of(type(like), shape, like.code, like.context)
    except MemoryError as error:
        raise named_out_of_memory(elementwise_site(kind, op, reverse).name, "forward", error) from error


cdef Array unary(int op, Array x, Array out):
    cdef int status
    cdef bint stoppable
    if is_elsewhere(x):
        return called_elsewhere(UNARY, op, False, (x,), out)
    sync_read(x)
    if out is None:
        out = new_result(x, x.shape, UNARY, op)
    else:
        checked_out(out, x.shape, x.code, x.context, "unary")
        x = independent(x, out)
    if x.size < INLINE:
        status = run_unary(op, x.code, x.data, out.data, x.size)
    else:
        stoppable = enter_stoppable()
        with nogil:
            status = run_unary(op, x.code, x.data, out.data, x.size)
        leave_stoppable(stoppable)
    if status:
        raise kernel_missing("unary", op, x.code)
    out.is_mask = unary_gives_mask(op, x.is_mask)
    if is_recording() and in_graph(x):
        record_elementwise(unary_rules, op, None, (x,), out)
    return out


cdef tuple broadcast_shape(Array a, Array b):
    """Return the shape that both arrays broadcast to."""
    cdef int ndim = max(a.ndim, b.ndim), axis
    cdef list shape = [1] * ndim
    for axis in range(ndim):
        left = a.shape[axis - ndim + a.ndim] if axis >= ndim - a.ndim else 1
        right = b.shape[axis - ndim + b.ndim] if axis >= ndim - b.ndim else 1
        if left != right and left != 1 and right != 1:
            raise ShapeError(
                f"operands could not be broadcast together with shapes {a.shape} {b.shape}: axis "
                f"{axis} of the result has {left} and {right}; one of them must be 1"
            )
        shape[axis] = right if left == 1 else left
    return tuple(shape)


cdef int run_broadcasting(int op, Array a, Array b, Array out) except -1:
    """Run a binary kernel on arrays of different shapes."""
    cdef Py_ssize_t[MAX_NDIM] a_dims, b_dims, out_dims
    cdef int status
    cdef bint stoppable
    aligned_dims(a, out.ndim, a_dims)
    aligned_dims(b, out.ndim, b_dims)
    dims_of(out, out_dims)
    stoppable = enter_stoppable()
    with nogil:
        status = run_broadcast(
            op, a.code, a.data, a_dims, b.data, b_dims, out.data, out_dims, out.ndim
        )
    leave_stoppable(stoppable)
    if status:
        raise kernel_missing("binary", op, a.code)
    return 0


cdef int expect_together(Array a, Array b) except -1:
    if a.context is not b.context and are_apart(a.context, b.context):
        raise ContextError(
            f"operands are on {a.context} and {b.context}: move one with "
            f"as_in_context({a.context})"
        )
    return 0


cdef Array binary(int op, Array a, Array b, Array out):
    cdef int status
    cdef bint stoppable
    if is_elsewhere(a):
        return called_elsewhere(BINARY, op, False, (a, b), out)
    cdef bint same = same_shape(a, b)
    cdef tuple shape = a.shape if same else broadcast_shape(a, b)
    if a.code != b.code:
        raise DTypeError(
            f"operands have dtypes {NAMES[a.code]} and {NAMES[b.code]}: convert one with "
            "astype() first"
        )
    if not is_float(a.code) and op == BINARY_divide and "division" not in told:
        warn_of("division")
    sync_read(a)
    wait_read(b)
    if out is None:
        out = new_result(b if is_plain(a) else a, shape, BINARY, op)
    else:
        checked_out(out, shape, a.code, a.context, "binary")
        a = independent(a, out)
        b = independent(b, out)
    if not same:
        run_broadcasting(op, a, b, out)
    else:
        if a.size < INLINE:
            status = run_binary(op, a.code, a.data, b.data, out.data, a.size, 0)
        else:
            stoppable = enter_stoppable()
            with nogil:
                status = run_binary(op, a.code, a.data, b.data, out.data, a.size, 0)
            leave_stoppable(stoppable)
        if status:
            raise kernel_missing("binary", op, a.code)
    out.is_mask = binary_gives_mask(op)
    if is_recording() and (in_graph(a) or in_graph(b)):
        record_elementwise(binary_rules, op, None if same else (a.shape, b.shape), (a, b), out)
    return out


cdef Array independent(Array a, Array out):
    """Return `a`, or a copy if writing `out` would overwrite elements that are read later."""
    if not overlaps(a, out) or (a.data == out.data and a.shape == out.shape):
        return a
    cdef Array copy = new_array(a.shape, a.code, a.context)
    memcpy(copy.data, a.data, a.size * itemsize_of(a.code))
    copy.node = a.node
    copy.index = a.index
    return copy


cdef Array promoted(Array x):
    """Convert a bool array to int64 for arithmetic with a number, as MXNet does."""
    cdef Array result = new_array(x.shape, I64, x.context)
    with nogil:
        run_cast(BOOL, I64, x.data, result.data, x.size)
    return result


cdef int watch_number(int op, int code, object value) except -1:
    """Warn if the result of an integer array and `value` is truncated to an integer."""
    cdef double real = value
    if op == BINARY_divide:
        if "division" not in told:
            warn_of("division")
    elif (
        isfinite(real) and floor(real) != real and "fraction" not in told
        # int64 is compared with the integer part, narrower types with the full value.
        and (code == I64 or not binary_gives_mask(op))
    ):
        warn_of("fraction", value)
    return 0


def watch_kernel(str kernel, int code, value=None):
    """Issue, when a graph is compiled, the warnings of an elementwise call."""
    if not is_float(code):
        watch_number(BINARY_CODES[kernel], I64 if code == BOOL else code, 0 if value is None else value)


cdef Array scalar(int op, Array x, object value, bint reverse, Array out):
    cdef int status
    cdef bint stoppable
    cdef double real = 0
    cdef long long integer = 0
    if is_elsewhere(x):
        return called_elsewhere(SCALAR, op, reverse, (x, value), out)
    sync_read(x)
    cdef Array given = x
    if x.code == BOOL:
        x = promoted(x)
    if not is_float(x.code):
        watch_number(op, x.code, value)
    cdef bint exact = x.code == I64
    if exact:
        integer = <long long>int(value)
    else:
        real = value
    if out is None:
        out = new_result(x, x.shape, SCALAR, op, reverse)
        take_class(out, given)
    else:
        checked_out(out, x.shape, x.code, x.context, "scalar")
        x = independent(x, out)
    if exact:
        enter_work()
        with nogil:
            status = run_binary_scalar_i64(op, x.code, x.data, integer, out.data, x.size, reverse)
        leave_work()
    elif x.size < INLINE:
        status = run_binary_scalar(op, x.code, x.data, real, out.data, x.size, reverse)
    else:
        stoppable = enter_stoppable()
        with nogil:
            status = run_binary_scalar(op, x.code, x.data, real, out.data, x.size, reverse)
        leave_stoppable(stoppable)
    if status:
        raise kernel_missing("binary", op, x.code)
    out.is_mask = binary_gives_mask(op)
    if is_recording() and in_graph(x):
        record_elementwise(scalar_rules, 2 * op + reverse, value, (x,), out)
    return out


cdef Array compared(int op, Array a, object b):
    cdef Py_ssize_t[MAX_NDIM] a_dims, b_dims, out_dims
    cdef int status, ndim = 1
    cdef bint stoppable
    cdef double number = 0
    cdef Array other = <Array>b if isinstance(b, Array) else None
    cdef tuple shape = a.shape
    sync_read(a)
    if other is None:
        number = b
    else:
        wait_read(other)
        if not same_shape(a, other):
            shape = broadcast_shape(a, other)
    cdef Array out = new_array_of(type(a), shape, BOOL, a.context)
    if other is None or same_shape(a, other):
        a_dims[0] = b_dims[0] = out_dims[0] = a.size
    else:
        ndim = out.ndim
        aligned_dims(a, ndim, a_dims)
        aligned_dims(other, ndim, b_dims)
        dims_of(out, out_dims)
    cdef void* right = NULL if other is None else other.data
    if out.size < INLINE:
        status = run_comparison(op, a.code, a.data, a_dims, right, b_dims, number, out.data, out_dims, ndim)
    else:
        stoppable = enter_stoppable()
        with nogil:
            status = run_comparison(op, a.code, a.data, a_dims, right, b_dims, number, out.data, out_dims, ndim)
        leave_stoppable(stoppable)
    if status:
        raise kernel_missing("binary", op, a.code)
    return out


cdef int record_elementwise(dict rules, int op, object state, tuple inputs, Array out) except -1:
    """Record an elementwise call with the rule of its kernel."""
    cdef object rule = rules.get(op)
    if rule is None:
        raise OpforgeError("this elementwise operator has no gradient rule")
    record(<Rule>rule, state, inputs, [out])
    return 0


cdef Array add_arrays(Array a, Array b):
    return binary(BINARY_add, a, b, None)


cdef Array ones_like(Array a):
    cdef Array result = new_array(a.shape, a.code, a.context)
    fill(result, 1)
    return result


cdef Array zeros_of(tuple meta):
    cdef Array result = new_array(meta[0], meta[1], meta[2])
    set_zero(result)
    return result


cdef list graph_outputs(Node node):
    """Return the saved outputs, connected to `node` if the pass itself is recorded."""
    cdef list outputs = node.outputs
    cdef Array item
    if outputs is None or not is_recording():
        return outputs
    outputs = [alias(item) for item in outputs]
    for position, item in enumerate(outputs):
        item.node = node
        item.index = position
    return outputs


@cython.final
cdef class ElementwiseRule(Rule):
    """Gradient rule of an elementwise kernel, expressed with operators by its declaration."""

    cdef object make                   # callable(state) -> declaration instance
    cdef object make_broadcasting      # of the first declaration that broadcasts, or None
    cdef bint has_shapes               # BINARY: state holds the shapes before broadcasting
    cdef Site forward_site             # of the declaration that broadcasts, else of the first
    cdef Site backward_site

    cdef object apply(self, Node node, list out_grads):
        cdef Array grad
        cdef list results = []
        cdef Py_ssize_t position
        prop = self.make(node.state)
        grads = prop.gradient(operators, out_grads, node.inputs, graph_outputs(node))
        if not self.has_shapes or node.state is None:
            return grads
        for position in range(2):
            grad = grads[position]
            if grad is not None and grad.shape != node.state[position]:
                grad = operators._unbroadcast(grad, node.state[position])
            results.append(grad)
        return results

    cdef object operation(self, Node node):
        if self.has_shapes and node.state is not None and self.make_broadcasting is not None:
            return self.make_broadcasting(node.state)
        return self.make(node.state)

    cdef Site site(self, Node node):
        return self.backward_site


cdef int set_rule(
    int kind, int op, bint reverse, object make, object saves, bint broadcasts, Site site,
    Site backward_site,
) except -1:
    cdef ElementwiseRule rule = ElementwiseRule()
    rule.make = make
    rule.forward_site, rule.backward_site = site, backward_site
    rule.has_shapes = kind == BINARY
    rule.needs_inputs = "inputs" in saves
    rule.needs_outputs = "outputs" in saves
    if kind == UNARY:
        unary_rules.setdefault(op, rule)
    elif kind == BINARY:
        rule = binary_rules.setdefault(op, rule)
        if broadcasts and rule.make_broadcasting is None:
            rule.make_broadcasting = make
            rule.forward_site, rule.backward_site = site, backward_site
    else:
        scalar_rules.setdefault(2 * op + reverse, rule)
    return 0


cdef Site elementwise_site(int kind, int op, bint reverse):
    cdef dict rules = unary_rules if kind == UNARY else binary_rules
    if kind == SCALAR:
        rules, op = scalar_rules, 2 * op + reverse
    return (<ElementwiseRule>rules[op]).forward_site
