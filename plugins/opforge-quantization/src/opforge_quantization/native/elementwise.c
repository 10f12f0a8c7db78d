/* quantized_elemwise_add and quantized_elemwise_mul. */
#include "native/operators.h"
#include "native/ranges.h"
#include "kernels/rounding.h"

enum { LEFT_RANGE = 2, RIGHT_RANGE = 4 }; /* first inputs of the ranges */

typedef struct operands {
    const void *left, *right;
    void* out;
    float left_scale, right_scale, scale;
} operands; /* loops copy it, so that stores of bytes cannot change it */

/* -- addition -------------------------------------------------------------------------------------- */

#define DEFINE_SUM(name, left_type, right_type, to, convert, left_round, right_round) \
    static void name(void* argument, int64_t begin, int64_t end) { \
        const operands o = *(const operands*)argument; \
        const left_type* left = (const left_type*)o.left; \
        const right_type* right = (const right_type*)o.right; \
        to* out = (to*)o.out; \
        for (int64_t i = begin; i < end; i++) { \
            out[i] = convert(left_round(left[i] * o.left_scale) + right_round(right[i] * o.right_scale)); \
        } \
    }

DEFINE_SUM(sum_int8, int8_t, int8_t, int8_t, to_int8, , )
DEFINE_SUM(sum_uint8, uint8_t, uint8_t, uint8_t, to_uint8, , )
/* oneDNN converts uint8 to the scale of the result first. */
DEFINE_SUM(sum_int8_uint8, int8_t, uint8_t, int8_t, to_int8, , (float)to_int8)
DEFINE_SUM(sum_uint8_int8, uint8_t, int8_t, int8_t, to_int8, (float)to_int8, )
DEFINE_SUM(wide_int8, int8_t, int8_t, int32_t, to_int32, , )
DEFINE_SUM(wide_uint8, uint8_t, uint8_t, int32_t, to_int32, , )
DEFINE_SUM(wide_int8_uint8, int8_t, uint8_t, int32_t, to_int32, , )
DEFINE_SUM(wide_uint8_int8, uint8_t, int8_t, int32_t, to_int32, , )

static const opforge_range SUMS[2][2][2] = { /* by whether the result is wide, and the operands are uint8 */
    {{sum_int8, sum_int8_uint8}, {sum_uint8_int8, sum_uint8}},
    {{wide_int8, wide_int8_uint8}, {wide_uint8_int8, wide_uint8}},
};

static int32_t add(opforge_call* call) {
    const opforge_tensor *left = &call->inputs[0], *right = &call->inputs[1], *out = &call->outputs[0];
    float left_range = range_at(call, LEFT_RANGE), right_range = range_at(call, RIGHT_RANGE), low, high;
    int is_wide = out->dtype == OPFORGE_INT32;
    if (!find_calibrated(call, &low, &high)) high = left_range + right_range, low = -high;
    operands o = {left->data, right->data, out->data, 0, 0, 0};
    if (is_wide) {
        o.left_scale = left_range * INT32_LIMIT / (high * finer_limit(left->dtype));
        o.right_scale = right_range * INT32_LIMIT / (high * finer_limit(right->dtype));
    } else {
        float scale = finer_limit(out->dtype) / magnitude_of(low, high);
        o.left_scale = scale / (finer_limit(left->dtype) / left_range);
        o.right_scale = scale / (finer_limit(right->dtype) / right_range);
    }
    opforge_range loop = SUMS[is_wide][left->dtype == OPFORGE_UINT8][right->dtype == OPFORGE_UINT8];
    call->host->parallel_for(call, opforge_count(out), GRAIN, loop, &o);
    set_range(call, low, high);
    return OPFORGE_OK;
}

/* -- multiplication ---------------------------------------------------------------------------------- */

/* MXNet truncates the scaled product. */
static int8_t truncate_to_int8(float x) {
    int32_t whole = truncate_to_int32(x);
    return (int8_t)(whole > 127 ? 127 : whole < -128 ? -128 : whole);
}

#define TO_INT8(x, scale) truncate_to_int8((float)(x) * (scale))
#define TO_INT32(x, scale) (x)
#define TO_FLOAT(x, scale) ((float)(x) * (scale))

#define DEFINE_PRODUCT(name, left_type, right_type, to, convert) \
    static void name(void* argument, int64_t begin, int64_t end) { \
        const operands o = *(const operands*)argument; \
        const left_type* left = (const left_type*)o.left; \
        const right_type* right = (const right_type*)o.right; \
        to* out = (to*)o.out; \
        for (int64_t i = begin; i < end; i++) out[i] = convert(left[i] * right[i], o.scale); \
    }

#define DEFINE_PRODUCTS(name, to, convert) \
    DEFINE_PRODUCT(name##_ss, int8_t, int8_t, to, convert) \
    DEFINE_PRODUCT(name##_su, int8_t, uint8_t, to, convert) \
    DEFINE_PRODUCT(name##_us, uint8_t, int8_t, to, convert) \
    DEFINE_PRODUCT(name##_uu, uint8_t, uint8_t, to, convert)

DEFINE_PRODUCTS(narrow, int8_t, TO_INT8)
DEFINE_PRODUCTS(exact, int32_t, TO_INT32)
DEFINE_PRODUCTS(real, float, TO_FLOAT)

enum { NARROW, EXACT, REAL }; /* kinds of results */

static const opforge_range PRODUCTS[3][2][2] = { /* by kind, and by whether the operands are uint8 */
    {{narrow_ss, narrow_su}, {narrow_us, narrow_uu}},
    {{exact_ss, exact_su}, {exact_us, exact_uu}},
    {{real_ss, real_su}, {real_us, real_uu}},
};

static int32_t multiply(opforge_call* call) {
    const opforge_tensor *left = &call->inputs[0], *right = &call->inputs[1], *out = &call->outputs[0];
    float left_range = range_at(call, LEFT_RANGE), right_range = range_at(call, RIGHT_RANGE), low = 0, high = 0;
    float left_scale = finer_limit(left->dtype) / left_range, right_scale = finer_limit(right->dtype) / right_range;
    operands o = {left->data, right->data, out->data, 0, 0, 1};
    int kind = EXACT;
    if (out->dtype == OPFORGE_FLOAT32) {
        kind = REAL;
        o.scale = (float)(1.0 / left_scale / right_scale);
    } else if (find_calibrated(call, &low, &high)) {
        kind = NARROW;
        o.scale = finer_limit(OPFORGE_INT8) / magnitude_of(low, high) / left_scale / right_scale;
    } else {
        high = left_range / whole_limit(left->dtype) * (right_range / whole_limit(right->dtype)) * INT32_LIMIT;
        low = -high;
    }
    opforge_range loop = PRODUCTS[kind][left->dtype == OPFORGE_UINT8][right->dtype == OPFORGE_UINT8];
    call->host->parallel_for(call, opforge_count(out), GRAIN, loop, &o);
    if (call->n_outputs == 3) set_range(call, low, high);
    return OPFORGE_OK;
}

const opforge_operator elemwise_add_operator = OPERATOR("_contrib_quantized_elemwise_add", add);
const opforge_operator elemwise_mul_operator = OPERATOR("_contrib_quantized_elemwise_mul", multiply);
