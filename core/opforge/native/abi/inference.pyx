"""Inference by a plugin's C functions: `infer`, from inputs to outputs, and `complete`, all ways.

What they answer is checked here. Shapes are sequences of int, empty or None where unknown; types are
codes, -1 or None where unknown.
"""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free
from opforge.abi cimport OPFORGE_MAX_NDIM, OPFORGE_UNKNOWN, opforge_function, opforge_tensor

from opforge.native.abi.instance cimport ForeignInstance, raise_status
from opforge.native.abi.frame cimport Frame, close_frame
from opforge.native.memory.types cimport N_DTYPES

from opforge.base import dtypes as _dtypes
from opforge.base.errors import DTypeError, OutOfMemoryError, PluginError, ShapeError

__all__ = ["complete_shapes", "complete_types", "infer_shapes", "infer_types"]

cdef tuple NAMES = _dtypes.NAMES
cdef tuple ROLES = ("input", "output", "auxiliary state")


def infer_shapes(ForeignInstance instance not None, shapes, Py_ssize_t n_outputs):
    """Ask `infer` for the outputs' shapes, of which there are `n_outputs`.

    Parameters
    ----------
    instance : ForeignInstance
    shapes : sequence of sequence of int
        Of the inputs; all known.
    n_outputs : int

    Returns
    -------
    list of list of int or None
    """
    return infer(instance, shapes, n_outputs, True)


def infer_types(ForeignInstance instance not None, codes, Py_ssize_t n_outputs):
    """Ask `infer` for the outputs' types; see `infer_shapes`."""
    return infer(instance, codes, n_outputs, False)


def complete_shapes(ForeignInstance instance not None, inputs, outputs, states):
    """Ask `complete` for shapes: those of inputs, outputs and states, each as far as it is known.

    Returns
    -------
    tuple of three lists
        The same, with what the plugin knows to add.
    """
    return ask(instance, instance.operator.table.complete, (inputs, outputs, states), True)


def complete_types(ForeignInstance instance not None, inputs, outputs, states):
    """Ask `complete` for types; see `complete_shapes`."""
    return ask(instance, instance.operator.table.complete, (inputs, outputs, states), False)


cdef object infer(ForeignInstance instance, known, Py_ssize_t n_outputs, bint of_shapes):
    if n_outputs < 0:
        raise PluginError(f"{instance.operator!r} cannot have {n_outputs} outputs")
    return ask(instance, instance.operator.table.infer, (known, [None] * n_outputs, ()), of_shapes)[1]


cdef tuple ask(ForeignInstance instance, opforge_function function, tuple groups, bint of_shapes):
    """Call a function with what is known of inputs, outputs and states; return what is known then."""
    cdef Frame frame
    cdef int32_t status
    cdef list flat = [known for group in groups for known in group]
    cdef Py_ssize_t position, count = len(flat)
    if not instance.created or function == NULL:
        raise PluginError(f"{instance.operator!r} has no such function")
    cdef opforge_tensor* tensors = <opforge_tensor*>calloc(
        max(count, 1), sizeof(opforge_tensor) + OPFORGE_MAX_NDIM * sizeof(int64_t)
    )
    cdef int64_t* dims = <int64_t*>(tensors + count)
    if tensors == NULL:
        raise OutOfMemoryError("no memory for the inference of a native operator")
    try:
        for position in range(count):
            tensors[position].shape = dims + position * OPFORGE_MAX_NDIM
            describe(&tensors[position], flat[position], of_shapes)
        instance.begin(&frame)
        frame.call.inputs = frame.call.arguments = tensors
        frame.call.outputs = tensors + <Py_ssize_t>len(groups[0])
        frame.call.states = frame.call.outputs + <Py_ssize_t>len(groups[1])
        frame.call.n_inputs, frame.call.n_outputs, frame.call.n_states = map(len, groups)
        with nogil:
            status = function(&frame.call)
            close_frame(&frame)
        if status:
            raise_status(instance.operator, status, &frame)
        return answers(tensors, dims, groups, of_shapes)
    finally:
        free(tensors)


cdef int describe(opforge_tensor* tensor, known, bint of_shapes) except -1:
    """Fill in what is known of one array."""
    cdef Py_ssize_t axis
    tensor.ndim = tensor.dtype = OPFORGE_UNKNOWN
    if not of_shapes:
        tensor.dtype = OPFORGE_UNKNOWN if known is None else known
    elif known:
        if len(known) > OPFORGE_MAX_NDIM:
            raise ShapeError(
                f"an array has {len(known)} dimensions, expected at most {OPFORGE_MAX_NDIM}"
            )
        tensor.ndim = len(known)
        for axis in range(tensor.ndim):
            tensor.shape[axis] = known[axis]
    return 0


cdef tuple answers(opforge_tensor* tensors, int64_t* dims, tuple groups, bint of_shapes):
    """What the function left in the arrays' descriptions, checked."""
    cdef list found = []
    cdef Py_ssize_t at = 0
    for role, group in zip(ROLES, groups):
        row = []
        for position in range(len(group)):
            name = f"{role} {position}"
            row.append(
                answered_shape(&tensors[at], dims + at * OPFORGE_MAX_NDIM, name) if of_shapes
                else answered_type(&tensors[at], name)
            )
            at += 1
        found.append(row)
    return tuple(found)


cdef object answered_shape(opforge_tensor* tensor, int64_t* own, str name):
    """The shape that an array was given, None where it was left unknown."""
    if tensor.shape != own:
        raise ShapeError(
            f"its infer replaced the shape pointer of {name}; copy the dimensions into the array "
            "that it points to"
        )
    if not -1 <= tensor.ndim <= OPFORGE_MAX_NDIM:
        raise ShapeError(
            f"its infer gave {name} {tensor.ndim} dimensions, expected 0 to {OPFORGE_MAX_NDIM}, or "
            "-1 for unknown"
        )
    if tensor.ndim == -1:
        return None
    return [own[axis] for axis in range(tensor.ndim)]


cdef object answered_type(opforge_tensor* tensor, str name):
    """The type that an array was given, None where it was left unknown."""
    if not -1 <= tensor.dtype < N_DTYPES:
        raise DTypeError(
            f"its infer gave {name} the type {tensor.dtype}, expected "
            f"{', '.join([f'{code} ({known})' for code, known in enumerate(NAMES)])}, or -1 for "
            "unknown"
        )
    return None if tensor.dtype == -1 else tensor.dtype
