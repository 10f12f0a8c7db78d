"""scaled_tanh: tanh(scale * x) in Cython, for float32 and float64."""

from cpython.pycapsule cimport PyCapsule_New
from libc.math cimport tanh
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset
from opforge.abi cimport (
    OPFORGE_ABI_MAJOR, OPFORGE_FLOAT32, OPFORGE_LIBRARY, OPFORGE_OK, OPFORGE_TARGET_MINOR, opforge_call,
    opforge_count, opforge_library, opforge_like, opforge_operator, opforge_range,
)

cdef enum:
    GRAIN = 128                        # elements that take one thread about 5 microseconds

ctypedef fused floating:
    float
    double

cdef struct Pass:                      # arguments of a loop, which threads may run in parts
    const void* x
    const void* grad                   # gradient of the output; NULL in forward
    void* result
    double scale


cdef inline void forward_part(floating* y, const Pass* p, int64_t begin, int64_t end) noexcept nogil:
    cdef int64_t i
    for i in range(begin, end):
        y[i] = <floating>tanh(p.scale * (<const floating*>p.x)[i])


cdef inline void backward_part(floating* dx, const Pass* p, int64_t begin, int64_t end) noexcept nogil:
    cdef int64_t i
    cdef double y
    for i in range(begin, end):
        y = tanh(p.scale * (<const floating*>p.x)[i])
        dx[i] = <floating>((<const floating*>p.grad)[i] * p.scale * (1 - y * y))


cdef void forward_f32(void* argument, int64_t begin, int64_t end) noexcept nogil:
    forward_part(<float*>(<Pass*>argument).result, <Pass*>argument, begin, end)


cdef void forward_f64(void* argument, int64_t begin, int64_t end) noexcept nogil:
    forward_part(<double*>(<Pass*>argument).result, <Pass*>argument, begin, end)


cdef void backward_f32(void* argument, int64_t begin, int64_t end) noexcept nogil:
    backward_part(<float*>(<Pass*>argument).result, <Pass*>argument, begin, end)


cdef void backward_f64(void* argument, int64_t begin, int64_t end) noexcept nogil:
    backward_part(<double*>(<Pass*>argument).result, <Pass*>argument, begin, end)


cdef int32_t run(opforge_call* call, Pass* p, opforge_range f32, opforge_range f64) noexcept nogil:
    p.x = call.inputs[0].data
    p.scale = call.attributes[0].number
    call.host.parallel_for(
        call, opforge_count(&call.inputs[0]), GRAIN,
        f32 if call.inputs[0].dtype == OPFORGE_FLOAT32 else f64, p,
    )
    return OPFORGE_OK


cdef int32_t infer(opforge_call* call) noexcept nogil:
    opforge_like(&call.outputs[0], &call.inputs[0])
    return OPFORGE_OK


cdef int32_t forward(opforge_call* call) noexcept nogil:
    cdef Pass p
    p.grad, p.result = NULL, call.outputs[0].data
    return run(call, &p, forward_f32, forward_f64)


cdef int32_t backward(opforge_call* call) noexcept nogil:
    cdef Pass p
    p.grad, p.result = call.out_grads[0].data, call.in_grads[0].data
    return run(call, &p, backward_f32, backward_f64)


cdef opforge_operator scaled_tanh
memset(&scaled_tanh, 0, sizeof(scaled_tanh))    # members not set below are NULL
scaled_tanh.head.struct_size = sizeof(scaled_tanh)
scaled_tanh.head.major, scaled_tanh.head.minor = OPFORGE_ABI_MAJOR, OPFORGE_TARGET_MINOR
scaled_tanh.name = "scaled_tanh"
scaled_tanh.infer, scaled_tanh.forward, scaled_tanh.backward = infer, forward, backward

cdef const opforge_operator* operators[1]
operators[0] = &scaled_tanh

cdef opforge_library library
memset(&library, 0, sizeof(library))
library.head = scaled_tanh.head
library.head.struct_size = sizeof(library)
library.operators, library.n_operators = operators, 1

globals()[OPFORGE_LIBRARY.decode()] = PyCapsule_New(&library, OPFORGE_LIBRARY, NULL)
