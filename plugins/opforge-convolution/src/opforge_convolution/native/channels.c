#include "channels.h"

enum {
    LANES = 8,        /* parallel accumulators */
    CHUNK = 512,      /* elements converted to float32 at a time */
    GRAIN = 1 << 14,  /* elements that are worth a part of a loop */
};

/* -- sums: the array as (outer, channels, inner) ------------------------------------------------------------ */

typedef struct summing {
    opforge_call* call;
    const char* data;
    char* sums;
    int64_t outer, channels, inner;
    opforge_dtype dtype;
} summing;

#define DEFINE_SUM(type)                                                        \
    static double sum_##type(const type* values, int64_t n) {                   \
        double lane[LANES] = {0}, total = 0;                                    \
        int64_t whole = n / LANES * LANES;                                      \
        for (int64_t i = 0; i < whole; i += LANES) {                            \
            for (int64_t j = 0; j < LANES; j++) lane[j] += (double)values[i + j]; \
        }                                                                       \
        for (int64_t j = 0; j < LANES; j++) total += lane[j];                   \
        for (int64_t i = whole; i < n; i++) total += (double)values[i];         \
        return total;                                                           \
    }
DEFINE_SUM(float)
DEFINE_SUM(double)

static double sum_half(const summing* w, const char* values, int64_t n) {
    float chunk[CHUNK];
    double total = 0;
    for (int64_t i = 0; i < n; i += CHUNK) {
        int64_t count = n - i < CHUNK ? n - i : CHUNK;
        w->call->host->convert(w->call, w->dtype, values + 2 * i, OPFORGE_FLOAT32, chunk, count);
        total += sum_float(chunk, count);
    }
    return total;
}

static double sum_row(const summing* w, const char* values) {
    if (w->dtype == OPFORGE_FLOAT32) return sum_float((const float*)values, w->inner);
    if (w->dtype == OPFORGE_FLOAT64) return sum_double((const double*)values, w->inner);
    return sum_half(w, values, w->inner);
}

static int32_t sum_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const summing* w = (const summing*)argument;
    double* totals = (double*)worker->scratch;
    int64_t item = opforge_item_size(w->dtype);
    memset(totals, 0, (size_t)(end - begin) * sizeof *totals);
    for (int64_t at = 0; at < w->outer; at++) {
        for (int64_t channel = begin; channel < end; channel++) {
            totals[channel - begin] += sum_row(w, w->data + (at * w->channels + channel) * w->inner * item);
        }
    }
    return w->call->host->convert(w->call, OPFORGE_FLOAT64, totals, w->dtype, w->sums + begin * item, end - begin);
}

int32_t conv_sum_channels(opforge_call* call, const conv_settings* s, const opforge_tensor* array, void* sums) {
    int axis = conv_channel_axis(s);
    summing w = {call, (const char*)array->data, (char*)sums, 1, array->shape[axis], 1, array->dtype};
    for (int i = 0; i < axis; i++) w.outer *= array->shape[i];
    for (int i = axis + 1; i < array->ndim; i++) w.inner *= array->shape[i];
    int64_t grain = GRAIN / (w.outer * w.inner + 1) + 1;
    return call->host->parallel(call, w.channels, grain, w.channels * (int64_t)sizeof(double), sum_part, &w);
}

int32_t conv_bias_gradient(opforge_call* call, const conv_settings* s) {
    if (call->n_inputs < 3 || !call->wanted[2]) return OPFORGE_OK;
    return conv_sum_channels(call, s, &call->out_grads[0], call->in_grads[2].data);
}

/* -- bias ------------------------------------------------------------------------------------------------------ */

typedef struct adding {
    const void* bias;
    void* data;
    int64_t channels, positions;
    opforge_dtype dtype;
} adding;

static void add_part(void* argument, int64_t begin, int64_t end) {
    const adding* w = (const adding*)argument;
    for (int64_t row = begin; row < end; row++) {
        int64_t channel = row % w->channels;
        if (w->dtype == OPFORGE_FLOAT32) {
            float *to = (float*)w->data + row * w->positions, value = ((const float*)w->bias)[channel];
            for (int64_t i = 0; i < w->positions; i++) to[i] += value;
        } else {
            double *to = (double*)w->data + row * w->positions, value = ((const double*)w->bias)[channel];
            for (int64_t i = 0; i < w->positions; i++) to[i] += value;
        }
    }
}

void conv_add_bias(opforge_call* call, opforge_dtype dtype, int64_t n, int64_t channels, int64_t positions, const void* bias,
                   void* data) {
    adding w = {bias, data, channels, positions, dtype};
    call->host->parallel_for(call, n * channels, GRAIN / (positions + 1) + 1, add_part, &w);
}
