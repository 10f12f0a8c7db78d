/* Convolution of images with matrix products, for float32 and float64. Shows a plan, a workspace, scratch memory of
 * workers, an epilogue, and the computation of requested gradients only. */
#include <opforge/module.h>
#include <stdlib.h>

/* Sizes derived from shapes and attributes, once per combination. */
typedef struct plan {
    int64_t images, channels, height, width; /* data */
    int64_t filters, rows, columns;          /* weight: filters, channels, rows, columns */
    int64_t out_height, out_width, stride, pad;
    int64_t patch, pixels; /* elements under a filter; results per image and filter */
    opforge_dtype dtype;
    int64_t item;
    int by_image; /* whether workers process entire images; otherwise all threads share each product */
} plan;

/* Argument of the parts of loops. */
typedef struct work {
    opforge_call* call;
    const plan* p;
} work;

static int64_t integer(const opforge_call* call, const char* name) { return opforge_find(call, name)->integer; }

static int64_t length(int64_t in, int64_t window, int64_t stride, int64_t pad) {
    return in == 0 ? 0 : (in + 2 * pad - window) / stride + 1;
}

/* -- inference: from the data to weight, bias and output -------------------------------------------- */

static int32_t complete(opforge_call* call) {
    opforge_tensor *data = &call->arguments[0], *weight = &call->arguments[1], *bias = &call->arguments[2];
    opforge_tensor* out = &call->outputs[0];
    const opforge_attribute* kernel = opforge_find(call, "kernel");
    int64_t stride = integer(call, "stride"), pad = integer(call, "pad"), filters = integer(call, "num_filter");
    opforge_dtype type = data->dtype != OPFORGE_UNKNOWN ? data->dtype : weight->dtype;
    if (type == OPFORGE_UNKNOWN) type = out->dtype;
    data->dtype = weight->dtype = bias->dtype = out->dtype = type;
    if (data->ndim == -1) return OPFORGE_OK;
    if (data->ndim != 4 || kernel->size != 2) {
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "data has %d dimensions and kernel %d; expected 4 (n, c, h, w) and 2",
                            data->ndim, (int)kernel->size);
    }
    if (kernel->integers[0] < 1 || kernel->integers[1] < 1) {
        return opforge_fail(call, OPFORGE_BAD_ATTRIBUTE, "kernel must be at least 1 on each side");
    }
    /* Lengths of 0 are unknown, and data and weight may complete each other; opforge rejects calls that differ. */
    if (data->shape[1] == 0 && weight->ndim == 4) data->shape[1] = weight->shape[1];
    weight->ndim = out->ndim = 4;
    bias->ndim = 1;
    bias->shape[0] = weight->shape[0] = out->shape[1] = filters;
    weight->shape[1] = data->shape[1];
    out->shape[0] = data->shape[0];
    for (int axis = 0; axis < 2; axis++) {
        int64_t window = kernel->integers[axis], in = data->shape[2 + axis];
        weight->shape[2 + axis] = window;
        out->shape[2 + axis] = length(in, window, stride, pad);
        if (in != 0 && in + 2 * pad < window) {
            return opforge_fail(call, OPFORGE_BAD_SHAPE, "a kernel of %lld does not fit a length of %lld with pad %lld",
                                (long long)window, (long long)in, (long long)pad);
        }
    }
    return OPFORGE_OK;
}

/* -- plan -------------------------------------------------------------------------------------------- */

static int32_t make_plan(opforge_call* call) {
    const opforge_tensor *data = &call->inputs[0], *weight = &call->inputs[1], *out = &call->outputs[0];
    plan* p = (plan*)malloc(sizeof *p);
    if (p == NULL) return OPFORGE_NO_MEMORY;
    *p = (plan){
        .images = data->shape[0], .channels = data->shape[1], .height = data->shape[2], .width = data->shape[3],
        .filters = weight->shape[0], .rows = weight->shape[2], .columns = weight->shape[3],
        .out_height = out->shape[2], .out_width = out->shape[3],
        .stride = integer(call, "stride"), .pad = integer(call, "pad"),
        .patch = weight->shape[1] * weight->shape[2] * weight->shape[3],
        .pixels = out->shape[2] * out->shape[3],
        .dtype = data->dtype, .item = opforge_item_size(data->dtype),
    };
    /* Small products scale badly, so with enough images each thread processes entire images. */
    p->by_image = p->images >= call->host->threads(call);
    int shared = call->stage == OPFORGE_BACKWARD ? call->wanted[1] : !p->by_image;
    call->workspace_bytes = shared ? p->patch * p->pixels * p->item : 0;
    call->plan = p;
    return OPFORGE_OK;
}

static int32_t unplan(opforge_call* call) {
    free(call->plan);
    return OPFORGE_OK;
}

/* -- patches: one row per element under a filter, one column per result --------------------------------- */

#define PATCHES(suffix, type)                                                                         \
    static void unfold_##suffix(const plan* p, const type* image, type* patches, int add, type* target) {\
        for (int64_t k = 0; k < p->patch; k++) {                                                      \
            int64_t dx = k % p->columns, dy = k / p->columns % p->rows;                               \
            int64_t channel = k / p->columns / p->rows;                                               \
            for (int64_t y = 0; y < p->out_height; y++) {                                             \
                int64_t row = y * p->stride + dy - p->pad;                                            \
                for (int64_t x = 0; x < p->out_width; x++, patches++) {                               \
                    int64_t column = x * p->stride + dx - p->pad;                                     \
                    int inside = row >= 0 && row < p->height && column >= 0 && column < p->width;     \
                    int64_t source = (channel * p->height + row) * p->width + column;                 \
                    if (!add) *patches = inside ? image[source] : 0;                                  \
                    else if (inside) target[source] += *patches;                                      \
                }                                                                                     \
            }                                                                                         \
        }                                                                                             \
    }
PATCHES(f32, float)
PATCHES(f64, double)

static void unfold(const plan* p, const void* image, void* patches) {
    if (p->dtype == OPFORGE_FLOAT32) unfold_f32(p, (const float*)image, (float*)patches, 0, NULL);
    else unfold_f64(p, (const double*)image, (double*)patches, 0, NULL);
}

/* Add patches to the image from which they were extracted. */
static void fold(const plan* p, void* patches, void* image) {
    memset(image, 0, (size_t)(p->channels * p->height * p->width * p->item));
    if (p->dtype == OPFORGE_FLOAT32) unfold_f32(p, NULL, (float*)patches, 1, (float*)image);
    else unfold_f64(p, NULL, (double*)patches, 1, (double*)image);
}

static char* image_of(const plan* p, const opforge_tensor* data, int64_t image) {
    return (char*)data->data + image * p->channels * p->height * p->width * p->item;
}

static char* result_of(const plan* p, const opforge_tensor* out, int64_t image) {
    return (char*)out->data + image * p->filters * p->pixels * p->item;
}

/* -- forward: weight times patches, plus bias, plus the epilogue of a graph ------------------------------- */

static int32_t convolve(opforge_call* call, const plan* p, int64_t image, void* patches) {
    unfold(p, image_of(p, &call->inputs[0], image), patches);
    opforge_gemm product = opforge_matmul(p->dtype, p->filters, p->pixels, p->patch, call->inputs[1].data, patches,
                                          result_of(p, &call->outputs[0], image));
    product.bias = call->inputs[2].data;
    product.bias_axis = 0;
    product.epilogue = 1;
    return call->host->gemm(call, &product);
}

static int32_t convolve_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    work* w = (work*)argument;
    int32_t status = OPFORGE_OK;
    for (int64_t image = begin; image < end && !status; image++) status = convolve(w->call, w->p, image, worker->scratch);
    return status;
}

static int32_t forward(opforge_call* call) {
    const plan* p = (const plan*)call->plan;
    work w = {call, p};
    int32_t status = OPFORGE_OK;
    if (p->by_image) return call->host->parallel(call, p->images, 1, p->patch * p->pixels * p->item, convolve_part, &w);
    for (int64_t image = 0; image < p->images && !status; image++) status = convolve(call, p, image, call->workspace);
    return status;
}

/* -- backward ---------------------------------------------------------------------------------------------- */

static int32_t data_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    work* w = (work*)argument;
    const plan* p = w->p;
    for (int64_t image = begin; image < end; image++) {
        opforge_gemm product = opforge_matmul(p->dtype, p->patch, p->pixels, p->filters, w->call->inputs[1].data,
                                              result_of(p, &w->call->out_grads[0], image), worker->scratch);
        product.transpose_a = 1;
        int32_t status = w->call->host->gemm(w->call, &product);
        if (status) return status;
        fold(p, worker->scratch, image_of(p, &w->call->in_grads[0], image));
    }
    return OPFORGE_OK;
}

static int32_t weight_gradient(opforge_call* call, const plan* p) {
    int32_t status = OPFORGE_OK;
    memset(call->in_grads[1].data, 0, (size_t)call->in_grads[1].byte_size);
    for (int64_t image = 0; image < p->images && !status; image++) {
        unfold(p, image_of(p, &call->inputs[0], image), call->workspace);
        opforge_gemm product = opforge_matmul(p->dtype, p->filters, p->patch, p->pixels,
                                              result_of(p, &call->out_grads[0], image), call->workspace,
                                              call->in_grads[1].data);
        product.transpose_b = 1;
        product.beta = 1;
        status = call->host->gemm(call, &product);
    }
    return status;
}

static void bias_gradient(opforge_call* call, const plan* p) {
    for (int64_t filter = 0; filter < p->filters; filter++) {
        double total = 0;
        for (int64_t image = 0; image < p->images; image++) {
            const char* row = result_of(p, &call->out_grads[0], image) + filter * p->pixels * p->item;
            for (int64_t i = 0; i < p->pixels; i++) {
                total += p->dtype == OPFORGE_FLOAT32 ? ((const float*)row)[i] : ((const double*)row)[i];
            }
        }
        if (p->dtype == OPFORGE_FLOAT32) ((float*)call->in_grads[2].data)[filter] = (float)total;
        else ((double*)call->in_grads[2].data)[filter] = total;
    }
}

static int32_t backward(opforge_call* call) {
    const plan* p = (const plan*)call->plan;
    work w = {call, p};
    int32_t status = OPFORGE_OK;
    if (call->wanted[2]) bias_gradient(call, p);
    if (call->wanted[1]) status = weight_gradient(call, p);
    if (status || !call->wanted[0]) return status;
    return call->host->parallel(call, p->images, 1, p->patch * p->pixels * p->item, data_part, &w);
}

/* -- the library --------------------------------------------------------------------------------------------- */

static const opforge_operator op = {
    .head = OPFORGE_HEAD(opforge_operator),
    .name = "convolve",
    .complete = complete,
    .plan = make_plan,
    .unplan = unplan,
    .forward = forward,
    .backward = backward,
    .flags = OPFORGE_WANTED,
};

OPFORGE_MODULE(_native, &op);
