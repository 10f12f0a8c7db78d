/* The operators im2col and col2im, from images to patches and back. Each is the gradient of the other. */
#include <opforge/float16.h>

#include "inference.h"
#include "operators.h"
#include "patches.h"

/* A parallel loop over the channels of all images. */
typedef struct channels {
    opforge_call* call;
    conv_shape shape;
    const char* from;
    char* to;
    int64_t volume, patch; /* elements of a channel of an image, and of its patches */
} channels;

/* -- sizes --------------------------------------------------------------------------------------------------- */

/* Complete the shape of patches: (n, channels * elements of the kernel, positions). */
static int32_t complete_patches(opforge_call* call, opforge_tensor* images, opforge_tensor* patches) {
    const conv_settings* s = (const conv_settings*)call->state;
    int64_t positions = 1, taps = conv_volume(s->kernel), rows = 0;
    int is_countable = 1;
    int32_t status = conv_expect_ndim(call, "the array of images", images, s->dims + 2);
    if (!status) status = conv_expect_ndim(call, "the array of patches", patches, 3);
    for (int axis = CONV_DIMS - s->dims; axis < CONV_DIMS && !status; axis++) {
        int64_t length = 0;
        status = conv_length(call, s, axis, images->shape[conv_space_axis(s, axis)], &length);
        is_countable &= !__builtin_mul_overflow(positions, length, &positions);
    }
    if (status) return status;
    if (patches->shape[1] % taps != 0) {
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "patches have %lld rows; expected a multiple of the kernel's elements, %lld",
                            (long long)patches->shape[1], (long long)taps);
    }
    conv_update_length(&images->shape[0], patches->shape[0]);
    conv_update_length(&images->shape[1], patches->shape[1] / taps);
    conv_update_length(&patches->shape[0], images->shape[0]);
    if (!is_countable || __builtin_mul_overflow(images->shape[1], taps, &rows)) {
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "the patches are more than 64 bits count");
    }
    conv_update_length(&patches->shape[1], rows);
    conv_update_length(&patches->shape[2], positions);
    return OPFORGE_OK;
}

static int32_t complete_im2col(opforge_call* call) {
    if (conv_is_about_types(call)) return conv_complete_types(call);
    if (call->arguments[0].ndim == -1) return OPFORGE_OK;
    return complete_patches(call, &call->arguments[0], &call->outputs[0]);
}

static int32_t complete_col2im(opforge_call* call) {
    const conv_settings* s = (const conv_settings*)call->state;
    opforge_tensor* out = &call->outputs[0];
    int64_t size[CONV_DIMS];
    if (conv_is_about_types(call)) return conv_complete_types(call);
    if (call->arguments[0].ndim == -1) return OPFORGE_OK;
    int32_t status = conv_read_lengths(call, "output_size", s->dims, 0, size);
    if (!status) status = conv_expect_ndim(call, "the output", out, s->dims + 2);
    if (status) return status;
    for (int axis = CONV_DIMS - s->dims; axis < CONV_DIMS; axis++) out->shape[conv_space_axis(s, axis)] = size[axis];
    return complete_patches(call, out, &call->arguments[0]);
}

/* -- both directions ------------------------------------------------------------------------------------------- */

static channels describe(opforge_call* call, const opforge_tensor* images, const void* from, void* to) {
    const conv_settings* s = (const conv_settings*)call->state;
    channels w = {.call = call, .from = (const char*)from, .to = (char*)to};
    w.shape = conv_shape_of(s, images, images);
    for (int axis = 0; axis < CONV_DIMS; axis++) {
        /* Inference has checked that the filter fits. */
        int64_t in = w.shape.in[axis];
        w.shape.out[axis] = in == 0 ? 0 : (in + 2 * s->pad[axis] - conv_reach(s, axis)) / s->stride[axis] + 1;
    }
    w.volume = conv_volume(w.shape.in);
    w.patch = conv_volume(w.shape.kernel) * conv_volume(w.shape.out);
    return w;
}

static conv_block whole(const channels* w) {
    return (conv_block){0, conv_volume(w->shape.kernel), 0, conv_volume(w->shape.out)};
}

static int32_t unfold_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const channels* w = (const channels*)argument;
    int64_t item = opforge_item_size(w->shape.dtype);
    conv_block block = whole(w);
    (void)worker;
    for (int64_t at = begin; at < end; at++) {
        conv_unfold(&w->shape, &block, w->from + at * w->volume * item, w->to + at * w->patch * item);
    }
    return OPFORGE_OK;
}

static int32_t fold_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const channels* w = (const channels*)argument;
    int64_t item = opforge_item_size(w->shape.dtype);
    conv_block block = whole(w);
    (void)worker;
    for (int64_t at = begin; at < end; at++) {
        char* to = w->to + at * w->volume * item;
        memset(to, 0, (size_t)(w->volume * item));
        conv_fold(&w->shape, &block, w->from + at * w->patch * item, to);
    }
    return OPFORGE_OK;
}

static int32_t run(channels w, opforge_part part) {
    int64_t grain = (1 << 14) / (w.patch + 1) + 1;
    return w.call->host->parallel(w.call, w.shape.n * w.shape.in_channels, grain, 0, part, &w);
}

static int32_t unfold(opforge_call* call, const opforge_tensor* images, const opforge_tensor* patches) {
    return run(describe(call, images, images->data, patches->data), unfold_part);
}

static int32_t fold(opforge_call* call, const opforge_tensor* patches, const opforge_tensor* images) {
    return run(describe(call, images, patches->data, images->data), fold_part);
}

static int32_t forward_im2col(opforge_call* call) { return unfold(call, &call->inputs[0], &call->outputs[0]); }
static int32_t backward_im2col(opforge_call* call) {
    if (opforge_is_half(call->in_grads[0].dtype)) return opforge_in_float32(call, backward_im2col);
    return fold(call, &call->out_grads[0], &call->in_grads[0]);
}
static int32_t forward_col2im(opforge_call* call) {
    if (opforge_is_half(call->inputs[0].dtype)) return opforge_in_float32(call, forward_col2im);
    return fold(call, &call->inputs[0], &call->outputs[0]);
}
static int32_t backward_col2im(opforge_call* call) { return unfold(call, &call->out_grads[0], &call->in_grads[0]); }

const opforge_operator conv_im2col = {
    .head = OPFORGE_HEAD(opforge_operator),
    .name = "im2col",
    .create = conv_create,
    .destroy = conv_destroy,
    .complete = complete_im2col,
    .forward = forward_im2col,
    .backward = backward_im2col,
};

const opforge_operator conv_col2im = {
    .head = OPFORGE_HEAD(opforge_operator),
    .name = "col2im",
    .create = conv_create,
    .destroy = conv_destroy,
    .complete = complete_col2im,
    .forward = forward_col2im,
    .backward = backward_col2im,
};
