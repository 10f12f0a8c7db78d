/* The operator _winograd_weight: filters of 3x3 as Winograd's convolution on blocks multiplies by them, the
 * values of their polynomials at 0, +-A, +-B and infinity (kernels/winograd_transforms.h), a vector of filters
 * side by side. */
#include "inference.h"
#include "operators.h"

enum { TAPS = 3, VALUES = 6, POINTS = VALUES * VALUES, MOST_LANES = 16 };

static const double A = 0.625, B = 1.5;

typedef struct weights {
    int64_t channels, lanes;
    const void* weight;
    void* points;
} weights;

#define DEFINE_PART(T)                                                                                    \
    /* Polynomials of three taps, a row of lanes each. */                                                 \
    static void values_##T(T taps[TAPS][MOST_LANES], T values[VALUES][MOST_LANES]) {                      \
        const T aa = (T)(A * A), bb = (T)(B * B), a = (T)A, b = (T)B;                                     \
        const T of_a = 1 / (2 * aa * (aa - bb)), of_b = 1 / (2 * bb * (bb - aa));                         \
        for (int lane = 0; lane < MOST_LANES; lane++) {                                                   \
            T first = taps[0][lane], second = taps[1][lane], third = taps[2][lane];                       \
            T even_a = of_a * (first + aa * third), odd_a = of_a * a * second;                            \
            T even_b = of_b * (first + bb * third), odd_b = of_b * b * second;                            \
            values[0][lane] = 1 / (aa * bb) * first;                                                      \
            values[1][lane] = even_a + odd_a;                                                             \
            values[2][lane] = even_a - odd_a;                                                             \
            values[3][lane] = even_b + odd_b;                                                             \
            values[4][lane] = even_b - odd_b;                                                             \
            values[5][lane] = third;                                                                      \
        }                                                                                                 \
    }                                                                                                     \
                                                                                                          \
    /* A unit is one channel of one vector of filters. */                                                 \
    static void transform_##T(void* argument, int64_t begin, int64_t end) {                               \
        const weights* w = (const weights*)argument;                                                      \
        T taps[TAPS][TAPS][MOST_LANES] = {{{0}}}, half[TAPS][VALUES][MOST_LANES], turned[TAPS][MOST_LANES]; \
        T values[VALUES][MOST_LANES];                                                                     \
        for (int64_t unit = begin; unit < end; unit++) {                                                  \
            int64_t vector = unit / w->channels, channel = unit % w->channels;                            \
            const T* from = (const T*)w->weight + (vector * w->lanes * w->channels + channel) * TAPS * TAPS; \
            T* to = (T*)w->points + (vector * POINTS * w->channels + channel) * w->lanes;                 \
            for (int64_t lane = 0; lane < w->lanes; lane++, from += w->channels * TAPS * TAPS) {          \
                for (int tap = 0; tap < TAPS * TAPS; tap++) taps[tap % TAPS][tap / TAPS][lane] = from[tap]; \
            }                                                                                             \
            for (int x = 0; x < TAPS; x++) values_##T(taps[x], half[x]);                                  \
            for (int y = 0; y < VALUES; y++) {                                                            \
                for (int x = 0; x < TAPS; x++) memcpy(turned[x], half[x][y], sizeof turned[x]);           \
                values_##T(turned, values);                                                               \
                for (int x = 0; x < VALUES; x++, to += w->channels * w->lanes) {                          \
                    memcpy(to, values[x], (size_t)w->lanes * sizeof(T));                                  \
                }                                                                                         \
            }                                                                                             \
        }                                                                                                 \
    }
DEFINE_PART(float)
DEFINE_PART(double)

static int32_t complete_types(opforge_call* call) {
    int32_t status = conv_complete_types(call), type = call->outputs[0].dtype;
    if (status || type != OPFORGE_FLOAT16) return status;
    return opforge_fail(call, OPFORGE_BAD_DTYPE, "weight is float16, expected float32 or float64");
}

static int32_t complete(opforge_call* call) {
    opforge_tensor *weight = &call->arguments[0], *out = &call->outputs[0];
    int64_t lanes = conv_fast_lanes();
    if (conv_is_about_types(call)) return complete_types(call);
    if (weight->ndim == -1) return OPFORGE_OK;
    int32_t status = conv_expect_ndim(call, "weight", weight, 4);
    if (!status) status = conv_expect_ndim(call, "output", out, 4);
    if (status) return status;
    if (weight->shape[0] % lanes != 0) {
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "weight has %lld filters, expected a multiple of %lld",
                            (long long)weight->shape[0], (long long)lanes);
    }
    for (int axis = 2; axis < 4; axis++) {
        if (weight->shape[axis] == TAPS || weight->shape[axis] == 0) continue;
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "filters have a length of %lld, expected %d",
                            (long long)weight->shape[axis], TAPS);
    }
    const int64_t shape[] = {weight->shape[0] / lanes, POINTS, weight->shape[1], lanes};
    weight->shape[2] = weight->shape[3] = TAPS;
    for (int axis = 0; axis < 4; axis++) out->shape[axis] = shape[axis];
    return OPFORGE_OK;
}

static int32_t forward(opforge_call* call) {
    const opforge_tensor* weight = &call->inputs[0];
    weights w = {weight->shape[1], conv_fast_lanes(), weight->data, call->outputs[0].data};
    opforge_range part = weight->dtype == OPFORGE_FLOAT32 ? transform_float : transform_double;
    call->host->parallel_for(call, weight->shape[0] / w.lanes * w.channels, 16, part, &w);
    return OPFORGE_OK;
}

const opforge_operator conv_winograd_weight = {
    .head = OPFORGE_HEAD(opforge_operator),
    .name = "_winograd_weight",
    .complete = complete,
    .forward = forward,
};
