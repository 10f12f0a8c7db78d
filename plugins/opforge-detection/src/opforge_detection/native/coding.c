/* The operators _contrib_box_encode and _contrib_box_decode. */
#include <math.h>
#include <opforge/float16.h>

#include "attributes.h"
#include "operators.h"

enum { PART = 512 }; /* boxes of a part of a loop at least */

typedef struct encode_work {
    opforge_call* call;
    const void *samples, *matches, *anchors, *refs, *means, *stds;
    void *targets, *masks;
    int64_t n, n_refs; /* anchors and boxes of a picture */
} encode_work;

typedef struct decode_work {
    const void *moves, *anchors;
    void* boxes;
    int64_t n; /* anchors, which the pictures share */
    double stds[4], clip;
    int is_center;
} decode_work;

static inline float e_to_f32(float x) { return expf(x); }
static inline double e_to_f64(double x) { return exp(x); }
static inline float log_of_f32(float x) { return logf(x); }
static inline double log_of_f64(double x) { return log(x); }

#define KERNELS "kernels/coding.h"
#include "kernels/for_types.h"

static int32_t encode(opforge_call* call) {
    const opforge_tensor* in = call->inputs;
    if (call->outputs[0].byte_size == 0) return OPFORGE_OK;
    if (in[0].dtype == OPFORGE_FLOAT16) return opforge_in_float32(call, encode);
    encode_work w = {call, in[0].data, in[1].data, in[2].data, in[3].data, in[4].data, in[5].data,
                     call->outputs[0].data, call->outputs[1].data, in[2].shape[1], in[3].shape[1]};
    return call->host->parallel(call, in[2].shape[0] * w.n, PART, 0,
                                in[0].dtype == OPFORGE_FLOAT32 ? encode_part_f32 : encode_part_f64, &w);
}

static int32_t decode(opforge_call* call) {
    const opforge_tensor* data = &call->inputs[0];
    if (data->byte_size == 0) return OPFORGE_OK;
    if (data->dtype == OPFORGE_FLOAT16) return opforge_in_float32(call, decode);
    decode_work w = {data->data, call->inputs[1].data, call->outputs[0].data, data->shape[1]};
    w.stds[0] = real_number(call, "std0");
    w.stds[1] = real_number(call, "std1");
    w.stds[2] = real_number(call, "std2");
    w.stds[3] = real_number(call, "std3");
    w.clip = real_number(call, "clip");
    w.is_center = is_text(call, "format", "center");
    return call->host->parallel(call, data->shape[0] * w.n, PART, 0,
                                data->dtype == OPFORGE_FLOAT32 ? decode_part_f32 : decode_part_f64, &w);
}

const opforge_operator detection_box_encode = {
    .head = OPFORGE_HEAD(opforge_operator),
    .name = "_contrib_box_encode",
    .forward = encode,
};
const opforge_operator detection_box_decode = {
    .head = OPFORGE_HEAD(opforge_operator),
    .name = "_contrib_box_decode",
    .forward = decode,
};
