"""Inference by a plugin's C functions: `infer`, from inputs to outputs, and `complete`, in all directions.

The results are checked here. Shapes are sequences of int, empty or None if unknown; types are codes, -1 or
None if unknown.
"""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free
from opforge.abi cimport (
    OPFORGE_MAX_NDIM, OPFORGE_UNKNOWN, opforge_dtype_bits, opforge_dtype_code, opforge_dtype_lanes,
    opforge_function, opforge_tensor,
)

from opforge.native.abi.dtypes cimport code_of, dtype_of
from opforge.native.abi.frame cimport Frame, close_frame
from opforge.native.abi.instance cimport ForeignInstance, raise_status

from opforge.base import dtypes as _dtypes
from opforge.base.errors import DTypeError, OutOfMemoryError, PluginError, ShapeError

__all__ = ["complete_shapes", "complete_types", "infer_shapes", "infer_types"]

cdef tuple NAMES = _dtypes.NAMES
cdef tuple ROLES = ("input", "output", "auxiliary state")


def infer_shapes(ForeignInstance instance not None, shapes, Py_ssize_t n_outputs):
    """Call `infer` for the shapes of the outputs.

    Parameters
    ----------
    instance : ForeignInstance
    shapes : sequence of sequence of int
        Shapes of the inputs, all known.
    n_outputs : int

    Returns
    -------
    list of list of int or None
    """
    return infer(instance, shapes, n_outputs, True)


def infer_types(ForeignInstance instance not None, codes, Py_ssize_t n_outputs):
    """Call `infer` for the types of the outputs; see `infer_shapes`."""
    return infer(instance, codes, n_outputs, False)


def complete_shapes(ForeignInstance instance not None, inputs, outputs, states):
    """Call `complete` with the known shapes of inputs, outputs and states.

    Returns
    -------
    tuple of three lists
        The shapes, with those that the plugin could infer.
    """
    return call_function(instance, instance.operator.table.complete, (inputs, outputs, states), True)


def complete_types(ForeignInstance instance not None, inputs, outputs, states):
    """Call `complete` with the known types; see `complete_shapes`."""
    return call_function(instance, instance.operator.table.complete, (inputs, outputs, states), False)


cdef object infer(ForeignInstance instance, known, Py_ssize_t n_outputs, bint of_shapes):
    if n_outputs < 0:
        raise PluginError(f"{instance.operator!r}: n_outputs is {n_outputs}, expected 0 or more")
    return call_function(instance, instance.operator.table.infer, (known, [None] * n_outputs, ()), of_shapes)[1]


cdef tuple call_function(ForeignInstance instance, opforge_function function, tuple groups, bint of_shapes):
    """Call an inference function with the known shapes or types; return the completed ones."""
    cdef Frame frame
    cdef int32_t status
    cdef list flat = [known for group in groups for known in group]
    cdef Py_ssize_t position, count = len(flat)
    if not instance.created or function == NULL:
        raise PluginError(f"{instance.operator!r} does not provide this inference function")
    cdef opforge_tensor* tensors = <opforge_tensor*>calloc(
        max(count, 1), sizeof(opforge_tensor) + OPFORGE_MAX_NDIM * sizeof(int64_t)
    )
    cdef int64_t* dims = <int64_t*>(tensors + count)
    if tensors == NULL:
        raise OutOfMemoryError("cannot allocate memory for the inference of a native operator")
    try:
        for position in range(count):
            tensors[position].device = instance.device
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
        return read_results(tensors, dims, groups, of_shapes)
    finally:
        free(tensors)


cdef int describe(opforge_tensor* tensor, known, bint of_shapes) except -1:
    """Fill in the known shape or type of one array."""
    cdef Py_ssize_t axis
    tensor.ndim = tensor.dtype = OPFORGE_UNKNOWN
    if not of_shapes:
        tensor.dtype = OPFORGE_UNKNOWN if known is None or known < 0 else dtype_of(known)
    elif known:
        if len(known) > OPFORGE_MAX_NDIM:
            raise ShapeError(
                f"an array has {len(known)} dimensions, expected at most {OPFORGE_MAX_NDIM}"
            )
        tensor.ndim = len(known)
        for axis in range(tensor.ndim):
            tensor.shape[axis] = known[axis]
    return 0


cdef tuple read_results(opforge_tensor* tensors, int64_t* dims, tuple groups, bint of_shapes):
    """Return the shapes or types that the function left in the descriptions, checked."""
    cdef list results = []
    cdef Py_ssize_t index = 0
    for role, group in zip(ROLES, groups):
        row = []
        for position in range(len(group)):
            name = f"{role} {position}"
            row.append(
                result_shape(&tensors[index], dims + index * OPFORGE_MAX_NDIM, name) if of_shapes
                else result_type(&tensors[index], name)
            )
            index += 1
        results.append(row)
    return tuple(results)


cdef object result_shape(opforge_tensor* tensor, int64_t* original, str name):
    """Return the inferred shape of an array, or None if unknown."""
    if tensor.shape != original:
        raise ShapeError(
            f"infer replaced the shape pointer of {name}; copy the dimensions to the memory that it "
            "points to"
        )
    if not -1 <= tensor.ndim <= OPFORGE_MAX_NDIM:
        raise ShapeError(
            f"infer returned {tensor.ndim} dimensions for {name}, expected 0 to {OPFORGE_MAX_NDIM}, or "
            "-1 for unknown"
        )
    if tensor.ndim == -1:
        return None
    return [original[axis] for axis in range(tensor.ndim)]


cdef object result_type(opforge_tensor* tensor, str name):
    """Return the code of the inferred type of an array, or None if unknown."""
    cdef int code = code_of(tensor.dtype)
    if tensor.dtype == OPFORGE_UNKNOWN:
        return None
    if code < 0:
        raise DTypeError(
            f"infer returned a type with DLPack's code {opforge_dtype_code(tensor.dtype)}, "
            f"{opforge_dtype_bits(tensor.dtype)} bits and {opforge_dtype_lanes(tensor.dtype)} lanes for "
            f"{name}, expected {', '.join(NAMES)} or OPFORGE_UNKNOWN"
        )
    return code
