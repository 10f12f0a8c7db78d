"""The caches of dispatch: operator handles, bound attributes, and plans for shapes and types."""

cimport cython

from opforge.native.array.array cimport Array
from opforge.native.calls.computation cimport Computation, Types
from opforge.native.loops.elementwise cimport BINARY_CODES, UNARY_CODES
from opforge.native.dispatch.elementwise cimport BINARY, GENERAL, SCALAR, UNARY, set_rule
from opforge.native.dispatch.tape cimport Rule
from opforge.native.threads.spans cimport site_of

cdef enum:
    MAX_BOUNDS = 512                   # cached attribute values per operator
    MAX_PLANS = 1024                   # cached shapes per attribute values


@cython.final
cdef class Handle:
    """One operator name and its cached attribute values."""

    def __init__(self, str name, entry, bind):
        self.name = name
        self.entry = entry
        self.kind = GENERAL
        self.bind = bind
        self.bounds = {}
        self.site = site_of("operator", name)
        self.backward_site = site_of("operator", "_backward_" + name.lstrip("_"))

    def bound(self, attributes):
        """Return the cached or new `Bound` of these attribute values."""
        return bound_of(self, attributes)


@cython.final
cdef class Bound:
    """An operator with parsed attributes and its cached plans."""

    def __init__(
        self, Handle handle, prop, tuple names, make_plan, wrap_error, tuple type_masks=None,
        check_types=None,
    ):
        self.handle = handle
        self.prop = prop
        self.names = names
        self.n_arguments = len(names[0])
        self.n_auxiliary = len(names[2])
        self.make_plan = make_plan
        self.wrap_error = wrap_error
        self.compose = getattr(prop, "compose", None)
        self.n_outputs = len(names[1]) if self.compose is not None else 0
        self.type_masks = type_masks
        self.check_types = check_types
        self.plans = {}


@cython.final
cdef class Plan(Types):
    """Everything that is fixed before an operator runs on arrays of given shapes and types."""

    def __init__(
        self, Bound bound, list in_shapes, list in_codes, list out_shapes, list out_codes,
        int n_visible, object context, compute, bint zero_outputs, Rule rule,
    ):
        self.bound = bound
        self.in_shapes = in_shapes
        self.in_codes = in_codes
        self.out_shapes = out_shapes
        self.out_codes = out_codes
        self.n_visible = n_visible
        self.context = context
        self.compute = compute
        self.computation = compute if isinstance(compute, Computation) else None
        self.zero_outputs = zero_outputs
        self.rule = rule

    @property
    def is_native(self):
        """True if a call runs a computation without Python code."""
        return self.computation is not None


cdef Bound bound_of(Handle handle, object attributes):
    """Return the cached `Bound`, or a new one; lists among the values are looked up as tuples."""
    cdef object found
    try:
        found = handle.bounds.get(attributes)
    except TypeError:
        attributes = tuple([
            tuple(value) if isinstance(value, list) else value for value in attributes
        ])
        try:
            found = handle.bounds.get(attributes)
        except TypeError:                                   # still unhashable: parse it on every call
            return bind(handle, attributes)
    if found is None:
        found = bind(handle, attributes)
        if len(handle.bounds) >= MAX_BOUNDS:
            forget_bounds(handle)
        handle.bounds[attributes] = found
    return <Bound>found


cdef Bound bind(Handle handle, object attributes):
    """Return a new `Bound` with its attribute values."""
    cdef Bound bound = <Bound?>handle.bind(handle, attributes)
    bound.attributes = attributes
    return bound


cdef int forget_bounds(Handle handle) except -1:
    """Drop the cached `Bound`s and break the reference cycles between plans and bounds."""
    cdef Bound bound
    for bound in handle.bounds.values():
        bound.plans.clear()
        bound.last = None
    handle.bounds.clear()
    return 0


cdef Plan plan_of(Bound bound, object context, list arrays):
    """Return the cached plan for the shapes and types of `arrays`, or a new one."""
    # The device as two ints, which hash without a call into Python.
    cdef list parts = [context.device_typeid, context.device_id]
    cdef Array item
    for item in arrays:
        parts.append(item.shape)
        parts.append(item.code)
    bound.last = cached_plan(bound, context, parts)
    return bound.last


cdef Plan cached_plan(Bound bound, object context, list parts):
    """Return the plan for a key: the device, then a shape and a type for each input."""
    key = tuple(parts)
    found = bound.plans.get(key)
    if found is None:
        found = bound.make_plan(bound, context, parts[2::2], parts[3::2])
        if len(bound.plans) >= MAX_PLANS:
            bound.plans.clear()
        bound.plans[key] = found
    return <Plan>found


def plan_for(Bound bound not None, context, types):
    """Return the plan for inputs of given types, as dispatch caches it.

    Parameters
    ----------
    bound : Bound
    context : Context
    types : sequence of (shape, type code)
        One for each input.
    """
    cdef list parts = [context.device_typeid, context.device_id]
    for shape, code in types:
        parts.append(shape)
        parts.append(code)
    return cached_plan(bound, context, parts)


cdef Plan last_plan(Bound bound, object inputs):
    """Return the plan of the last call if `inputs` have its shapes, types and device, else None."""
    cdef Plan plan = bound.last
    cdef Py_ssize_t position, count
    cdef object item
    cdef Array array
    if plan is None or type(inputs) is not tuple or len(inputs) < len(plan.in_shapes):
        return None
    count = len(plan.in_shapes)
    for position in range(count):
        item = (<tuple>inputs)[position]
        if not isinstance(item, Array):
            return None
        array = <Array>item
        if array.code != <int>plan.in_codes[position] or array.context is not plan.context:
            return None
        shape = plan.in_shapes[position]
        if array.shape is not shape and array.shape != shape:
            return None
    for position in range(count, len(inputs)):
        if (<tuple>inputs)[position] is not None:
            return None
    return plan


def elementwise_handle(
    str kind, str kernel, entry, bind, make, saves, bint broadcasts, bint reverse
):
    """Return the `Handle` of an operator that consists of one elementwise kernel.

    Parameters
    ----------
    kind : {"unary", "binary", "scalar"}
    kernel : str
        Name in the kernel table.
    entry : object
        The registry's entry; has an attribute `name`.
    bind : callable
        Returns its `Bound`, with which it is called on other devices than the CPU.
    make : callable
        Called with the scalar (or None); returns the declaration whose `gradient` is the rule.
    saves : collection of str
        Which of "inputs" and "outputs" the gradient reads.
    broadcasts, reverse : bool
        Binary: shapes may differ. Scalar: the scalar is the left operand.
    """
    cdef Handle handle = Handle(entry.name, entry, bind)
    kinds = {"unary": UNARY, "binary": BINARY, "scalar": SCALAR}
    codes = UNARY_CODES if kind == "unary" else BINARY_CODES
    if kind not in kinds or kernel not in codes:
        raise ValueError(
            f"operator '{entry.name}': elementwise_kernel = {(kind, kernel)!r} names no kernel; the kinds are "
            f"{', '.join(kinds)}, the kernels of this kind {', '.join(sorted(codes))}"
        )
    handle.op = codes[kernel]
    handle.kind = kinds[kind]
    handle.broadcasts = broadcasts
    handle.reverse = reverse
    set_rule(
        handle.kind, handle.op, reverse, make, saves, broadcasts, handle.site, handle.backward_site
    )
    return handle
