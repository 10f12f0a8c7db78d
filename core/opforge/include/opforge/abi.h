/* The native interface of opforge: how operators written in C, or in anything that can make a C
 * function, are called. Plain C11, and C++.
 *
 * Only plain structures cross this border. Tables begin with their size and version and grow at the
 * end alone, so that a plugin built against an older minor version runs on a newer opforge without a
 * rebuild; one that asks for a newer minor version, or another major one, is refused when it loads.
 *
 * What stands between "frozen N" and "end of frozen N" belongs to version N and never changes: a test
 * compares its hash.
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

/* Version of the interface that this header describes. Another major version is another interface. */
#define OPFORGE_ABI_MAJOR 1
#define OPFORGE_ABI_MINOR 2

/* The minor version that your plugin asks for. Define it before you include this header, or with
 * `-DOPFORGE_TARGET_MINOR=0`, to run on older versions of opforge too: what came later is then not
 * declared. */
#ifndef OPFORGE_TARGET_MINOR
#define OPFORGE_TARGET_MINOR OPFORGE_ABI_MINOR
#endif
#if OPFORGE_TARGET_MINOR > OPFORGE_ABI_MINOR
#error "OPFORGE_TARGET_MINOR is newer than this abi.h; build against a newer opforge"
#endif

/* frozen 1.0 */

/* What each table begins with: the bytes that whoever made it knows of, and the version that they
 * were written for. */
typedef struct opforge_head {
    uint32_t struct_size;
    uint16_t major;
    uint16_t minor;
} opforge_head;

/* The head of a table of a type, for its initializer. */
#define OPFORGE_HEAD(type) {sizeof(type), OPFORGE_ABI_MAJOR, OPFORGE_TARGET_MINOR}

/* ## Values */

/* Element types, with MXNet's numbers. */
enum {
    OPFORGE_UNKNOWN = -1,
    OPFORGE_FLOAT32 = 0,
    OPFORGE_FLOAT64 = 1,
    OPFORGE_FLOAT16 = 2,
    OPFORGE_UINT8 = 3,
    OPFORGE_INT32 = 4,
    OPFORGE_INT8 = 5,
    OPFORGE_INT64 = 6,
    OPFORGE_BOOL = 7
};

enum { OPFORGE_MAX_NDIM = 32 };

/* A view of an array. Arrays are contiguous in row-major order, which `strides`, in bytes, say as well,
 * and aligned to the size of their elements. `data` must not be read where `byte_size` is 0. Where
 * inference asks, `ndim` or `dtype` is -1 for what is not known, and there is no data. */
typedef struct opforge_tensor {
    void* data;
    int64_t byte_size;
    int64_t* shape;
    const int64_t* strides;
    int32_t ndim;
    int32_t dtype;
} opforge_tensor;

/* What an attribute's value is. */
enum {
    OPFORGE_NONE = 0,   /* None */
    OPFORGE_INT = 1,    /* integer: int, bool, or an element type's number */
    OPFORGE_FLOAT = 2,  /* number */
    OPFORGE_TEXT = 3,   /* text, of `size` bytes and a zero */
    OPFORGE_INTS = 4,   /* integers, `size` of them; OPFORGE_NO_INT for None */
    OPFORGE_FLOATS = 5  /* numbers, `size` of them */
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

/* What an operator's function returns: 0, or the kind of its error. The text is what was given to
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

/* One call of an operator's function; it is opforge's and ends with the call. Fields that the function
 * has no use for are NULL and 0:
 *
 * - `create`: the attributes; it sets `state`.
 * - `infer`: inputs, and outputs to be described.
 * - `complete`, since 1.2: inputs, outputs and states, each described as far as it is known;
 *   `arguments` are the inputs, to be written to.
 * - `plan`, since 1.2: the arrays of the `stage` that is planned, described and without data; it sets
 *   `plan` and `workspace_bytes`.
 * - `forward`: inputs, and outputs to be filled; auxiliary states, which it may change; since 1.2 the
 *   steps of an epilogue, where the declaration says that it does any.
 * - `backward`: gradients of the outputs; the inputs and outputs that the declaration's `saves` names
 *   (the others are described and have NULL `data`); gradients of the inputs to be filled, those that
 *   are `wanted`; auxiliary states.
 * - `unplan`, since 1.2: the plan.
 * - `destroy`: the state.
 *
 * Attributes and state are there in all of them, plan and workspace in `forward` and `backward`.
 * Several threads may be in these two with one state and one plan at the same time: change neither
 * there. The workspace is the call's own. */
typedef struct opforge_call {
    opforge_head head;
    const struct opforge_host* host;
    const opforge_attribute* attributes; /* in the order of the declaration */
    void* state;
    const opforge_tensor* inputs;
    opforge_tensor* outputs;
    const opforge_tensor* out_grads;
    opforge_tensor* in_grads;
    int32_t n_attributes;
    int32_t n_inputs;  /* also the number of in_grads */
    int32_t n_outputs; /* also the number of out_grads */
    int32_t is_train;
/* end of frozen 1.0 */
#if OPFORGE_TARGET_MINOR >= 2
/* frozen 1.2 */
    void* plan;
    void* workspace;         /* aligned to 64 bytes, its content undefined; NULL if there is none */
    int64_t workspace_bytes;
    const int32_t* wanted;   /* n_inputs of them: 1 where the input's gradient is to be computed */
    opforge_tensor* states;  /* auxiliary states */
    opforge_tensor* arguments;
    int32_t n_states;
    int32_t stage;           /* OPFORGE_FORWARD or OPFORGE_BACKWARD */
    const struct opforge_step* epilogue; /* n_epilogue of them, of `forward` and its `plan` */
    int32_t n_epilogue;
    int32_t reserved;
/* end of frozen 1.2 */
#endif
/* frozen 1.0 */
} opforge_call;

/* Every function of an operator. It runs without Python's lock (GIL), must not call Python without
 * taking it, and must not let a C++ exception out. */
typedef int32_t (*opforge_function)(opforge_call* call);

/* A part of a loop: indices from `begin` to before `end`. */
typedef void (*opforge_range)(void* argument, int64_t begin, int64_t end);

/* end of frozen 1.0 */

#if OPFORGE_TARGET_MINOR >= 2
/* frozen 1.2 */

/* What `plan` plans for. */
enum { OPFORGE_FORWARD = 0, OPFORGE_BACKWARD = 1 };

/* What a step of an epilogue makes of the value so far, y, and its operand b. A declaration names
 * those that its operator can do (`epilogues = ("add", "relu")`); no others are asked for. */
enum {
    OPFORGE_STEP_ADD = 0,      /* y + b */
    OPFORGE_STEP_SUBTRACT = 1, /* y - b */
    OPFORGE_STEP_MULTIPLY = 2, /* y * b */
    OPFORGE_STEP_DIVIDE = 3,   /* y / b */
    OPFORGE_STEP_MAXIMUM = 4,  /* the larger one; NaN where either is NaN */
    OPFORGE_STEP_MINIMUM = 5,  /* the smaller one; NaN where either is NaN */
    OPFORGE_STEP_RELU = 6,     /* y < 0 ? 0 : y; from here on there is no operand */
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

/* What the operand of a step is. */
enum {
    OPFORGE_OPERAND_NONE = 0,
    OPFORGE_OPERAND_NUMBER = 1, /* `number`, rounded to the result's type */
    OPFORGE_OPERAND_FULL = 2,   /* `data`, of the result's type and shape */
    OPFORGE_OPERAND_SPREAD = 3, /* `data`, of the result's type, repeated along some axes */
    OPFORGE_OPERAND_VALUE = 4   /* the value that the step of index `value` began with; 0: the result */
};

/* A step of an epilogue: what an operator does with each element of its result once it is computed,
 * while it is still in a register or in a cache, one step after the other. Graphs make epilogues of the
 * elementwise operators that follow: a bias, the scale and shift of a normalization, an activation, the
 * addition of another result. The operator has one output, of float32 or float64.
 *
 * - `reverse`: 1 where the operand comes first, as in b - y.
 * - `data`: contiguous; NULL in `plan`. It overlaps no output.
 * - `repeat`, `period`, `lanes`: element i of the result meets element
 *   `i / repeat % period * lanes + i % lanes` of `data`. A vector along one axis has a `period` of that
 *   axis's length, `repeat` the product of the lengths behind it, and `lanes` 1. Where the axis is
 *   divided in blocks that lie innermost, (n, c / 16, h, w, 16), `lanes` is 16 and `repeat` h * w * 16.
 *
 * `host->epilogue` does all of it. Do the steps yourself where values are in registers. */
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

/* Who runs a part of a loop. Parts that run at the same time have workers of different indices, from 0
 * to before `count`. `scratch` is the worker's own memory, aligned to 64 bytes: undefined when the loop
 * begins, and then kept from one of its parts to the next. */
typedef struct opforge_worker {
    void* scratch;
    int32_t index;
    int32_t count;
} opforge_worker;

/* A part of a loop that has a worker, and ends the loop with anything but 0. */
typedef int32_t (*opforge_part)(void* argument, const opforge_worker* worker, int64_t begin,
                                int64_t end);

/* Matrix products: `c = alpha * op(a) op(b) + beta * c + bias`, `count` times. `opforge_matmul` makes one
 * of dense matrices; change its fields for more.
 *
 * - `dtype`: of all four; any number type. float16 is computed in float32, integers wrap.
 * - `transpose_a`, `transpose_b`: `a` is stored as m rows of k, or transposed as k rows of m; `b` as k
 *   rows of n, or transposed as n rows of k. `c` is m rows of n.
 * - `a_row`, `b_row`, `c_row`: elements from one stored row to the next; 0: as many as a row has.
 * - `a_next`, `b_next`, `c_next`: elements from one product to the next; 0 for the same matrix each time.
 * - `alpha`, `beta`: with `beta` 0, `c` is not read. For integer types they are cut to integers.
 * - `bias`: NULL; or with `bias_axis` 1 an element for each column of `c`, with 0 one for each row. The
 *   same for all products.
 * - `epilogue`: 1 where `c` is a part of the output and this product completes it: it is taken through the
 *   call's epilogue, each part while it is in a cache. For float32 and float64.
 * - `threads`: 0 for as many as it is worth, 1 for the calling one alone. In a part of a loop it is
 *   always 1.
 *
 * `c` overlaps none of the others. */
typedef struct opforge_gemm {
    opforge_head head;
    int32_t dtype;
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

/* end of frozen 1.2 */
#endif

/* frozen 1.0 */

/* ## Tables */

/* What opforge does for operators; `call->host`. Pass on the call that the operator was given.
 *
 * - `parallel_for`: run `body` over [0, n) in parts of at least `grain` units on several threads, and
 *   return when all are done. A grain is worth about 5 microseconds of one thread's work. Results must
 *   not depend on where the parts begin.
 * - `scratch`: memory for this call, aligned to 64 bytes, which is freed after it; NULL if there is
 *   none. From the thread that was called.
 * - `set_error`: say what went wrong, in UTF-8; opforge adds operator and plugin. The last text counts
 *   and is cut after 1000 bytes. From the thread that was called.
 * - `random_key`, since 1.1: a new number from the stream of random numbers of the thread that was
 *   called, which `mx.random.seed` starts; `opforge_uniform` makes any number of others from it. 0 where
 *   the operator has not the flag OPFORGE_RANDOM.
 *
 * What follows came with 1.2. All of it, and `set_error`, may be called in parts of loops too, with the
 * call that the operator was given.
 *
 * - `isa`: the instruction set that opforge's own kernels use: "baseline", "x86_64_v3" or "x86_64_v4".
 * - `threads`: how many threads a loop runs on at most; 1 in a part of a loop.
 * - `parallel`: as `parallel_for`, with a worker for each part and `scratch_bytes` of memory for each
 *   worker. The first part that returns anything but 0 ends the loop, which returns that; parts that
 *   have begun come to their end. OPFORGE_NO_MEMORY: there was no scratch memory. OPFORGE_ERROR: the
 *   program was interrupted; return it.
 * - `gemm`: compute matrix products. Not 0: nothing was computed, and the error's text says why.
 * - `convert`: convert `n` elements of one type to another, rounding to nearest; `y` is not `x`.
 * - `epilogue`: take the `n` elements at `y`, which are those of the result from element `position` on,
 *   through the steps of the call's epilogue; none of them: nothing happens. `y` is the output's memory or
 *   memory of yours. For each element once, on this thread. Not 0: `position` and `n` are no part of the
 *   result.
 */
typedef struct opforge_host {
    opforge_head head;
    void (*parallel_for)(opforge_call* call, int64_t n, int64_t grain, opforge_range body,
                         void* argument);
    void* (*scratch)(opforge_call* call, int64_t byte_size);
    void (*set_error)(opforge_call* call, const char* text);
/* end of frozen 1.0 */
#if OPFORGE_TARGET_MINOR >= 1
/* frozen 1.1 */
    uint64_t (*random_key)(opforge_call* call);
/* end of frozen 1.1 */
#endif
#if OPFORGE_TARGET_MINOR >= 2
/* frozen 1.2 */
    const char* isa;
    int32_t (*threads)(opforge_call* call);
    int32_t (*parallel)(opforge_call* call, int64_t n, int64_t grain, int64_t scratch_bytes,
                        opforge_part body, void* argument);
    int32_t (*gemm)(opforge_call* call, const opforge_gemm* product);
    int32_t (*convert)(opforge_call* call, int32_t from, const void* x, int32_t to, void* y, int64_t n);
    int32_t (*epilogue)(opforge_call* call, void* y, int64_t position, int64_t n);
/* end of frozen 1.2 */
#endif
/* frozen 1.0 */
} opforge_host;

/* An operator: its name, as in the declaration, and its functions. All but `forward` may be NULL: an
 * operator without `infer` is inferred by its declaration, one without `backward` has no gradient or
 * one that the declaration composes.
 *
 * `infer` is asked twice, for shapes with all `dtype` -1 and for types with all `ndim` -1. It sets
 * `ndim`, `shape` and `dtype` of each output; -1, as they are given, means unknown. A dimension 0
 * is unknown in a graph and must come out as 0 again.
 *
 * `complete`, since 1.2, takes the place of `infer` where an operator can tell more: the shape of a
 * weight from that of the data, inputs from outputs, auxiliary states. Inputs, outputs and states come
 * as far as they are known, shapes and types in two calls as for `infer`; it fills in what it can, and
 * leaves the rest.
 *
 * `plan`, since 1.2, is called before the first `forward` and the first `backward` with a combination
 * of shapes, types, number of threads and, for `backward`, wanted gradients. What it puts into `plan`
 * is there in every call of that combination, until `unplan`; `workspace_bytes` is the memory that each
 * such call needs: it comes from the pool, or lies among the arrays of a graph.
 */
typedef struct opforge_operator {
    opforge_head head;
    const char* name;
    opforge_function create;
    opforge_function destroy;
    opforge_function infer;
    opforge_function forward;
    opforge_function backward;
/* end of frozen 1.0 */
#if OPFORGE_TARGET_MINOR >= 1
/* frozen 1.1 */
    uint64_t flags; /* OPFORGE_RANDOM, since 1.2 OPFORGE_WANTED; or 0 */
/* end of frozen 1.1 */
#endif
#if OPFORGE_TARGET_MINOR >= 2
/* frozen 1.2 */
    opforge_function complete;
    opforge_function plan;
    opforge_function unplan;
/* end of frozen 1.2 */
#endif
/* frozen 1.0 */
} opforge_operator;

/* The operators of a module. It stays as it is, and where it is, while the module is loaded. */
typedef struct opforge_library {
    opforge_head head;
    const opforge_operator* const* operators;
    int32_t n_operators;
    int32_t reserved;
} opforge_library;

/* The module's attribute of this name is a PyCapsule of this name, with a pointer to an
 * opforge_library: `PyModule_AddObject(module, OPFORGE_LIBRARY, PyCapsule_New((void*)&library,
 * OPFORGE_LIBRARY, NULL))`. */
#define OPFORGE_LIBRARY "opforge_library"

/* end of frozen 1.0 */

#if OPFORGE_TARGET_MINOR >= 1
/* frozen 1.1 */

/* Flag of an operator that draws random numbers: two calls with the same inputs differ, so that graphs
 * neither merge them nor compute them in advance. */
#define OPFORGE_RANDOM UINT64_C(1)

/* end of frozen 1.1 */
#endif

#if OPFORGE_TARGET_MINOR >= 2
/* frozen 1.2 */

/* Flag of an operator whose `backward` computes the wanted gradients alone: the others in `in_grads` are
 * described and have NULL `data`. Without it all of them are to be filled. */
#define OPFORGE_WANTED UINT64_C(2)

/* end of frozen 1.2 */
#endif

/* ## Conveniences */

/* The functions below are part of your plugin, not of the interface. */

#if defined(__GNUC__)
#define OPFORGE_PRINTF __attribute__((format(printf, 3, 4), unused))
#define OPFORGE_INLINE static inline __attribute__((unused))
#else
#define OPFORGE_PRINTF
#define OPFORGE_INLINE static inline
#endif

/* Set the error's text as printf does and return `kind`: `return opforge_fail(call, OPFORGE_BAD_SHAPE,
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

/* The attribute of a name, or NULL. */
OPFORGE_INLINE const opforge_attribute* opforge_find(const opforge_call* call, const char* name) {
    for (int32_t i = 0; i < call->n_attributes; i++) {
        if (strcmp(call->attributes[i].name, name) == 0) return &call->attributes[i];
    }
    return NULL;
}

/* Give an output the shape and type of an input, as far as they are known: the whole `infer` of an
 * elementwise operator. */
OPFORGE_INLINE void opforge_like(opforge_tensor* output, const opforge_tensor* input) {
    output->ndim = input->ndim;
    output->dtype = input->dtype;
    for (int32_t axis = 0; axis < input->ndim; axis++) output->shape[axis] = input->shape[axis];
}

/* Bytes of one element. */
OPFORGE_INLINE int64_t opforge_item_size(int32_t dtype) {
    switch (dtype) {
    case OPFORGE_FLOAT64:
    case OPFORGE_INT64: return 8;
    case OPFORGE_FLOAT32:
    case OPFORGE_INT32: return 4;
    case OPFORGE_FLOAT16: return 2;
    default: return 1;
    }
}

/* Number of elements. */
OPFORGE_INLINE int64_t opforge_count(const opforge_tensor* tensor) {
    return tensor->byte_size / opforge_item_size(tensor->dtype);
}

#if OPFORGE_TARGET_MINOR >= 1
/* The number of an index in [0, 1), evenly spread; the same for the same key and index. */
OPFORGE_INLINE double opforge_uniform(uint64_t key, uint64_t index) {
    uint64_t x = key + UINT64_C(0x9E3779B97F4A7C15) * (index + 1);
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (double)((x ^ (x >> 31)) >> 11) * (1.0 / 9007199254740992.0);
}
#endif

#if OPFORGE_TARGET_MINOR >= 2
/* The product of a dense matrix of m rows of k and one of k rows of n, into one of m rows of n. */
OPFORGE_INLINE opforge_gemm opforge_matmul(int32_t dtype, int64_t m, int64_t n, int64_t k, const void* a,
                                           const void* b, void* c) {
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
#endif

#ifdef __cplusplus
}
#endif

#endif
