# The native interface of opforge for Cython; see abi.h for the documentation.
#
# Pass include_path=[opforge.get_include()] to cythonize, and the same include_dirs to the extension.

from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t

cdef extern from "opforge/abi.h" nogil:
    enum:
        OPFORGE_ABI_MAJOR
        OPFORGE_ABI_MINOR
        OPFORGE_TARGET_MINOR

    ctypedef struct opforge_head:
        uint32_t struct_size
        uint16_t major
        uint16_t minor

    ctypedef struct opforge_device:
        int32_t type
        int32_t id

    enum:
        OPFORGE_CPU
        OPFORGE_CUDA
        OPFORGE_CUDA_HOST
        OPFORGE_OPENCL
        OPFORGE_VULKAN
        OPFORGE_METAL
        OPFORGE_VPI
        OPFORGE_ROCM
        OPFORGE_ROCM_HOST
        OPFORGE_EXT_DEV
        OPFORGE_CUDA_MANAGED
        OPFORGE_ONEAPI
        OPFORGE_WEBGPU
        OPFORGE_HEXAGON
        OPFORGE_MAIA
        OPFORGE_TRN

    ctypedef int32_t opforge_dtype

    opforge_dtype OPFORGE_DTYPE(int32_t code, int32_t bits, int32_t lanes)

    enum:
        OPFORGE_CODE_INT
        OPFORGE_CODE_UINT
        OPFORGE_CODE_FLOAT
        OPFORGE_CODE_BFLOAT
        OPFORGE_CODE_COMPLEX
        OPFORGE_CODE_BOOL
        OPFORGE_CODE_FLOAT8_E3M4
        OPFORGE_CODE_FLOAT8_E4M3
        OPFORGE_CODE_FLOAT8_E4M3B11FNUZ
        OPFORGE_CODE_FLOAT8_E4M3FN
        OPFORGE_CODE_FLOAT8_E4M3FNUZ
        OPFORGE_CODE_FLOAT8_E5M2
        OPFORGE_CODE_FLOAT8_E5M2FNUZ
        OPFORGE_CODE_FLOAT8_E8M0FNU

    enum:
        OPFORGE_UNKNOWN
        OPFORGE_FLOAT32
        OPFORGE_FLOAT64
        OPFORGE_FLOAT16
        OPFORGE_BFLOAT16
        OPFORGE_UINT8
        OPFORGE_INT8
        OPFORGE_INT32
        OPFORGE_INT64
        OPFORGE_BOOL
        OPFORGE_FLOAT8_E3M4
        OPFORGE_FLOAT8_E4M3
        OPFORGE_FLOAT8_E4M3B11FNUZ
        OPFORGE_FLOAT8_E4M3FN
        OPFORGE_FLOAT8_E4M3FNUZ
        OPFORGE_FLOAT8_E5M2
        OPFORGE_FLOAT8_E5M2FNUZ
        OPFORGE_FLOAT8_E8M0FNU
        OPFORGE_MAX_NDIM

    ctypedef struct opforge_tensor:
        void* data
        int64_t byte_size
        int64_t* shape
        const int64_t* strides
        int32_t ndim
        opforge_dtype dtype
        opforge_device device

    enum:
        OPFORGE_NONE
        OPFORGE_INT
        OPFORGE_FLOAT
        OPFORGE_TEXT
        OPFORGE_INTS
        OPFORGE_FLOATS

    const int64_t OPFORGE_NO_INT

    ctypedef struct opforge_attribute:
        const char* name
        int32_t kind
        int32_t reserved
        int64_t size
        int64_t integer
        double number
        const char* text
        const int64_t* integers
        const double* numbers

    enum:
        OPFORGE_OK
        OPFORGE_ERROR
        OPFORGE_BAD_SHAPE
        OPFORGE_BAD_DTYPE
        OPFORGE_BAD_ATTRIBUTE
        OPFORGE_NO_MEMORY

    ctypedef struct opforge_call:
        opforge_head head
        const opforge_host* host
        opforge_device device
        void* stream
        const opforge_attribute* attributes
        void* state
        void* plan
        void* workspace
        int64_t workspace_bytes
        const opforge_tensor* inputs
        opforge_tensor* outputs
        opforge_tensor* states
        opforge_tensor* arguments
        const opforge_tensor* out_grads
        opforge_tensor* in_grads
        const int32_t* wanted
        const opforge_step* epilogue
        int32_t n_attributes
        int32_t n_inputs
        int32_t n_outputs
        int32_t n_states
        int32_t n_epilogue
        int32_t stage
        int32_t is_train
        int32_t reserved

    ctypedef int32_t (*opforge_function)(opforge_call* call) noexcept nogil
    ctypedef void (*opforge_range)(void* argument, int64_t begin, int64_t end) noexcept nogil

    enum:
        OPFORGE_FORWARD
        OPFORGE_BACKWARD

    enum:
        OPFORGE_STEP_ADD
        OPFORGE_STEP_SUBTRACT
        OPFORGE_STEP_MULTIPLY
        OPFORGE_STEP_DIVIDE
        OPFORGE_STEP_MAXIMUM
        OPFORGE_STEP_MINIMUM
        OPFORGE_STEP_RELU
        OPFORGE_STEP_SIGMOID
        OPFORGE_STEP_TANH
        OPFORGE_STEP_SOFTRELU
        OPFORGE_STEP_SOFTSIGN
        OPFORGE_STEP_ERF
        OPFORGE_STEP_EXP
        OPFORGE_STEP_EXPM1
        OPFORGE_STEP_ABS
        OPFORGE_STEP_NEGATIVE
        OPFORGE_STEP_SQUARE
        OPFORGE_STEP_SQRT

    enum:
        OPFORGE_OPERAND_NONE
        OPFORGE_OPERAND_NUMBER
        OPFORGE_OPERAND_FULL
        OPFORGE_OPERAND_SPREAD
        OPFORGE_OPERAND_VALUE

    ctypedef struct opforge_step:
        int32_t kind
        int32_t operand
        int32_t value
        int32_t reverse
        const void* data
        int64_t repeat
        int64_t period
        int64_t lanes
        double number

    ctypedef struct opforge_worker:
        void* scratch
        int32_t index
        int32_t count

    ctypedef int32_t (*opforge_part)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) noexcept nogil

    ctypedef struct opforge_gemm:
        opforge_head head
        opforge_dtype dtype
        int32_t transpose_a
        int32_t transpose_b
        int32_t threads
        int64_t m
        int64_t n
        int64_t k
        const void* a
        const void* b
        void* c
        const void* bias
        int64_t a_row
        int64_t b_row
        int64_t c_row
        int64_t count
        int64_t a_next
        int64_t b_next
        int64_t c_next
        double alpha
        double beta
        int32_t bias_axis
        int32_t epilogue

    ctypedef void (*opforge_routine)() noexcept nogil
    ctypedef void (*opforge_body)(void* argument) noexcept nogil

    ctypedef struct opforge_host:
        opforge_head head
        const char* isa
        void (*set_error)(opforge_call* call, const char* text) noexcept nogil
        void* (*scratch)(opforge_call* call, int64_t byte_size) noexcept nogil
        void* (*allocate)(opforge_call* call, opforge_device device, int64_t byte_size, int64_t alignment) noexcept nogil
        void (*release)(opforge_call* call, opforge_device device, void* data) noexcept nogil
        uint64_t (*random_key)(opforge_call* call) noexcept nogil
        int32_t (*threads)(opforge_call* call) noexcept nogil
        void (*parallel_for)(opforge_call* call, int64_t n, int64_t grain, opforge_range body, void* argument) noexcept nogil
        int32_t (*parallel)(opforge_call* call, int64_t n, int64_t grain, int64_t scratch_bytes, opforge_part body, void* argument) noexcept nogil
        int32_t (*gemm)(opforge_call* call, const opforge_gemm* product) noexcept nogil
        int32_t (*convert)(opforge_call* call, opforge_dtype source, const void* x, opforge_dtype target, void* y, int64_t n) noexcept nogil
        int32_t (*epilogue)(opforge_call* call, void* y, int64_t position, int64_t n) noexcept nogil
        opforge_routine (*routine)(opforge_call* call, const char* name) noexcept nogil
        int32_t (*run_routines)(opforge_call* call, opforge_body body, void* argument) noexcept nogil

    ctypedef struct opforge_operator:
        opforge_head head
        const char* name
        opforge_function create
        opforge_function destroy
        opforge_function infer
        opforge_function complete
        opforge_function plan
        opforge_function unplan
        opforge_function forward
        opforge_function backward
        uint64_t flags
        int32_t device_type
        int32_t reserved

    ctypedef struct opforge_library:
        opforge_head head
        const opforge_operator** operators
        int32_t n_operators
        int32_t reserved

    const char* OPFORGE_LIBRARY

    ctypedef struct opforge_memory:
        opforge_head head
        int32_t device_type
        int32_t n_devices
        void* (*allocate)(opforge_device device, int64_t byte_size) noexcept nogil
        void (*release)(opforge_device device, void* data) noexcept nogil
        int32_t (*copy)(
            opforge_device to, void* y, opforge_device source, const void* x, int64_t byte_size
        ) noexcept nogil
        int32_t (*synchronize)(opforge_device device) noexcept nogil
        void* (*stream)(opforge_device device) noexcept nogil
        const char* (*last_error)() noexcept nogil

    const char* OPFORGE_MEMORY
    const uint64_t OPFORGE_RANDOM
    const uint64_t OPFORGE_WANTED

    int32_t opforge_fail(opforge_call* call, int32_t kind, const char* format, ...)
    const opforge_attribute* opforge_find(const opforge_call* call, const char* name)
    void opforge_like(opforge_tensor* output, const opforge_tensor* input)
    int32_t opforge_dtype_code(opforge_dtype dtype)
    int32_t opforge_dtype_bits(opforge_dtype dtype)
    int32_t opforge_dtype_lanes(opforge_dtype dtype)
    const char* opforge_dtype_name(opforge_dtype dtype)
    int64_t opforge_item_size(opforge_dtype dtype)
    bint opforge_is_half(opforge_dtype dtype)
    bint opforge_is_float(opforge_dtype dtype)
    opforge_dtype opforge_computed_in(opforge_dtype dtype)
    int64_t opforge_count(const opforge_tensor* tensor)
    double opforge_uniform(uint64_t key, uint64_t index)
    opforge_gemm opforge_matmul(opforge_dtype dtype, int64_t m, int64_t n, int64_t k, const void* a, const void* b, void* c)
