/* The operators _contrib_box_encode and _contrib_box_decode. */
#include <opforge/float16.h>
#include <tgmath.h>

#include "operators.h"

enum { PART = 512 }; /* minimum number of boxes in a part of a loop */

typedef struct encode_work {
    opforge_call* call;
    const void *samples, *matches, *anchors, *refs, *means, *stds;
    void *targets, *masks;
    int64_t n, n_refs; /* anchors and boxes of an image */
} encode_work;

typedef struct decode_work {
    const void *deltas, *anchors;
    void* boxes;
    int64_t n; /* anchors, shared by all images */
    double stds[4], clip;
    int is_center;
} decode_work;

#define KERNELS "kernels/coding.h"
#include "kernels/for_types.h"

static int32_t encode(opforge_call* call) {
    const opforge_tensor* in = call->inputs;
    if (call->outputs[0].byte_size == 0) return OPFORGE_OK;
    if (opforge_is_half(in[0].dtype)) return opforge_in_float32(call, encode);
    encode_work w = {call, in[0].data, in[1].data, in[2].data, in[3].data, in[4].data, in[5].data,
                     call->outputs[0].data, call->outputs[1].data, in[2].shape[1], in[3].shape[1]};
    return call->host->parallel(call, in[2].shape[0] * w.n, PART, 0,
                                in[0].dtype == OPFORGE_FLOAT32 ? encode_part_f32 : encode_part_f64, &w);
}

static int32_t decode(opforge_call* call) {
    const opforge_tensor* data = &call->inputs[0];
    if (data->byte_size == 0) return OPFORGE_OK;
    if (opforge_is_half(data->dtype)) return opforge_in_float32(call, decode);
    decode_work w = {data->data, call->inputs[1].data, call->outputs[0].data, data->shape[1]};
    w.stds[0] = opforge_find(call, "std0")->number;
    w.stds[1] = opforge_find(call, "std1")->number;
    w.stds[2] = opforge_find(call, "std2")->number;
    w.stds[3] = opforge_find(call, "std3")->number;
    w.clip = opforge_find(call, "clip")->number;
    w.is_center = strcmp(opforge_find(call, "format")->text, "center") == 0;
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
