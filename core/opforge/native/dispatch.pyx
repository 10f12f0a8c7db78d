"""Dispatch: the call path of every operator.

A call is: attributes -> `Bound` (cached), shapes and types -> `Plan` (cached), outputs from the
pool, the kernel or the author's code, one tape entry if an input needs a gradient. Elementwise
operators skip all caches and run from here without Python. No hook is called on this path.
"""

cimport cython

from opforge.native.array cimport (
    BOOL, F16, F32, F64, I64, MAX_NDIM, REQ_ADD, Array, alias, dims_of, itemsize_of, new_array,
    same_shape, wait_read, wait_write,
)
from opforge.native.elementwise cimport (
    BINARY_CODES, UNARY_CODES, BINARY_add, UNARY_identity, run_binary, run_binary_scalar,
    run_binary_scalar_i64, run_broadcast, run_cast, run_unary,
)
from opforge.native.tape cimport (
    Leaf, Node, Rule, check_writable, direct_target, is_recording, is_training, record, swap_recording,
    swap_training,
)
from libc.string cimport memset

from opforge.native.elementwise import fill

from opforge.base import dtypes as _dtypes
from opforge.base.context import current_context as _current_context
from opforge.base.errors import DTypeError, OpforgeError, ShapeError

cdef enum:
    GENERAL = 0
    UNARY = 1
    BINARY = 2
    SCALAR = 3
    MAX_BOUNDS = 512                   # attribute values remembered per operator
    MAX_PLANS = 1024                   # shapes remembered per attribute values

cdef tuple NAMES = _dtypes.NAMES

# Gradient rules of the elementwise kernels; filled by `elementwise_handle`.
cdef dict unary_rules = {}
cdef dict binary_rules = {}
cdef dict scalar_rules = {}

cdef object namespace = None           # F of gradient rules; the ndarray layer sets it


def set_namespace(module):
    """Make `module` the operator namespace that gradient rules are called with."""
    global namespace
    namespace = module


# --- elementwise ---------------------------------------------------------------------------------

cdef Array checked_out(Array out, tuple shape, int code, str name):
    """Refuse an `out` that does not fit; wait until it may be written."""
    if out.shape != shape or out.code != code:
        raise ShapeError(
            f"operator '{name}': out has shape {out.shape} and dtype {NAMES[out.code]}, expected "
            f"{shape} and {NAMES[code]}"
        )
    check_writable(out)
    wait_write(out)
    return out


cdef object kernel_missing(str kind, int op, int code):
    """The error for an element type that a kernel does not have."""
    names = UNARY_CODES if kind == "unary" else BINARY_CODES
    name = [key for key, value in names.items() if value == op][0]
    return DTypeError(f"operator '{name}' does not support dtype {NAMES[code]}; cast it first")


cdef Array unary(int op, Array x, Array out):
    cdef int status
    wait_read(x)
    if out is None:
        out = new_array(x.shape, x.code, x.context)
    else:
        checked_out(out, x.shape, x.code, "unary")
    if x.size < 16384:
        status = run_unary(op, x.code, x.data, out.data, x.size)
    else:
        with nogil:
            status = run_unary(op, x.code, x.data, out.data, x.size)
    if status:
        raise kernel_missing("unary", op, x.code)
    if is_recording() and x.node is not None:
        record_elementwise(unary_rules, op, None, (x,), out)
    return out


cdef tuple broadcast_shape(Array a, Array b):
    """The shape that both arrays broadcast to."""
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


cdef int aligned_dims(Array a, int ndim, Py_ssize_t* dims) except -1:
    """Dimensions of `a` right-aligned to `ndim`, with ones in front."""
    cdef int axis
    for axis in range(ndim - a.ndim):
        dims[axis] = 1
    dims_of(a, dims + ndim - a.ndim)
    return 0


cdef int run_broadcasting(int op, Array a, Array b, Array out) except -1:
    """Run a binary kernel on arrays of different shapes."""
    cdef Py_ssize_t[MAX_NDIM] a_dims, b_dims, out_dims
    cdef int status
    aligned_dims(a, out.ndim, a_dims)
    aligned_dims(b, out.ndim, b_dims)
    dims_of(out, out_dims)
    with nogil:
        status = run_broadcast(
            op, a.code, a.data, a_dims, b.data, b_dims, out.data, out_dims, out.ndim
        )
    if status:
        raise kernel_missing("binary", op, a.code)
    return 0


cdef Array binary(int op, Array a, Array b, Array out):
    cdef int status
    cdef bint same = same_shape(a, b)
    cdef tuple shape = a.shape if same else broadcast_shape(a, b)
    if a.code != b.code:
        raise DTypeError(
            f"operands have dtypes {NAMES[a.code]} and {NAMES[b.code]}: convert one with "
            "astype() first"
        )
    wait_read(a)
    wait_read(b)
    if out is None:
        out = new_array(shape, a.code, a.context)
    else:
        checked_out(out, shape, a.code, "binary")
        if not same and (out.buffer is a.buffer or out.buffer is b.buffer):
            a = independent(a, out)
            b = independent(b, out)
    if not same:
        run_broadcasting(op, a, b, out)
    else:
        if a.size < 16384:
            status = run_binary(op, a.code, a.data, b.data, out.data, a.size, 0)
        else:
            with nogil:
                status = run_binary(op, a.code, a.data, b.data, out.data, a.size, 0)
        if status:
            raise kernel_missing("binary", op, a.code)
    if is_recording() and (a.node is not None or b.node is not None):
        record_elementwise(binary_rules, op, None if same else (a.shape, b.shape), (a, b), out)
    return out


cdef Array independent(Array a, Array out):
    """`a`, or a copy of it where writing `out` in another order would destroy it."""
    if a.buffer is not out.buffer or (a.data == out.data and a.shape == out.shape):
        return a
    cdef Array copy = new_array(a.shape, a.code, a.context)
    run_unary(UNARY_identity, a.code, a.data, copy.data, a.size)
    copy.node = a.node
    copy.index = a.index
    return copy


cdef Array promoted(Array x):
    """A bool array becomes int64 in arithmetic with a number, as in MXNet."""
    cdef Array result = new_array(x.shape, I64, x.context)
    with nogil:
        run_cast(BOOL, I64, x.data, result.data, x.size)
    return result


cdef Array scalar(int op, Array x, object value, bint reverse, Array out):
    cdef int status
    cdef double real = 0
    cdef long long integer = 0
    wait_read(x)
    if x.code == BOOL:
        x = promoted(x)
    cdef bint exact = x.code == I64
    if exact:
        integer = <long long>int(value)
    else:
        real = value
    if out is None:
        out = new_array(x.shape, x.code, x.context)
    else:
        checked_out(out, x.shape, x.code, "scalar")
    if exact:
        with nogil:
            status = run_binary_scalar_i64(op, x.data, integer, out.data, x.size, reverse)
    elif x.size < 16384:
        status = run_binary_scalar(op, x.code, x.data, real, out.data, x.size, reverse)
    else:
        with nogil:
            status = run_binary_scalar(op, x.code, x.data, real, out.data, x.size, reverse)
    if status:
        raise kernel_missing("binary", op, x.code)
    if is_recording() and x.node is not None:
        record_elementwise(scalar_rules, 2 * op + reverse, value, (x,), out)
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
    memset(result.data, 0, result.size * itemsize_of(result.code))
    return result


cdef list graph_outputs(Node node):
    """The saved outputs; where the pass itself is recorded they lead back to `node`."""
    cdef list outputs = node.outputs
    cdef Array item
    if outputs is None or not is_recording():
        return outputs
    outputs = aliases(outputs)
    for position, item in enumerate(outputs):
        item.node = node
        item.index = position
    return outputs


@cython.final
cdef class ElementwiseRule(Rule):
    """The gradient of an elementwise kernel, written with operators by its declaration."""

    cdef object make                   # callable(state) -> declaration instance
    cdef bint has_shapes               # BINARY: state holds the shapes before broadcasting

    cdef object apply(self, Node node, list out_grads):
        cdef Array grad
        cdef list results = []
        cdef Py_ssize_t position
        prop = self.make(node.state)
        grads = prop.gradient(namespace, out_grads, node.inputs, graph_outputs(node))
        if not self.has_shapes or node.state is None:
            return grads
        for position in range(2):
            grad = grads[position]
            results.append(
                None if grad is None else namespace._unbroadcast(grad, node.state[position])
            )
        return results


def elementwise_handle(str kind, str kernel, entry, make, saves, bint broadcasts, bint reverse):
    """Return the `Handle` of an operator that is one elementwise kernel.

    Parameters
    ----------
    kind : {"unary", "binary", "scalar"}
    kernel : str
        Name in the kernel table.
    entry : object
        The registry's entry, which has `name`.
    make : callable
        From the scalar (or None) to the declaration whose `gradient` gives the rule.
    saves : collection of str
        Which of "inputs" and "outputs" the gradient reads.
    broadcasts, reverse : bool
        Binary: shapes may differ. Scalar: the scalar is the left operand.
    """
    cdef Handle handle = Handle(entry.name, entry, None)
    cdef ElementwiseRule rule = ElementwiseRule()
    codes = UNARY_CODES if kind == "unary" else BINARY_CODES
    handle.op = codes[kernel]
    handle.kind = {"unary": UNARY, "binary": BINARY, "scalar": SCALAR}[kind]
    handle.broadcasts = broadcasts
    handle.reverse = reverse
    rule.make = make
    rule.has_shapes = kind == "binary"
    rule.needs_inputs = "inputs" in saves
    rule.needs_outputs = "outputs" in saves
    if kind == "unary":
        unary_rules.setdefault(handle.op, rule)
    elif kind == "binary":
        binary_rules.setdefault(handle.op, rule)
    else:
        scalar_rules.setdefault(2 * handle.op + reverse, rule)
    return handle


# --- any operator --------------------------------------------------------------------------------

class DeferredArray:
    """Stands for a parameter whose shape is not known yet, in a call that will settle it.

    Parameters
    ----------
    shape : tuple of int
        0 where unknown.
    dtype_code : int
    complete : callable
        From the full shape to the initialised NDArray.
    """

    __slots__ = ("complete", "dtype_code", "shape")

    def __init__(self, shape, dtype_code, complete):
        self.shape = shape
        self.dtype_code = dtype_code
        self.complete = complete

    @property
    def dtype(self):
        """Element type, a NumPy scalar class."""
        return _dtypes.DTYPES[self.dtype_code]


@cython.final
cdef class Handle:
    """One operator name and its cached attribute values."""

    def __init__(self, str name, entry, bind):
        self.name = name
        self.entry = entry
        self.kind = GENERAL
        self.bind = bind
        self.bounds = {}

    def bound(self, attributes):
        """Return the `Bound` of these attribute values, made once for each."""
        return bound_of(self, attributes)


@cython.final
cdef class Bound:
    """An operator with parsed attributes and its cached plans."""

    def __init__(self, Handle handle, prop, int n_arguments, int n_auxiliary, make_plan):
        self.handle = handle
        self.prop = prop
        self.n_arguments = n_arguments
        self.n_auxiliary = n_auxiliary
        self.make_plan = make_plan
        self.plans = {}


@cython.final
cdef class Plan:
    """All that is known before an operator runs on arrays of given shapes and types."""

    def __init__(
        self, Bound bound, list in_shapes, list in_codes, list out_shapes, list out_codes,
        int n_visible, compute, bint zero_outputs, wrap_error, Rule rule,
    ):
        self.bound = bound
        self.in_shapes = in_shapes
        self.in_codes = in_codes
        self.out_shapes = out_shapes
        self.out_codes = out_codes
        self.n_visible = n_visible
        self.compute = compute
        self.zero_outputs = zero_outputs
        self.wrap_error = wrap_error
        self.rule = rule


cdef Bound bound_of(Handle handle, object attributes):
    """The cached `Bound`, or a new one; lists among the values are looked up as tuples."""
    cdef object found
    try:
        found = handle.bounds.get(attributes)
    except TypeError:
        attributes = tuple([
            tuple(value) if isinstance(value, list) else value for value in attributes
        ])
        try:
            found = handle.bounds.get(attributes)
        except TypeError:                                   # still unhashable: parse it each time
            return handle.bind(handle, attributes)
    if found is None:
        found = handle.bind(handle, attributes)
        if len(handle.bounds) >= MAX_BOUNDS:
            handle.bounds.clear()
        handle.bounds[attributes] = found
    return <Bound>found


cdef Plan plan_of(Bound bound, object context, list arrays):
    """The cached plan for the shapes and types of `arrays`, or a new one."""
    cdef list parts = [context]
    cdef Array item
    for item in arrays:
        parts.append(item.shape)
        parts.append(item.code)
    key = tuple(parts)
    found = bound.plans.get(key)
    if found is None:
        found = bound.make_plan(bound, context, parts[1::2], parts[2::2])
        if len(bound.plans) >= MAX_PLANS:
            bound.plans.clear()
        bound.plans[key] = found
    return <Plan>found


cdef list checked_inputs(Bound bound, inputs):
    """The inputs as a list of arrays of the right number; deferred ones are completed."""
    cdef int expected = bound.n_arguments + bound.n_auxiliary
    cdef int count = len(inputs)
    cdef list arrays
    cdef bint deferred = False
    while count > expected and inputs[count - 1] is None:
        count -= 1
    arrays = list(inputs[:count])
    for position, item in enumerate(arrays):
        if not isinstance(item, Array):
            if isinstance(item, DeferredArray):
                deferred = True
            elif item is None:
                count = position
                break
            else:
                names = input_names(bound)
                name = names[position] if position < len(names) else f"number {position}"
                raise TypeError(
                    f"operator '{bound.handle.name}': input '{name}' must be an NDArray, got "
                    f"{type(item).__name__}"
                )
    if count != expected:
        raise OpforgeError(
            f"Operator {bound.handle.name} expects {expected} inputs, but got {count} instead: "
            f"{', '.join(input_names(bound))}"
        )
    if deferred:
        complete_deferred(bound, arrays)
    return arrays


cdef list input_names(Bound bound):
    """Names of the arguments and auxiliary states."""
    return list(bound.prop.list_arguments()) + list(bound.prop.list_auxiliary_states())


cdef int complete_deferred(Bound bound, list arrays) except -1:
    """Infer all shapes from the known ones and initialise the parameters that waited for theirs."""
    codes = [item.dtype_code for item in arrays]
    context = _current_context()
    for item in arrays:
        if isinstance(item, Array):
            context = item.context
            break
    cdef Plan plan = bound.make_plan(bound, context, [item.shape for item in arrays], codes)
    for position, item in enumerate(arrays):
        if isinstance(item, DeferredArray):
            arrays[position] = item.complete(plan.in_shapes[position])
    return 0


cdef list prepared_outputs(Plan plan, object context, object out):
    """Fresh outputs, or the caller's after a check."""
    cdef list outs = []
    cdef Py_ssize_t position
    cdef list given = [] if out is None else (list(out) if isinstance(out, (list, tuple)) else [out])
    cdef Array item
    if out is not None and len(given) not in (plan.n_visible, len(plan.out_shapes)):
        raise ValueError(
            f"operator '{plan.bound.handle.name}' has {plan.n_visible} outputs, out has {len(given)}"
        )
    for position in range(len(plan.out_shapes)):
        if position < len(given):
            if not isinstance(given[position], Array):
                raise TypeError(f"out must be an NDArray, got {type(given[position]).__name__}")
            item = checked_out(
                given[position], plan.out_shapes[position], plan.out_codes[position],
                plan.bound.handle.name,
            )
        elif plan.zero_outputs:
            item = zeros_of((plan.out_shapes[position], plan.out_codes[position], context))
        else:
            item = new_array(plan.out_shapes[position], plan.out_codes[position], context)
        outs.append(item)
    return outs


cdef list aliases(list arrays):
    """The same arrays without their history, for code that may record on its own account."""
    cdef list result = []
    cdef Array item
    for item in arrays:
        result.append(alias(item))
    return result


cdef object operator_of(Plan plan, object context):
    """A fresh operator object; the plan's own where one may serve all calls."""
    if plan.operator is not None:
        return plan.operator
    prop = plan.bound.prop
    operator = prop.create_operator(
        context, [list(shape) for shape in plan.in_shapes], list(plan.in_codes)
    )
    if getattr(prop, "stateless", False):
        plan.operator = operator
    return operator


cdef object run_forward(Plan plan, object context, list arguments, list aux, list outs, bint train):
    """Run the operator with recording off; returns the operator object or None."""
    cdef object operator = None
    cdef list req = ["write"] * len(outs)
    cdef bint was_recording = swap_recording(False)
    cdef bint was_training = swap_training(train)
    cdef str stage = "forward"
    cdef object scope = None
    if context != _current_context():
        scope = context
        scope.__enter__()
    try:
        if plan.compute is not None:
            plan.compute(arguments, outs, req, int(train))
        else:
            stage = "create_operator"
            operator = operator_of(plan, context)
            stage = "forward"
            operator.forward(
                is_train=int(train), req=req, in_data=aliases(arguments), out_data=aliases(outs),
                aux=aliases(aux),
            )
    except Exception as error:
        wrapped = plan.wrap_error(plan, stage, error)
        if wrapped is error:
            raise
        raise wrapped from error
    finally:
        swap_recording(was_recording)
        swap_training(was_training)
        if scope is not None:
            scope.__exit__()
    return operator


cdef object invoke_general(Handle handle, object inputs, object attributes, object out):
    """Call an operator that is not one elementwise kernel."""
    cdef Bound bound = bound_of(handle, attributes)
    cdef list arrays = checked_inputs(bound, inputs)
    cdef object context = (<Array>arrays[0]).context if arrays else _current_context()
    cdef Array item
    for item in arrays:
        wait_read(item)
    cdef Plan plan = plan_of(bound, context, arrays)
    cdef list outs = prepared_outputs(plan, context, out)
    cdef list aux = arrays[bound.n_arguments:] if bound.n_auxiliary else []
    cdef list arguments = arrays[:bound.n_arguments] if bound.n_auxiliary else arrays
    operator = run_forward(plan, context, arguments, aux, outs, is_training())
    if is_recording() and plan.rule is not None:
        record(plan.rule, (plan, operator, aux), tuple(arguments), outs)
    if plan.n_visible == 1:
        return outs[0]
    return outs[:plan.n_visible]


@cython.final
cdef class GradientRule(Rule):
    """The gradient as the declaration's composition of operators."""

    def __init__(self, bint needs_inputs, bint needs_outputs):
        self.needs_inputs = needs_inputs
        self.needs_outputs = needs_outputs

    cdef object apply(self, Node node, list out_grads):
        cdef Plan plan = node.state[0]
        try:
            return plan.bound.prop.gradient(
                namespace, out_grads, node.inputs, graph_outputs(node)
            )
        except Exception as error:
            wrapped = plan.wrap_error(plan, "gradient", error)
            if wrapped is error:
                raise
            raise wrapped from error


@cython.final
cdef class OperatorRule(Rule):
    """The gradient as the `backward` of the operator object that ran forward."""

    cdef tuple reads                   # (out_grad, in_data, out_data): bools, which are declared
    cdef bint zero_grads               # hand zeroed gradients to code that may not write them

    def __init__(self, reads, zero_grads):
        self.reads = reads
        self.zero_grads = zero_grads
        self.needs_inputs = True
        self.needs_outputs = any(reads[2])

    cdef object apply(self, Node node, list out_grads):
        cdef Plan plan
        cdef list in_grad = [], req = []
        cdef Array source, target
        cdef Py_ssize_t position
        plan, operator, aux = node.state
        if is_recording():
            raise OpforgeError(
                f"operator '{plan.bound.handle.name}' has a backward() of its own, so its gradient "
                "cannot be differentiated again; give it a gradient() made of operators"
            )
        for position in range(len(node.inputs)):
            source = node.inputs[position]
            target = direct_target(node, position)
            req.append(request_of(node.parents[position], target is not None))
            if target is None and self.zero_grads:
                target = zeros_of((source.shape, source.code, source.context))
            elif target is None:
                target = new_array(source.shape, source.code, source.context)
            in_grad.append(target)
        self.run(plan, operator, aux, node, out_grads, in_grad, req)
        return [grad if wanted != "null" else None for grad, wanted in zip(in_grad, req)]

    cdef int run(
        self, Plan plan, object operator, list aux, Node node, list out_grads, list in_grad,
        list req,
    ) except -1:
        """Call the author's backward with recording off."""
        cdef bint was_recording = swap_recording(False)
        try:
            operator.backward(
                req=req,
                out_grad=declared(out_grads, self.reads[0]),
                in_data=declared(node.inputs, self.reads[1]),
                out_data=declared(node.outputs, self.reads[2], len(plan.out_shapes)),
                in_grad=in_grad,
                aux=aliases(aux),
            )
        except Exception as error:
            wrapped = plan.wrap_error(plan, "backward", error)
            if wrapped is error:
                raise
            raise wrapped from error
        finally:
            swap_recording(was_recording)
        return 0


cdef str request_of(object parent, bint direct):
    """What the author's backward is asked to do with one input's gradient."""
    if parent is None:
        return "null"
    return "add" if direct and (<Leaf>parent).req == REQ_ADD else "write"


cdef list declared(arrays, reads, int count=-1):
    """Aliases of the declared arrays; an array of shape (0,) where one was not declared."""
    cdef list result = []
    cdef Array item
    if arrays is None:
        return [new_array((0,), F32, _current_context()) for _ in range(count)]
    for item, read in zip(arrays, reads):
        result.append(alias(item) if read else new_array((0,), item.code, item.context))
    return result


def invoke(Handle handle, inputs, attributes, out=None):
    """Call the operator of `handle`.

    Parameters
    ----------
    handle : Handle
    inputs : sequence of NDArray
        In the order of the arguments, then auxiliary states; trailing None are left out.
    attributes : tuple
        Attribute values in declared order.
    out : NDArray or list of NDArray, optional

    Returns
    -------
    NDArray or list of NDArray
    """
    cdef object first, second
    if handle.kind == GENERAL:
        return invoke_general(handle, inputs, attributes, out)
    first = inputs[0] if inputs else None
    if not isinstance(first, Array):
        raise bad_input(handle, first)
    if out is not None and not isinstance(out, Array):
        raise TypeError(f"operator '{handle.name}': out must be an NDArray, got {out!r:.60}")
    if handle.kind == UNARY:
        return unary(handle.op, <Array>first, <Array>out)
    if handle.kind == SCALAR:
        return scalar(handle.op, <Array>first, number(handle, attributes[0]), handle.reverse, <Array>out)
    second = inputs[1] if len(inputs) > 1 else None
    if not isinstance(second, Array):
        raise bad_input(handle, second)
    if not handle.broadcasts and (<Array>first).shape != (<Array>second).shape:
        raise ShapeError(
            f"operator '{handle.name}': inputs have shapes {first.shape} and {second.shape}, which "
            "must be equal; the broadcast_ operators accept different ones"
        )
    return binary(handle.op, <Array>first, <Array>second, <Array>out)


cdef object number(Handle handle, object value):
    """A scalar attribute as a Python number; strings are accepted."""
    if isinstance(value, str):
        value = float(value)
    if not hasattr(value, "__float__"):
        raise TypeError(f"operator '{handle.name}': scalar must be a number, got {value!r:.60}")
    return value


cdef object bad_input(Handle handle, object item):
    """The error for an input that is no array."""
    if item is None:
        return OpforgeError(f"Operator {handle.name} is called without one of its inputs")
    if isinstance(item, DeferredArray):
        return ShapeError(
            f"operator '{handle.name}' cannot infer the shape of a parameter from its other "
            f"inputs: it is {item.shape}; give the parameter a full shape"
        )
    return TypeError(
        f"operator '{handle.name}': Argument data must have NDArray type, but got {item!r:.60}"
    )
