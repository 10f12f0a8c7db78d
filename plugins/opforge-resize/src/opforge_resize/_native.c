/* Padding, repetition, interpolation and sampling of images: plans, selection of loops, and the library. */
#include <opforge/module.h>
#include <opforge/float16.h>
#include <tgmath.h>

#include "kernels/arguments.h"

#define T float
#define NAME(name) name##_f32
#include "kernels/loops.h"
#undef T
#undef NAME

#define T double
#define NAME(name) name##_f64
#include "kernels/loops.h"

/* Loop over units of work that each touch about `each` elements. */
static int32_t run_parallel(opforge_call* call, int64_t units, int64_t each, int64_t scratch, opforge_part part, void* work) {
    int64_t grain = each > 0 && each < 16384 ? 16384 / each : 1;
    return call->host->parallel(call, units, grain, scratch, part, work);
}

/* -- resampling by maps of axes -------------------------------------------------------------------------- */

typedef void (*table_maker)(const opforge_call* call, axis_map* map, int64_t axis);

static int32_t free_tables(opforge_call* call) {
    resampling* r = (resampling*)call->plan;
    for (int i = 0; i < 3; i++) free_map(&r->axes[i]);
    free(r);
    return OPFORGE_OK;
}

/* Create the maps of all axes after the second; `make` fills the map of an axis that has elements. */
static int32_t make_tables(opforge_call* call, table_maker make) {
    const opforge_tensor *data = &call->inputs[0], *out = &call->outputs[0];
    resampling* r = (resampling*)calloc(1, sizeof *r);
    if (r == NULL) return OPFORGE_NO_MEMORY;
    call->plan = r;
    r->planes = data->shape[0] * data->shape[1];
    r->in_size = r->out_size = 1;
    const opforge_attribute* constant = opforge_find(call, "constant_value");
    r->constant = constant == NULL ? 0 : constant->number;
    for (int i = 0; i < 3; i++) {
        int axis = data->ndim - 3 + i; /* with four dimensions, DEPTH is the channel axis and stays an identity of length 1 */
        int64_t in = axis > 1 ? data->shape[axis] : 1, to = axis > 1 ? out->shape[axis] : 1;
        if (init_map(&r->axes[i], in, to) != OPFORGE_OK) {
            free_tables(call);
            call->plan = NULL;
            return OPFORGE_NO_MEMORY;
        }
        if (axis > 1 && in > 0) make(call, &r->axes[i], axis);
        if (in == 0) map_to_constant(&r->axes[i]);
        find_run(&r->axes[i]);
        r->in_size *= in;
        r->out_size *= to;
    }
    return OPFORGE_OK;
}

static void make_padding(const opforge_call* call, axis_map* map, int64_t axis) {
    const char* mode = opforge_find(call, "mode")->text;
    map_padding(map, opforge_find(call, "pad_width")->integers[2 * axis],
             mode[0] == 'c' ? CONSTANT : mode[0] == 'e' ? EDGE : REFLECT);
}

static void make_repetition(const opforge_call* call, axis_map* map, int64_t axis) {
    (void)call, (void)axis;
    map_repetition(map);
}

static void make_crop(const opforge_call* call, axis_map* map, int64_t axis) {
    int64_t offset = opforge_find(call, "offset")->integers[axis - 2];
    map_crop(map, opforge_find(call, "center_crop")->integer ? (map->in - map->out) / 2 : offset);
}

static void make_interpolation(const opforge_call* call, axis_map* map, int64_t axis) {
    (void)axis;
    map_interpolation(map, opforge_find(call, "align_corners")->integer != 0);
}

static int32_t plan_padding(opforge_call* call) { return make_tables(call, make_padding); }
static int32_t plan_repetition(opforge_call* call) { return make_tables(call, make_repetition); }
static int32_t plan_crop(opforge_call* call) { return make_tables(call, make_crop); }
static int32_t plan_interpolation(opforge_call* call) { return make_tables(call, make_interpolation); }

static int32_t resample(opforge_call* call, const opforge_tensor* data, const opforge_tensor* out, int backward) {
    const resampling* r = (const resampling*)call->plan;
    resampling_work work = {r, data->data, out->data, backward};
    int single = data->dtype == OPFORGE_FLOAT32;
    if (r->planes == 0) return OPFORGE_OK;
    /* Without data nothing is read: the result can only be constant. */
    return run_parallel(call, r->planes, r->in_size + r->out_size, (r->axes[WIDTH].in + 1) * (int64_t)sizeof(double),
                single ? resample_part_f32 : resample_part_f64, &work);
}

static int32_t resample_forward(opforge_call* call) {
    if (opforge_is_half(call->inputs[0].dtype)) return opforge_in_float32(call, resample_forward);
    return resample(call, &call->inputs[0], &call->outputs[0], 0);
}

static int32_t resample_backward(opforge_call* call) {
    if (opforge_is_half(call->in_grads[0].dtype)) return opforge_in_float32(call, resample_backward);
    /* Only the shape of a second input is used, so its gradient is 0. */
    for (int32_t i = 1; i < call->n_inputs; i++) {
        if (call->in_grads[i].data != NULL) memset(call->in_grads[i].data, 0, (size_t)call->in_grads[i].byte_size);
    }
    if (call->in_grads[0].data == NULL || call->in_grads[0].byte_size == 0) return OPFORGE_OK;
    return resample(call, &call->in_grads[0], &call->out_grads[0], 1);
}

/* -- sampling -------------------------------------------------------------------------------------------- */

static sampling sampling_of(const opforge_call* call, void* out) {
    const opforge_tensor *data = &call->inputs[0], *grid = &call->inputs[1];
    return (sampling){.images = data->shape[0], .channels = data->shape[1], .height = data->shape[2],
                      .width = data->shape[3], .out_size = grid->shape[2] * grid->shape[3], .data = data->data,
                      .grid = grid->data, .out = out};
}

static int32_t sample_forward(opforge_call* call) {
    if (opforge_is_half(call->inputs[0].dtype)) return opforge_in_float32(call, sample_forward);
    sampling s = sampling_of(call, call->outputs[0].data);
    if (call->outputs[0].byte_size == 0) return OPFORGE_OK;
    int single = call->inputs[0].dtype == OPFORGE_FLOAT32;
    return run_parallel(call, s.images * s.channels, s.out_size * 8, 0, single ? sample_part_f32 : sample_part_f64, &s);
}

static int32_t sample_backward(opforge_call* call) {
    if (opforge_is_half(call->inputs[0].dtype)) return opforge_in_float32(call, sample_backward);
    sampling s = sampling_of(call, call->out_grads[0].data);
    int single = call->inputs[0].dtype == OPFORGE_FLOAT32;
    int32_t status = OPFORGE_OK;
    s.data_grad = call->in_grads[0].data;
    s.grid_grad = call->in_grads[1].data;
    if (call->wanted[0] && call->in_grads[0].byte_size > 0) {
        status = run_parallel(call, s.images * s.channels, s.height * s.width + s.out_size * 8, 0,
                      single ? data_part_f32 : data_part_f64, &s);
    }
    if (status || !call->wanted[1] || call->in_grads[1].byte_size == 0) return status;
    return run_parallel(call, s.images, s.out_size * (8 + s.channels * 8), 0, single ? grid_part_f32 : grid_part_f64, &s);
}

/* -- upsampling with weights ------------------------------------------------------------------------------- */

static upsampling upsampling_of(const opforge_call* call, void* out) {
    const opforge_tensor *data = &call->inputs[0], *weight = &call->inputs[1];
    const int64_t *in = data->shape, *to = call->outputs[0].shape;
    int64_t scale = opforge_find(call, "scale")->integer;
    return (upsampling){.planes = in[0] * in[1], .channels = in[1], .height = in[2], .width = in[3],
                      .out_height = to[2], .out_width = to[3], .scale = scale, .size = weight->shape[3],
                      .pad = scale / 2, .data = data->data, .weight = weight->data, .out = out};
}

static int32_t upsample_forward(opforge_call* call) {
    if (opforge_is_half(call->inputs[0].dtype)) return opforge_in_float32(call, upsample_forward);
    upsampling s = upsampling_of(call, call->outputs[0].data);
    if (call->outputs[0].byte_size == 0) return OPFORGE_OK;
    int single = call->inputs[0].dtype == OPFORGE_FLOAT32;
    return run_parallel(call, s.planes, s.height * s.width * s.size * s.size / 2, 0, single ? upsample_part_f32 : upsample_part_f64, &s);
}

static int32_t upsample_backward(opforge_call* call) {
    if (opforge_is_half(call->inputs[0].dtype)) return opforge_in_float32(call, upsample_backward);
    upsampling s = upsampling_of(call, call->out_grads[0].data);
    int single = call->inputs[0].dtype == OPFORGE_FLOAT32;
    int64_t each = s.height * s.width * s.size * s.size / 2;
    int32_t status = OPFORGE_OK;
    s.data_grad = call->in_grads[0].data;
    s.weight_grad = call->in_grads[1].data;
    if (call->wanted[0] && call->in_grads[0].byte_size > 0)
        status = run_parallel(call, s.planes, each, 0, single ? upsample_data_part_f32 : upsample_data_part_f64, &s);
    if (status || !call->wanted[1] || call->in_grads[1].byte_size == 0) return status;
    int64_t images = s.channels > 0 ? s.planes / s.channels : 0;
    return run_parallel(call, s.channels, each * images, 0, single ? upsample_weight_part_f32 : upsample_weight_part_f64, &s);
}

/* -- the library -------------------------------------------------------------------------------------------- */

#define RESAMPLING(title, planner) \
    {.head = OPFORGE_HEAD(opforge_operator), .name = title, .plan = planner, .unplan = free_tables, \
     .forward = resample_forward, .backward = resample_backward}

static const opforge_operator padding = RESAMPLING("Pad", plan_padding);
static const opforge_operator repetition = RESAMPLING("_repeat_pixels", plan_repetition);
static const opforge_operator crop = RESAMPLING("Crop", plan_crop);
static const opforge_operator interpolation = RESAMPLING("_contrib_BilinearResize2D", plan_interpolation);
static const opforge_operator sampler = {
    .head = OPFORGE_HEAD(opforge_operator),
    .name = "BilinearSampler",
    .forward = sample_forward,
    .backward = sample_backward,
    .flags = OPFORGE_WANTED,
};
static const opforge_operator upsample = {
    .head = OPFORGE_HEAD(opforge_operator),
    .name = "_spread_pixels",
    .forward = upsample_forward,
    .backward = upsample_backward,
    .flags = OPFORGE_WANTED,
};

OPFORGE_MODULE(_native, &padding, &repetition, &crop, &interpolation, &sampler, &upsample);
