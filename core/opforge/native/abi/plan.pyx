"""What a native operator plans for one combination of shapes and types, kept as long as it is used.

The plugin's `plan` is called once for it, and `unplan` when nobody has it any more. Views of the
arrays are made once too: a call copies them and puts the data in.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free
from opforge.abi cimport (
    OPFORGE_BACKWARD, OPFORGE_FORWARD, opforge_call, opforge_tensor,
)

from opforge.native.abi.instance cimport ForeignInstance, raise_status
from opforge.native.abi.frame cimport Frame, close_frame
from opforge.native.calls.epilogue cimport Epilogue
from opforge.native.memory.types cimport itemsize_of
from opforge.native.threads.parallel cimport num_threads

from opforge.base.errors import NativeError, OutOfMemoryError

cdef Py_ssize_t MOST_WORKSPACE = <Py_ssize_t>1 << 46


@cython.final
@cython.no_gc_clear                    # `unplan` needs the operator
cdef class ForeignPlan:
    """A plan of a plugin; made by the computations that call its functions."""

    def __dealloc__(self):
        cdef Frame frame
        if self.planned and self.instance.operator.table.unplan != NULL:
            self.instance.begin(&frame)
            frame.call.plan = self.plan
            with nogil:
                self.instance.operator.table.unplan(&frame.call)
                close_frame(&frame)
        free(self.tensors)


cdef ForeignPlan new_plan(
    ForeignInstance instance, Counts counts, list shapes, list codes, list wanted, Epilogue epilogue
):
    cdef ForeignPlan made = ForeignPlan.__new__(ForeignPlan)
    made.instance, made.counts = instance, counts
    made.shapes, made.codes, made.wanted = shapes, codes, wanted
    made.threads = num_threads()
    describe_arrays(made)
    if instance.operator.table.plan != NULL:
        ask(made, epilogue)
    return made


cdef int describe_arrays(ForeignPlan made) except -1:
    """Make the views; one block has them, their dimensions, and what is wanted."""
    cdef Counts counts = made.counts
    cdef list order = list(range(counts.inputs + counts.outputs + counts.states))
    cdef Py_ssize_t words = 0, position, axis, stride, source
    cdef int64_t* dims
    if made.wanted is not None:
        order += order[counts.inputs : counts.inputs + counts.outputs] + order[:counts.inputs]
    made.n_tensors = len(order)
    for source in order:
        words += 2 * len(made.shapes[source])
    made.tensors = <opforge_tensor*>calloc(
        1, max(made.n_tensors, 1) * sizeof(opforge_tensor) + (words + counts.inputs) * sizeof(int64_t)
    )
    if made.tensors == NULL:
        raise OutOfMemoryError("no memory for the views of a native operator's arrays")
    dims = <int64_t*>(made.tensors + made.n_tensors)
    for position, source in enumerate(order):
        shape = made.shapes[source]
        made.tensors[position].ndim = len(shape)
        made.tensors[position].dtype = made.codes[source]
        made.tensors[position].shape = dims
        made.tensors[position].strides = dims + <Py_ssize_t>len(shape)
        stride = itemsize_of(made.codes[source])
        for axis in range(len(shape) - 1, -1, -1):
            dims[axis] = shape[axis]
            dims[<Py_ssize_t>len(shape) + axis] = stride
            stride *= dims[axis]
        made.tensors[position].byte_size = stride
        dims += 2 * <Py_ssize_t>len(shape)
    if made.wanted is not None:
        made.wants = <int32_t*>dims
        for position in range(counts.inputs):
            made.wants[position] = <bint>made.wanted[position]
    return 0


cdef int ask(ForeignPlan made, Epilogue epilogue) except -1:
    """Call the plugin's `plan`."""
    cdef Frame frame
    cdef int32_t status
    made.instance.begin(&frame)
    describe_call(made, &frame.call, made.tensors)
    if epilogue is not None:
        frame.call.epilogue, frame.call.n_epilogue = epilogue.steps, epilogue.n_steps
    with nogil:
        status = made.instance.operator.table.plan(&frame.call)
        close_frame(&frame)
    if status:
        raise_status(made.instance.operator, status, &frame)
    made.plan, made.planned = frame.call.plan, True
    if not 0 <= frame.call.workspace_bytes <= MOST_WORKSPACE:
        raise NativeError(
            f"its plan asks for a workspace of {frame.call.workspace_bytes} bytes, expected 0 to "
            f"{MOST_WORKSPACE}"
        )
    made.workspace_bytes = frame.call.workspace_bytes
    return 0


cdef void describe_call(ForeignPlan plan, opforge_call* call, opforge_tensor* tensors) noexcept:
    cdef Counts counts = plan.counts
    call.plan = plan.plan
    call.n_inputs, call.n_outputs, call.n_states = counts.inputs, counts.outputs, counts.states
    call.inputs = tensors
    call.outputs = tensors + counts.inputs
    if counts.states:
        call.states = call.outputs + counts.outputs
    call.stage = OPFORGE_FORWARD if plan.wanted is None else OPFORGE_BACKWARD
    if plan.wanted is not None:
        call.wanted = plan.wants
        call.out_grads = call.outputs + counts.outputs + counts.states
        call.in_grads = tensors + counts.inputs + 2 * counts.outputs + counts.states
