/* The native interface of opforge: how operators written in C, or in any language that can define C
 * functions, are called. Valid C11 and C++.
 *
 * Only plain structures are exchanged. Tables start with their size and version and grow only at the end,
 * so a plugin built against an older minor version runs on a newer opforge without being rebuilt. A plugin
 * that requires a newer minor version, or another major version, is rejected when it is loaded.
 *
 * The code between "frozen N" and "end of frozen N" belongs to version N and never changes: a test compares
 * its hash.
 */
#ifndef OPFORGE_ABI_H
#define OPFORGE_ABI_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ## Versions */

/* Version of the interface that this header describes. Major versions are incompatible. */
#define OPFORGE_ABI_MAJOR 2
#define OPFORGE_ABI_MINOR 1

/* The minor version that your plugin requires. Define it before including this header, or with
 * `-DOPFORGE_TARGET_MINOR=0`, to support older versions of opforge as well: later additions are then not
 * declared. */
#ifndef OPFORGE_TARGET_MINOR
#define OPFORGE_TARGET_MINOR OPFORGE_ABI_MINOR
#endif
#if OPFORGE_TARGET_MINOR > OPFORGE_ABI_MINOR
#error "OPFORGE_TARGET_MINOR is newer than this abi.h; build against a newer opforge"
#endif

/* frozen 2.0 */

/* The head of each table: its size in bytes and the version that it was compiled for. */
typedef struct opforge_head {
    uint32_t struct_size;
    uint16_t major;
    uint16_t minor;
} opforge_head;

/* Initializer of the head of a table of the given type. */
#define OPFORGE_HEAD(type) {sizeof(type), OPFORGE_ABI_MAJOR, OPFORGE_TARGET_MINOR}

/* ## Values */

/* A device, with DLPack's numbers: `type` is one of the values below, `id` distinguishes devices of one
 * type. */
typedef struct opforge_device {
    int32_t type;
    int32_t id;
} opforge_device;

enum {
    OPFORGE_CPU = 1,
    OPFORGE_CUDA = 2,
    OPFORGE_CUDA_HOST = 3,
    OPFORGE_OPENCL = 4,
    OPFORGE_VULKAN = 7,
    OPFORGE_METAL = 8,
    OPFORGE_VPI = 9,
    OPFORGE_ROCM = 10,
    OPFORGE_ROCM_HOST = 11,
    OPFORGE_EXT_DEV = 12,
    OPFORGE_CUDA_MANAGED = 13,
    OPFORGE_ONEAPI = 14,
    OPFORGE_WEBGPU = 15,
    OPFORGE_HEXAGON = 16,
    OPFORGE_MAIA = 17,
    OPFORGE_TRN = 18
};

/* An element type: DLPack's DLDataType as one integer, with the code in bits 0 to 7, the number of bits in
 * bits 8 to 15, and the number of lanes in bits 16 to 31. On a little-endian machine it has the same bytes as
 * a DLDataType. */
typedef int32_t opforge_dtype;

#define OPFORGE_DTYPE(code, bits, lanes) ((lanes) << 16 | (bits) << 8 | (code))

/* DLPack's codes. */
enum {
    OPFORGE_CODE_INT = 0,
    OPFORGE_CODE_UINT = 1,
    OPFORGE_CODE_FLOAT = 2,
    OPFORGE_CODE_BFLOAT = 4,
    OPFORGE_CODE_COMPLEX = 5,
    OPFORGE_CODE_BOOL = 6,
    OPFORGE_CODE_FLOAT8_E3M4 = 7,
    OPFORGE_CODE_FLOAT8_E4M3 = 8,
    OPFORGE_CODE_FLOAT8_E4M3B11FNUZ = 9,
    OPFORGE_CODE_FLOAT8_E4M3FN = 10,
    OPFORGE_CODE_FLOAT8_E4M3FNUZ = 11,
    OPFORGE_CODE_FLOAT8_E5M2 = 12,
    OPFORGE_CODE_FLOAT8_E5M2FNUZ = 13,
    OPFORGE_CODE_FLOAT8_E8M0FNU = 14
};

/* Element types for comparisons and `switch`. A function only gets arrays of types that its declaration or
 * its own inference accepts. OPFORGE_UNKNOWN is not the value of any type; it also stands for an unknown
 * `ndim`. */
enum {
    OPFORGE_UNKNOWN = -1,
    OPFORGE_FLOAT32 = OPFORGE_DTYPE(OPFORGE_CODE_FLOAT, 32, 1),
    OPFORGE_FLOAT64 = OPFORGE_DTYPE(OPFORGE_CODE_FLOAT, 64, 1),
    OPFORGE_FLOAT16 = OPFORGE_DTYPE(OPFORGE_CODE_FLOAT, 16, 1),
    OPFORGE_BFLOAT16 = OPFORGE_DTYPE(OPFORGE_CODE_BFLOAT, 16, 1),
    OPFORGE_UINT8 = OPFORGE_DTYPE(OPFORGE_CODE_UINT, 8, 1),
    OPFORGE_INT8 = OPFORGE_DTYPE(OPFORGE_CODE_INT, 8, 1),
    OPFORGE_INT32 = OPFORGE_DTYPE(OPFORGE_CODE_INT, 32, 1),
    OPFORGE_INT64 = OPFORGE_DTYPE(OPFORGE_CODE_INT, 64, 1),
    OPFORGE_BOOL = OPFORGE_DTYPE(OPFORGE_CODE_BOOL, 8, 1),
    OPFORGE_FLOAT8_E3M4 = OPFORGE_DTYPE(OPFORGE_CODE_FLOAT8_E3M4, 8, 1),
    OPFORGE_FLOAT8_E4M3 = OPFORGE_DTYPE(OPFORGE_CODE_FLOAT8_E4M3, 8, 1),
    OPFORGE_FLOAT8_E4M3B11FNUZ = OPFORGE_DTYPE(OPFORGE_CODE_FLOAT8_E4M3B11FNUZ, 8, 1),
    OPFORGE_FLOAT8_E4M3FN = OPFORGE_DTYPE(OPFORGE_CODE_FLOAT8_E4M3FN, 8, 1),
    OPFORGE_FLOAT8_E4M3FNUZ = OPFORGE_DTYPE(OPFORGE_CODE_FLOAT8_E4M3FNUZ, 8, 1),
    OPFORGE_FLOAT8_E5M2 = OPFORGE_DTYPE(OPFORGE_CODE_FLOAT8_E5M2, 8, 1),
    OPFORGE_FLOAT8_E5M2FNUZ = OPFORGE_DTYPE(OPFORGE_CODE_FLOAT8_E5M2FNUZ, 8, 1),
    OPFORGE_FLOAT8_E8M0FNU = OPFORGE_DTYPE(OPFORGE_CODE_FLOAT8_E8M0FNU, 8, 1)
};

enum { OPFORGE_MAX_NDIM = 32 };

/* A view of an array. Arrays are contiguous in row-major order (`strides`, in bytes, are set accordingly)
 * and aligned to the size of their elements. `data` must not be accessed if `byte_size` is 0, and points to
 * memory of `device`, which is the device of the call. During inference there is no data, and `ndim` or
 * `dtype` is OPFORGE_UNKNOWN if unknown. */
typedef struct opforge_tensor {
    void* data;
    int64_t byte_size;
    int64_t* shape;
    const int64_t* strides;
    int32_t ndim;
    opforge_dtype dtype;
    opforge_device device;
} opforge_tensor;

/* Kind of an attribute's value. */
enum {
    OPFORGE_NONE = 0,   /* None */
    OPFORGE_INT = 1,    /* `integer`: an int, a bool or an opforge_dtype */
    OPFORGE_FLOAT = 2,  /* `number` */
    OPFORGE_TEXT = 3,   /* `text`: `size` bytes of UTF-8, followed by a zero byte */
    OPFORGE_INTS = 4,   /* `integers`: `size` elements, OPFORGE_NO_INT for None */
    OPFORGE_FLOATS = 5  /* `numbers`: `size` elements */
};

#define OPFORGE_NO_INT INT64_MIN

/* The value of a typed attribute, checked against its declaration. `number` is set for integers too. */
typedef struct opforge_attribute {
    const char* name;
    int32_t kind;
    int32_t reserved;
    int64_t size;
    int64_t integer;
    double number;
    const char* text;
    const int64_t* integers;
    const double* numbers;
} opforge_attribute;

/* Status returned by an operator's functions: 0, or the kind of error. The error message is passed to
 * `set_error`. */
enum {
    OPFORGE_OK = 0,
    OPFORGE_ERROR = 1,
    OPFORGE_BAD_SHAPE = 2,      /* ShapeError */
    OPFORGE_BAD_DTYPE = 3,      /* DTypeError */
    OPFORGE_BAD_ATTRIBUTE = 4,  /* AttributeValueError */
    OPFORGE_NO_MEMORY = 5       /* MemoryError */
};

/* ## Calls */

struct opforge_host;
struct opforge_step;

/* One call of an operator's function; it is owned by opforge and valid only during the call. Fields that
 * do not apply to a function are NULL or 0:
 *
 * - `create`: attributes; it sets `state`.
 * - `infer`: inputs, and outputs to be described.
 * - `complete`: inputs, outputs and states with their known shapes or types; `arguments` are the inputs as
 *   writable views.
 * - `plan`: the arrays of the `stage` to be planned, described but without data; the steps of an epilogue;
 *   it sets `plan` and `workspace_bytes`.
 * - `forward`: inputs, outputs to be filled, and auxiliary states, which it may modify; the steps of an
 *   epilogue, if the declaration supports epilogues.
 * - `backward`: gradients of the outputs; the inputs and outputs listed in the declaration's `saves`
 *   (the others are described but have NULL `data`); gradients of the inputs to be filled if `wanted`;
 *   auxiliary states.
 * - `unplan`: the plan.
 * - `destroy`: the state.
 *
 * Device, attributes and state are set in all calls, plan and workspace in `forward` and `backward`. Several
 * threads may run these two concurrently with the same state and plan, so they must not modify them.
 * Each call has a separate workspace.
 *
 * All arrays and the workspace are on `device`. If that is not a CPU, `forward` and `backward` enqueue their
 * work on `stream`, in the order of the calls, and need not wait for its end; for CUDA it is a cudaStream_t.
 * On a CPU `stream` is NULL, and the work is complete when the function returns. */
typedef struct opforge_call {
    opforge_head head;
    const struct opforge_host* host;
    opforge_device device;
    void* stream;
    const opforge_attribute* attributes; /* in the order of the declaration */
    void* state;
    void* plan;
    void* workspace;         /* aligned to 64 bytes, uninitialized; NULL if not requested */
    int64_t workspace_bytes;
    const opforge_tensor* inputs;
    opforge_tensor* outputs;
    opforge_tensor* states;  /* auxiliary states */
    opforge_tensor* arguments;
    const opforge_tensor* out_grads;
    opforge_tensor* in_grads;
    const int32_t* wanted;   /* n_inputs elements: 1 if the input's gradient is to be computed */
    const struct opforge_step* epilogue;
    int32_t n_attributes;
    int32_t n_inputs;        /* also the number of in_grads */
    int32_t n_outputs;       /* also the number of out_grads */
    int32_t n_states;
    int32_t n_epilogue;
    int32_t stage;           /* OPFORGE_FORWARD or OPFORGE_BACKWARD */
    int32_t is_train;
    int32_t reserved;
} opforge_call;

/* A function of an operator. opforge calls it on any thread, several at the same time, without the GIL. It
 * must not call Python without acquiring the GIL and must not throw a C++ exception. */
typedef int32_t (*opforge_function)(opforge_call* call);

/* Body of a loop: processes indices [begin, end). */
typedef void (*opforge_range)(void* argument, int64_t begin, int64_t end);

/* The stage that `plan` plans. */
enum { OPFORGE_FORWARD = 0, OPFORGE_BACKWARD = 1 };

/* Operation of an epilogue step on the current value y and the operand b. A declaration lists the steps
 * that its operator supports (`epilogues = ("add", "relu")`); no others are requested. */
enum {
    OPFORGE_STEP_ADD = 0,      /* y + b */
    OPFORGE_STEP_SUBTRACT = 1, /* y - b */
    OPFORGE_STEP_MULTIPLY = 2, /* y * b */
    OPFORGE_STEP_DIVIDE = 3,   /* y / b */
    OPFORGE_STEP_MAXIMUM = 4,  /* the larger one; NaN where either is NaN */
    OPFORGE_STEP_MINIMUM = 5,  /* the smaller one; NaN where either is NaN */
    OPFORGE_STEP_RELU = 6,     /* y < 0 ? 0 : y; this and the following steps have no operand */
    OPFORGE_STEP_SIGMOID = 7,  /* 1 / (1 + exp(-y)) */
    OPFORGE_STEP_TANH = 8,
    OPFORGE_STEP_SOFTRELU = 9, /* log(1 + exp(y)) */
    OPFORGE_STEP_SOFTSIGN = 10, /* y / (1 + |y|) */
    OPFORGE_STEP_ERF = 11,
    OPFORGE_STEP_EXP = 12,
    OPFORGE_STEP_EXPM1 = 13,
    OPFORGE_STEP_ABS = 14,
    OPFORGE_STEP_NEGATIVE = 15,
    OPFORGE_STEP_SQUARE = 16,
    OPFORGE_STEP_SQRT = 17
};

/* Kind of operand of a step. */
enum {
    OPFORGE_OPERAND_NONE = 0,
    OPFORGE_OPERAND_NUMBER = 1, /* `number`, rounded to the result's type */
    OPFORGE_OPERAND_FULL = 2,   /* `data`, an array of the result's type and shape */
    OPFORGE_OPERAND_SPREAD = 3, /* `data`, an array of the result's type that is repeated along some axes */
    OPFORGE_OPERAND_VALUE = 4   /* the input value of step `value`; 0 is the result itself */
};

/* A step of an epilogue. An operator applies the steps one after the other to each computed element of its
 * result while it is in a register or in the cache. Graphs create epilogues from the elementwise operators
 * that follow: a bias, the scale and shift of a normalization, an activation, or the addition of another
 * result. The operator has one output, of float32 or float64.
 *
 * - `reverse`: 1 if the operand comes first, as in b - y.
 * - `data`: contiguous; NULL in `plan`. It does not overlap an output.
 * - `repeat`, `period`, `lanes`: element i of the result is combined with element
 *   `i / repeat % period * lanes + i % lanes` of `data`. For a vector along one axis, `period` is the length
 *   of that axis, `repeat` the product of the lengths of the following axes, and `lanes` 1. If the axis is
 *   divided into innermost blocks, as in (n, c / 16, h, w, 16), `lanes` is 16 and `repeat` is h * w * 16.
 *
 * `host->epilogue` applies all steps. Implement the steps yourself if the values are in registers. */
typedef struct opforge_step {
    int32_t kind;
    int32_t operand;
    int32_t value;
    int32_t reverse;
    const void* data;
    int64_t repeat;
    int64_t period;
    int64_t lanes;
    double number;
} opforge_step;

/* The worker that runs a part of a loop. Parts that run concurrently have workers with different indices in
 * [0, count). `scratch` is the worker's memory, aligned to 64 bytes: uninitialized when the loop starts, and
 * preserved between the parts of the worker. */
typedef struct opforge_worker {
    void* scratch;
    int32_t index;
    int32_t count;
} opforge_worker;

/* Body of a loop with workers; a nonzero result ends the loop. */
typedef int32_t (*opforge_part)(void* argument, const opforge_worker* worker, int64_t begin,
                                int64_t end);

/* Matrix products: `c = alpha * op(a) op(b) + beta * c + bias`, `count` times. `opforge_matmul` describes a
 * single product of dense matrices; modify its fields for other products.
 *
 * - `dtype`: type of all arrays; any numeric type of opforge. 16-bit floats are computed in float32; integers wrap.
 * - `transpose_a`, `transpose_b`: `a` is stored as m rows of k elements, or transposed as k rows of m; `b`
 *   as k rows of n, or transposed as n rows of k. `c` is m rows of n.
 * - `a_row`, `b_row`, `c_row`: row strides in elements; 0 for dense rows.
 * - `a_next`, `b_next`, `c_next`: strides in elements from one product to the next; 0 to use the same
 *   matrix in all products.
 * - `alpha`, `beta`: if `beta` is 0, `c` is not read. For integer types both are truncated to integers.
 * - `bias`: NULL, or one element per column of `c` with `bias_axis` 1 and one per row with 0; the same for
 *   all products.
 * - `epilogue`: 1 if `c` is part of the output and this product completes it: the call's epilogue is then
 *   applied to each part while it is in the cache. For floating types.
 * - `threads`: 0 for as many threads as pay off, 1 for the calling thread only. Inside a loop body it is
 *   always 1.
 *
 * `c` must not overlap the other arrays. */
typedef struct opforge_gemm {
    opforge_head head;
    opforge_dtype dtype;
    int32_t transpose_a;
    int32_t transpose_b;
    int32_t threads;
    int64_t m;
    int64_t n;
    int64_t k;
    const void* a;
    const void* b;
    void* c;
    const void* bias;
    int64_t a_row;
    int64_t b_row;
    int64_t c_row;
    int64_t count;
    int64_t a_next;
    int64_t b_next;
    int64_t c_next;
    double alpha;
    double beta;
    int32_t bias_axis;
    int32_t epilogue;
} opforge_gemm;

/* end of frozen 2.0 */
#if OPFORGE_TARGET_MINOR >= 1
/* frozen 2.1 */

/* A function of BLAS or LAPACK, to be cast to its type, and a function that calls such functions. */
typedef void (*opforge_routine)(void);
typedef void (*opforge_body)(void* argument);

/* end of frozen 2.1 */
#endif
/* frozen 2.0 */

/* ## Tables */

/* Functions that opforge provides to operators, as `call->host`. Pass the call that the operator received.
 * Each function may be called on these threads, until the operator's function returns:
 *
 * - (call): the thread that the operator's function was called on;
 * - (loop): that thread, and the threads that run the bodies of its loops;
 * - (any): any thread, including your own.
 *
 * `allocate` and `release` take a device. All other functions work on the CPU and its memory, on whichever
 * device the call is.
 *
 * - `isa`: the instruction set used by opforge's kernels: "baseline", "x86_64_v3" or "x86_64_v4".
 * - `set_error` (any): set the error message, in UTF-8; opforge adds the operator and the plugin. The last
 *   message is used, truncated to 1000 bytes.
 * - `scratch` (call): allocate memory for this call, aligned to 64 bytes and freed after the call; NULL if
 *   out of memory.
 * - `allocate` (any): allocate memory of a device that lives until it is released, for a state or a plan.
 *   `alignment` is a power of two of at most 4096, or 0 for 64; on other devices than the CPU at most 64.
 *   NULL if out of memory, or if no plugin provides the device; the error message is then set.
 * - `release` (any): free memory from `allocate`, with the same device, in this call or a later one. NULL is
 *   ignored. Work that is already enqueued on the call's stream may still use the memory.
 * - `random_key` (call): return a new number from the random stream of the thread that the operator was
 *   called on, which `mx.random.seed` seeds; `opforge_uniform` derives any number of values from it. 0 if
 *   the operator does not have the flag OPFORGE_RANDOM.
 * - `threads` (loop): return the maximum number of threads of a loop; 1 inside a loop body.
 * - `parallel_for` (loop): run `body` over [0, n) in parts of at least `grain` indices on several threads,
 *   and return when all are done. A grain should take one thread about 5 microseconds. Results must not
 *   depend on how the range is divided. Inside a loop body everything runs on the calling thread.
 * - `parallel` (loop): like `parallel_for`, with a worker for each part and `scratch_bytes` of memory for
 *   each worker. The first nonzero result of a part ends the loop and is returned; parts that have started
 *   are completed. OPFORGE_NO_MEMORY: the scratch memory could not be allocated. OPFORGE_ERROR: the program
 *   was interrupted; return this status.
 * - `gemm` (loop): compute matrix products. If the result is nonzero, nothing was computed and the error
 *   message is set.
 * - `convert` (any): convert `n` elements from one type to another, rounding to nearest; `y` must not be `x`.
 * - `epilogue` (any): apply the steps of the call's epilogue, if any, to the `n` elements at `y`, which are
 *   those of the result starting at element `position`. `y` may be the output or other memory. Call it once
 *   per element; it runs on the calling thread. Nonzero if `position` and `n` exceed the result.
 * - `routine` (call): return a function of BLAS or LAPACK by its Fortran name, as "ssyevd"; since 2.1. It
 *   takes 32-bit integers and matrices in column-major order, and runs on one thread. Cast it to its type, to
 *   which Fortran adds the length of each string argument, a size_t, at the end. NULL, with the error message
 *   set, if the library has no function of this name.
 * - `run_routines` (loop): run `body`, which calls such functions, on the calling thread; since 2.1. It keeps
 *   concurrent calls within the memory that opforge has reserved for them; a call outside of it may end
 *   the process if memory is short. `body` must not call other functions of this table. OPFORGE_NO_MEMORY:
 *   `body` was not run.
 */
typedef struct opforge_host {
    opforge_head head;
    const char* isa;
    void (*set_error)(opforge_call* call, const char* text);
    void* (*scratch)(opforge_call* call, int64_t byte_size);
    void* (*allocate)(opforge_call* call, opforge_device device, int64_t byte_size, int64_t alignment);
    void (*release)(opforge_call* call, opforge_device device, void* data);
    uint64_t (*random_key)(opforge_call* call);
    int32_t (*threads)(opforge_call* call);
    void (*parallel_for)(opforge_call* call, int64_t n, int64_t grain, opforge_range body,
                         void* argument);
    int32_t (*parallel)(opforge_call* call, int64_t n, int64_t grain, int64_t scratch_bytes,
                        opforge_part body, void* argument);
    int32_t (*gemm)(opforge_call* call, const opforge_gemm* product);
    int32_t (*convert)(opforge_call* call, opforge_dtype from, const void* x, opforge_dtype to, void* y,
                       int64_t n);
    int32_t (*epilogue)(opforge_call* call, void* y, int64_t position, int64_t n);
/* end of frozen 2.0 */
#if OPFORGE_TARGET_MINOR >= 1
/* frozen 2.1 */
    opforge_routine (*routine)(opforge_call* call, const char* name);
    int32_t (*run_routines)(opforge_call* call, opforge_body body, void* argument);
/* end of frozen 2.1 */
#endif
/* frozen 2.0 */
} opforge_host;

/* The functions of an operator on one type of device. `name` is that of the declaration. A library has one
 * table for each type of device that an operator supports; all must have `backward`, or none. All functions
 * except `forward` may be NULL: without `infer`, the declaration infers shapes and types; without `backward`,
 * the operator has no gradient or one composed by the declaration.
 *
 * `infer` is called twice: for shapes, with all `dtype` unknown, and for types, with all `ndim` unknown. It
 * sets `ndim`, `shape` and `dtype` of each output, which are unknown at first. In a graph, a dimension of
 * 0 is unknown and must be passed on as 0.
 *
 * `complete` replaces `infer` for operators that can infer more: the shape of a weight from that of the
 * data, inputs from outputs, auxiliary states. Inputs, outputs and states are passed with their known
 * shapes or types, in two calls as for `infer`; the function fills in the ones that it can infer and leaves
 * the others. `infer` and `complete` do not depend on the device; those of the CPU are called if present.
 *
 * `plan` is called before the first `forward` and the first `backward` with a combination of shapes, types,
 * number of threads and, for `backward`, wanted gradients. The value that it stores in `plan` is passed to
 * all calls with that combination, until `unplan`. `workspace_bytes` is the memory that each of these calls
 * needs; it comes from the pool or from the memory plan of a graph.
 *
 * `device_type` may be left out of an initializer: 0 means OPFORGE_CPU.
 */
typedef struct opforge_operator {
    opforge_head head;
    const char* name;
    opforge_function create;
    opforge_function destroy;
    opforge_function infer;
    opforge_function complete;
    opforge_function plan;
    opforge_function unplan;
    opforge_function forward;
    opforge_function backward;
    uint64_t flags;      /* OPFORGE_RANDOM, OPFORGE_WANTED, or 0 */
    int32_t device_type; /* OPFORGE_CPU, ...; 0 for OPFORGE_CPU */
    int32_t reserved;
} opforge_operator;

/* Flag of operators that draw random numbers: calls with equal inputs have different results, so graphs
 * neither merge them nor evaluate them in advance. */
#define OPFORGE_RANDOM UINT64_C(1)

/* Flag of operators whose `backward` can compute only the wanted gradients: the others in `in_grads` are
 * described but have NULL `data`. Without this flag all gradients must be filled. */
#define OPFORGE_WANTED UINT64_C(2)

/* The operators of a module. It must not change or move while the module is loaded. */
typedef struct opforge_library {
    opforge_head head;
    const opforge_operator* const* operators;
    int32_t n_operators;
    int32_t reserved;
} opforge_library;

/* Name of the module attribute that holds the library, and of its PyCapsule with a pointer to an
 * opforge_library: `PyModule_AddObject(module, OPFORGE_LIBRARY, PyCapsule_New((void*)&library,
 * OPFORGE_LIBRARY, NULL))`. */
#define OPFORGE_LIBRARY "opforge_library"

/* The memory of one type of device other than the CPU, provided by a plugin that declares a `Device`.
 * opforge never accesses this memory except by these functions and by those of operators for the device.
 * They may be called on any thread, with or without the GIL, and must not call Python.
 *
 * - `device_type`: DLPack's number, not that of a CPU.
 * - `n_devices`: number of devices; their ids are 0 to n_devices - 1.
 * - `allocate`: allocate memory aligned to at least 64 bytes; NULL if there is none. Address arithmetic on
 *   the result must be valid: views of an array have addresses within its memory.
 * - `release`: free memory from `allocate`. Enqueued work may still use it.
 * - `copy`: copy bytes between a device of this type and the CPU, or between two of its devices, after all
 *   work enqueued on their streams. If one is the CPU, the copy is complete when the function returns.
 * - `synchronize`: wait for all work enqueued on the device.
 * - `stream`: return the stream of the calling thread for a device, which calls get as `stream`. May be
 *   NULL: the device has no streams.
 * - `last_error`: return the message for the last failure on the calling thread. May be NULL.
 *
 * A nonzero result of `copy` and `synchronize` is an error. */
typedef struct opforge_memory {
    opforge_head head;
    int32_t device_type;
    int32_t n_devices;
    void* (*allocate)(opforge_device device, int64_t byte_size);
    void (*release)(opforge_device device, void* data);
    int32_t (*copy)(opforge_device to, void* y, opforge_device from, const void* x, int64_t byte_size);
    int32_t (*synchronize)(opforge_device device);
    void* (*stream)(opforge_device device);
    const char* (*last_error)(void);
} opforge_memory;

/* Name of the module attribute that holds the memory of a device, and of its PyCapsule with a pointer to an
 * opforge_memory, which must not change while the process runs. */
#define OPFORGE_MEMORY "opforge_memory"

/* end of frozen 2.0 */

/* ## Conveniences */

/* The functions below are part of your plugin, not of the interface. */

#if defined(__GNUC__)
#define OPFORGE_PRINTF __attribute__((format(printf, 3, 4), unused))
#define OPFORGE_INLINE static inline __attribute__((unused))
#else
#define OPFORGE_PRINTF
#define OPFORGE_INLINE static inline
#endif

/* Format the error message like printf and return `kind`: `return opforge_fail(call, OPFORGE_BAD_SHAPE,
 * "expected 2 dimensions, got %d", ndim);` */
OPFORGE_PRINTF static int32_t opforge_fail(opforge_call* call, int32_t kind, const char* format, ...) {
    char text[1001];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    call->host->set_error(call, text);
    return kind;
}

/* Return the attribute with the given name, or NULL. */
OPFORGE_INLINE const opforge_attribute* opforge_find(const opforge_call* call, const char* name) {
    for (int32_t i = 0; i < call->n_attributes; i++) {
        if (strcmp(call->attributes[i].name, name) == 0) return &call->attributes[i];
    }
    return NULL;
}

/* Copy the known shape and type of an input to an output: this is all that `infer` of an elementwise
 * operator has to do. */
OPFORGE_INLINE void opforge_like(opforge_tensor* output, const opforge_tensor* input) {
    output->ndim = input->ndim;
    output->dtype = input->dtype;
    for (int32_t axis = 0; axis < input->ndim; axis++) output->shape[axis] = input->shape[axis];
}

/* Return the code, the number of bits and the number of lanes of an element type. */
OPFORGE_INLINE int32_t opforge_dtype_code(opforge_dtype dtype) {
    return dtype & 255;
}
OPFORGE_INLINE int32_t opforge_dtype_bits(opforge_dtype dtype) {
    return dtype >> 8 & 255;
}
OPFORGE_INLINE int32_t opforge_dtype_lanes(opforge_dtype dtype) {
    return dtype >> 16 & 65535;
}

/* Return the name of an element type, for messages. */
OPFORGE_INLINE const char* opforge_dtype_name(opforge_dtype dtype) {
    switch (dtype) {
    case OPFORGE_FLOAT32: return "float32";
    case OPFORGE_FLOAT64: return "float64";
    case OPFORGE_FLOAT16: return "float16";
    case OPFORGE_BFLOAT16: return "bfloat16";
    case OPFORGE_UINT8: return "uint8";
    case OPFORGE_INT8: return "int8";
    case OPFORGE_INT32: return "int32";
    case OPFORGE_INT64: return "int64";
    case OPFORGE_BOOL: return "bool";
    case OPFORGE_FLOAT8_E3M4: return "float8_e3m4";
    case OPFORGE_FLOAT8_E4M3: return "float8_e4m3";
    case OPFORGE_FLOAT8_E4M3B11FNUZ: return "float8_e4m3b11fnuz";
    case OPFORGE_FLOAT8_E4M3FN: return "float8_e4m3fn";
    case OPFORGE_FLOAT8_E4M3FNUZ: return "float8_e4m3fnuz";
    case OPFORGE_FLOAT8_E5M2: return "float8_e5m2";
    case OPFORGE_FLOAT8_E5M2FNUZ: return "float8_e5m2fnuz";
    case OPFORGE_FLOAT8_E8M0FNU: return "float8_e8m0fnu";
    default: return "another type";
    }
}

/* Return the size of one element in bytes. */
OPFORGE_INLINE int64_t opforge_item_size(opforge_dtype dtype) {
    return (opforge_dtype_bits(dtype) * opforge_dtype_lanes(dtype) + 7) / 8;
}

/* Return whether an element type is a 16-bit float. */
OPFORGE_INLINE int opforge_is_half(opforge_dtype dtype) {
    return dtype == OPFORGE_FLOAT16 || dtype == OPFORGE_BFLOAT16;
}

/* Return whether an element type is a float of 16, 32 or 64 bits. */
OPFORGE_INLINE int opforge_is_float(opforge_dtype dtype) {
    return dtype == OPFORGE_FLOAT32 || dtype == OPFORGE_FLOAT64 || opforge_is_half(dtype);
}

/* Return the type in which opforge computes: float32 for 16-bit floats, otherwise `dtype` itself. */
OPFORGE_INLINE opforge_dtype opforge_computed_in(opforge_dtype dtype) {
    return opforge_is_half(dtype) ? OPFORGE_FLOAT32 : dtype;
}

/* Return the number of elements. */
OPFORGE_INLINE int64_t opforge_count(const opforge_tensor* tensor) {
    return tensor->byte_size / opforge_item_size(tensor->dtype);
}

/* Return a uniformly distributed number in [0, 1) that depends only on the key and the index. */
OPFORGE_INLINE double opforge_uniform(uint64_t key, uint64_t index) {
    uint64_t x = key + UINT64_C(0x9E3779B97F4A7C15) * (index + 1);
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (double)((x ^ (x >> 31)) >> 11) * (1.0 / 9007199254740992.0);
}

/* Describe the product of a dense m x k matrix and a dense k x n matrix, written to a dense m x n one. */
OPFORGE_INLINE opforge_gemm opforge_matmul(opforge_dtype dtype, int64_t m, int64_t n, int64_t k,
                                           const void* a, const void* b, void* c) {
    opforge_gemm product;
    memset(&product, 0, sizeof product);
    product.head.struct_size = sizeof product;
    product.head.major = OPFORGE_ABI_MAJOR;
    product.head.minor = OPFORGE_TARGET_MINOR;
    product.dtype = dtype;
    product.m = m;
    product.n = n;
    product.k = k;
    product.a = a;
    product.b = b;
    product.c = c;
    product.count = 1;
    product.alpha = 1;
    product.bias_axis = 1;
    return product;
}

#ifdef __cplusplus
}
#endif

#endif
