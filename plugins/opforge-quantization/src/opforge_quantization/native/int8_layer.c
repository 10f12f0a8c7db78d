/* _int8_convolution and _int8_dense: quantized layers with their bias, the sum with another array, ReLU and the
 * conversion of the results; and _int8_filters, which prepares their filters.
 *
 * Channels of `blocked` arrays are the last axis: (n, 1, h, w, channels). Others are copied to that order. */
#include "native/channels_last.h"
#include "native/operators.h"
#include "native/ranges.h"
#include "native/window.h"
#include "kernels/byte_convolution.h"
#include "kernels/byte_depthwise.h"
#include "kernels/packed_filters.h"

enum { H, W };

typedef struct layer {
    const opforge_tensor *data, *weight, *scale, *bias, *other, *out;
    int64_t images, channels, filters, groups;
    int64_t results; /* positions in all images */
    byte_window window;
    filter_sizes sizes;
    packed_filters packed;
    byte_finish finish;
    int is_signed, is_blocked;
    float data_range, other_range, out_scale; /* out_scale: integers of a real number 1 */
    char* results_at; /* channels last */
} layer;

static int is_set(const opforge_call* call, const char* name) {
    const opforge_attribute* found = opforge_find(call, name);
    return found != NULL && found->integer != 0;
}

/* Read the sizes of images, results and windows; rows of dense layers are images of one position. */
static void read_sizes(const opforge_call* call, layer* l) {
    const opforge_tensor *data = l->data, *out = l->out;
    const int first = opforge_find(call, "kernel") != NULL ? 2 : 0, channel_axis = l->is_blocked ? 4 : 1;
    byte_window* w = &l->window;
    if (first) {
        l->images = data->shape[0], l->channels = data->shape[channel_axis], l->filters = out->shape[channel_axis];
    } else {
        const int last = out->ndim - 1; /* features begin at this axis of data */
        l->images = l->channels = 1;
        for (int axis = 0; axis < data->ndim; axis++) *(axis < last ? &l->images : &l->channels) *= data->shape[axis];
        l->filters = out->shape[last];
    }
    w->channels = l->channels;
    w->height = first ? data->shape[first] : 1;
    w->width = first ? data->shape[first + 1] : 1;
    w->out_height = first ? out->shape[first] : 1;
    w->out_width = first ? out->shape[first + 1] : 1;
    for (int axis = H; axis <= W; axis++) {
        w->kernel[axis] = number_for(call, "kernel", axis, 1);
        w->stride[axis] = number_for(call, "stride", axis, 1);
        w->dilate[axis] = number_for(call, "dilate", axis, 1);
        w->pad[axis] = number_for(call, "pad", axis, 0);
    }
    const opforge_attribute* groups = opforge_find(call, "num_group");
    l->groups = groups != NULL ? groups->integer : 1;
    l->results = l->images * w->out_height * w->out_width;
}

/* Inputs are data, weight, perhaps its scale, a bias and the array to add, then the range of data and of that array. */
static void read_inputs(const opforge_call* call, layer* l) {
    int at = 0;
    l->data = &call->inputs[at++];
    l->weight = &call->inputs[at++];
    l->scale = is_set(call, "with_scale") ? &call->inputs[at++] : NULL;
    l->bias = is_set(call, "no_bias") ? NULL : &call->inputs[at++];
    l->other = is_set(call, "with_sum") ? &call->inputs[at++] : NULL;
    l->out = &call->outputs[0];
    l->is_signed = l->data->dtype == OPFORGE_INT8;
    l->is_blocked = is_set(call, "blocked");
    l->data_range = range_at(call, at);
    if (l->other != NULL) l->other_range = range_at(call, at + 2);
}

/* Pack filters of float32 or int8 to a block. */
static int32_t pack(opforge_call* call, const filter_sizes* sizes, const opforge_tensor* weight, void* block) {
    int8_t* memory = call->host->scratch(call, opforge_count(weight));
    if (block == NULL || memory == NULL) return OPFORGE_NO_MEMORY;
    if (weight->dtype == OPFORGE_FLOAT32) pack_filters(sizes, (const float*)weight->data, memory, block);
    else pack_integers(sizes, (const int8_t*)weight->data, memory, block);
    return OPFORGE_OK;
}

static int32_t prepare_filters(opforge_call* call, layer* l) {
    const int64_t taps = l->window.kernel[H] * l->window.kernel[W];
    if (!filter_sizes_of(l->filters, l->channels / l->groups, taps, l->groups, &l->sizes)) return OPFORGE_NO_MEMORY;
    void* block = l->weight->data;
    if (l->weight->dtype != OPFORGE_UINT8) {
        block = call->host->scratch(call, l->sizes.byte_size);
        const int32_t status = pack(call, &l->sizes, l->weight, block);
        if (status) return status;
    } else if (l->weight->byte_size != l->sizes.byte_size) {
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "weight has %lld bytes; expected %lld from _int8_filters",
                            (long long)l->weight->byte_size, (long long)l->sizes.byte_size);
    }
    l->packed = packed_filters_at(&l->sizes, block);
    return OPFORGE_OK;
}

static byte_result result_of(opforge_dtype dtype) {
    return dtype == OPFORGE_INT8 ? RESULT_INT8 : dtype == OPFORGE_UINT8 ? RESULT_UINT8 : RESULT_FLOAT32;
}

/* Set the factors that turn sums into results, and the range of these. */
static int32_t prepare_finish(opforge_call* call, layer* l) {
    const int64_t columns = (l->sizes.is_depthwise ? 1 : l->groups) * l->sizes.padded;
    float* numbers = call->host->scratch(call, columns * 12);
    if (numbers == NULL) return OPFORGE_NO_MEMORY;
    memset(numbers, 0, (size_t)columns * 12);
    float *scale = numbers, *shift = numbers + columns, low, high;
    int32_t* start = (int32_t*)(shift + columns);
    l->out_scale = 1;
    if (l->out->dtype != OPFORGE_FLOAT32) {
        if (!find_calibrated(call, &low, &high)) {
            return opforge_fail(call, OPFORGE_BAD_ATTRIBUTE,
                                "min_calib_range and max_calib_range are missing; results of int8 and uint8 need them");
        }
        l->out_scale = finer_limit(l->out->dtype) / magnitude_of(low, high);
        set_range(call, low, high);
    }
    const float data_scale = finer_limit(l->data->dtype) / l->data_range;
    for (int64_t filter = 0; filter < l->filters; filter++) {
        const int64_t at = filter_column(&l->sizes, filter);
        scale[at] = l->out_scale / data_scale / l->packed.scales[at];
        if (l->scale != NULL) scale[at] *= ((const float*)l->scale->data)[filter];
        if (l->bias != NULL) shift[at] = ((const float*)l->bias->data)[filter] * l->out_scale;
        start[at] = l->is_signed ? -128 * l->packed.sums[at] : 0;
    }
    l->finish = (byte_finish){
        .type = result_of(l->out->dtype), .start = start, .scale = scale, .shift = l->bias != NULL ? shift : NULL,
        .low = is_set(call, "with_act") ? 0 : -INFINITY,
    };
    return OPFORGE_OK;
}

/* Bytes of a result. */
static int64_t item_size(const layer* l) { return l->out->dtype == OPFORGE_FLOAT32 ? 4 : 1; }

/* Return an array with channels last, copied if it is not blocked; NULL if memory is short. */
static const void* with_channels_last(opforge_call* call, const layer* l, const opforge_tensor* array, int64_t channels,
                                      int64_t positions) {
    if (l->is_blocked || positions == 1) return array->data;
    void* copy = call->host->scratch(call, array->byte_size);
    if (copy != NULL) move_channels_last(call, array->data, copy, l->images, channels, positions);
    return copy;
}

/* Copy data, the other array and results to and from memory with channels last. */
static int32_t prepare_arrays(opforge_call* call, layer* l) {
    byte_window* w = &l->window;
    const int64_t positions = w->out_height * w->out_width;
    uint8_t* outside = call->host->scratch(call, l->channels);
    w->data = with_channels_last(call, l, l->data, l->channels, w->height * w->width);
    w->outside = outside;
    if (w->data == NULL || outside == NULL) return OPFORGE_NO_MEMORY;
    memset(outside, 0, (size_t)l->channels);
    if (l->other != NULL) {
        l->finish.other = with_channels_last(call, l, l->other, l->filters, positions);
        if (l->finish.other == NULL) return OPFORGE_NO_MEMORY;
        l->finish.other_step = l->filters;
        l->finish.other_is_signed = l->other->dtype == OPFORGE_INT8;
        l->finish.other_scale = l->out_scale / (finer_limit(l->other->dtype) / l->other_range);
    }
    l->results_at = l->out->data;
    if (!l->is_blocked && positions > 1) l->results_at = call->host->scratch(call, l->out->byte_size);
    return l->results_at == NULL ? OPFORGE_NO_MEMORY : OPFORGE_OK;
}

typedef struct convolving {
    byte_convolution c;
    byte_division division;
} convolving;

static int32_t run_units(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const convolving* k = (const convolving*)argument;
    byte_convolution_run(&k->c, &k->division, begin, end, worker->scratch);
    return OPFORGE_OK;
}

static int32_t convolve(opforge_call* call, const layer* l) {
    const int64_t length = l->sizes.taps * l->sizes.channels;
    convolving k = {.c = {
        .window = l->window, .is_signed = l->is_signed, .groups = l->groups, .packed_size = l->sizes.packed,
        .padded_columns = l->sizes.padded,
        .product = {
            .weights = l->packed.weights, .columns = l->sizes.filters, .depth = (length + 3) / 4,
            .out = l->results_at, .out_step = l->filters * item_size(l), .finish = l->finish,
        },
    }};
    k.division = byte_convolution_divide(&k.c, l->results, call->host->threads(call));
    const int64_t units = k.division.blocks * k.division.parts;
    const double products = (double)l->results * (double)l->filters * (double)length / (double)units;
    const int64_t grain = products < PRODUCTS_OF_GRAIN ? (int64_t)(PRODUCTS_OF_GRAIN / products) + 1 : 1;
    const int64_t scratch = byte_convolution_scratch(&k.c, &k.division);
    return call->host->parallel(call, units, grain, scratch, run_units, &k);
}

static void run_results(void* argument, int64_t begin, int64_t end) {
    byte_depthwise_run((const byte_depthwise*)argument, begin, end);
}

static int32_t convolve_channels(opforge_call* call, const layer* l) {
    byte_depthwise p = {
        .window = l->window, .is_signed = l->is_signed, .weights = l->packed.weights, .out = l->results_at,
        .finish = l->finish,
    };
    const int64_t products = l->channels * (l->sizes.taps + 4) * 4;
    call->host->parallel_for(call, l->results, PRODUCTS_OF_GRAIN / products + 1, run_results, &p);
    return OPFORGE_OK;
}

static int32_t run_layer(opforge_call* call) {
    layer l = {0};
    read_inputs(call, &l);
    read_sizes(call, &l);
    int32_t status = prepare_filters(call, &l);
    if (!status) status = prepare_finish(call, &l);
    if (status || l.out->byte_size == 0) return status;
    status = prepare_arrays(call, &l);
    if (status) return status;
    status = l.sizes.is_depthwise ? convolve_channels(call, &l) : convolve(call, &l);
    if (status || l.results_at == l.out->data) return status;
    const int64_t positions = l.window.out_height * l.window.out_width;
    move_channels_first(call, l.results_at, l.out->data, l.images, l.filters, positions, item_size(&l));
    return OPFORGE_OK;
}

static int32_t prepare(opforge_call* call, int64_t groups) {
    const opforge_tensor *weight = &call->inputs[0], *out = &call->outputs[0];
    filter_sizes sizes;
    int64_t taps = 1;
    if (weight->ndim < 2) return opforge_fail(call, OPFORGE_BAD_SHAPE, "weight has %d axes; expected 2", weight->ndim);
    if (out->byte_size == 0) return OPFORGE_OK;
    for (int axis = 2; axis < weight->ndim; axis++) taps *= weight->shape[axis];
    if (!filter_sizes_of(weight->shape[0], weight->shape[1], taps, groups, &sizes)) return OPFORGE_NO_MEMORY;
    if (sizes.byte_size != out->byte_size) {
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "output has %lld bytes; expected %lld", (long long)out->byte_size,
                            (long long)sizes.byte_size);
    }
    return pack(call, &sizes, weight, out->data);
}

static int32_t prepare_together(opforge_call* call) { return prepare(call, 1); }

static int32_t prepare_separately(opforge_call* call) { return prepare(call, call->inputs[0].shape[0]); }

const opforge_operator int8_convolution_operator = OPERATOR("_int8_convolution", run_layer);
const opforge_operator int8_dense_operator = OPERATOR("_int8_dense", run_layer);
const opforge_operator int8_filters_operator = OPERATOR("_int8_filters", prepare_together);
const opforge_operator int8_depthwise_filters_operator = OPERATOR("_int8_depthwise_filters", prepare_separately);
