/* Every fast kernel over small shapes; test_sanitized.py builds it with a sanitizer. */
#include <stdlib.h>

#include "conv.h"

static int32_t two_threads(opforge_call* call) {
    (void)call;
    return 2;
}

static void run_range(opforge_call* call, int64_t n, int64_t grain, opforge_range body, void* argument) {
    (void)call, (void)grain;
    body(argument, 0, n);
}

static int32_t run_parts(opforge_call* call, int64_t n, int64_t grain, int64_t scratch_bytes, opforge_part body,
                         void* argument) {
    opforge_worker worker = {.scratch = malloc((size_t)scratch_bytes)};
    (void)call, (void)grain;
    int32_t status = body(argument, &worker, 0, n);
    free(worker.scratch);
    return status;
}

/* Command-line arguments, in order. */
enum { N, CHANNELS, HEIGHT, WIDTH, FILTERS, KERNEL_Y, KERNEL_X, STRIDE, DILATE, PAD, GROUPS, NUMBERS };

static conv_shape shape_of(const int64_t* x, opforge_dtype dtype) {
    conv_shape s = {
        .dtype = dtype, .n = x[N], .groups = x[GROUPS],
        .in_channels = x[CHANNELS] / x[GROUPS], .out_channels = x[FILTERS] / x[GROUPS],
        .in = {1, x[HEIGHT], x[WIDTH]}, .kernel = {1, x[KERNEL_Y], x[KERNEL_X]}, .stride = {1, x[STRIDE], x[STRIDE]},
        .dilate = {1, x[DILATE], x[DILATE]}, .pad = {0, x[PAD], x[PAD]}, .out = {1, 1, 1},
    };
    for (int axis = 1; axis < CONV_DIMS; axis++) {
        int64_t rest = s.in[axis] + 2 * s.pad[axis] - (s.kernel[axis] - 1) * s.dilate[axis] - 1;
        s.out[axis] = rest / s.stride[axis] + 1;
    }
    return s;
}

static int32_t run(const conv_shape* s, conv_pass pass) {
    const opforge_host host = {.threads = two_threads, .parallel_for = run_range, .parallel = run_parts};
    opforge_call call = {.host = &host};
    conv_plan plan = {.shape = *s, .pass = pass};
    int32_t status = conv_fast_plan(&call, &plan);
    if (status || plan.run == NULL) return status || s->dtype == OPFORGE_FLOAT32; /* bfloat16: some shapes */
    int64_t data = s->n * s->groups * s->in_channels * conv_volume(s->in);
    int64_t weight = s->groups * s->out_channels * s->in_channels * conv_volume(s->kernel);
    int64_t out = s->n * s->groups * s->out_channels * conv_volume(s->out);
    conv_arrays arrays = {
        .data = calloc((size_t)data, 4), .weight = calloc((size_t)weight, 4), .out = calloc((size_t)out, 4),
        .workspace = malloc((size_t)plan.workspace_bytes),
    };
    status = plan.run(&call, &plan, &arrays);
    free(arrays.data), free(arrays.weight), free(arrays.out), free(arrays.workspace);
    if (plan.end != NULL) plan.end(plan.context);
    return status;
}

int main(int count, char** arguments) {
    int64_t numbers[NUMBERS];
    for (int at = 1; at + NUMBERS <= count; at += NUMBERS) {
        for (int i = 0; i < NUMBERS; i++) numbers[i] = atoll(arguments[at + i]);
        const opforge_dtype dtypes[] = {OPFORGE_FLOAT32, OPFORGE_BFLOAT16};
        for (int i = 0; i < 2; i++) {
            conv_shape s = shape_of(numbers, dtypes[i]);
            if (run(&s, CONV_OUT) || run(&s, CONV_DATA) || run(&s, CONV_WEIGHT)) return 2;
        }
    }
    return 0;
}
