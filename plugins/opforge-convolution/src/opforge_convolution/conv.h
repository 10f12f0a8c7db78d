/* What operators of convolution have computed, and by whom: the border between the operators
 * (native/), the general path (native/general.c) and the fast kernels (kernels/). */
#ifndef OPFORGE_CONV_H
#define OPFORGE_CONV_H

#include <opforge/abi.h>

enum {
    CONV_DIMS = 3,
    CONV_POINTS = 36, /* elements of a filter of 3x3 that is transformed */
};

/* The sizes of a convolution. Arrays are dense, with the channels first:
 *
 * - data: (n, groups * in_channels, *in)
 * - weight: (groups * out_channels, in_channels, *kernel)
 * - out: (n, groups * out_channels, *out)
 *
 * Where there are fewer than three dimensions, the leading ones are 1, with pad 0. */
typedef struct conv_shape {
    int32_t dtype; /* OPFORGE_FLOAT32 or OPFORGE_FLOAT64 */
    int64_t lanes; /* of the data's channels, which lie in blocks; 0: arrays are as above */
    int32_t is_transformed;
    int64_t n;
    int64_t groups;
    int64_t in_channels, out_channels; /* of one group */
    int64_t in[CONV_DIMS], out[CONV_DIMS];
    int64_t kernel[CONV_DIMS], stride[CONV_DIMS], dilate[CONV_DIMS], pad[CONV_DIMS];
} conv_shape;
/* With `lanes`, of float32 and two dimensions, for CONV_OUT alone:
 *
 * - data: (n, groups * in_channels / lanes, height, width, lanes)
 * - weight: (groups * out_channels / L, in_channels / lanes, *kernel, lanes, L), L being conv_fast_lanes()
 * - out: (n, groups * out_channels / L, height, width, L)
 *
 * Where it `is_transformed`, the weight is (groups * out_channels / L, CONV_POINTS, in_channels, L): as
 * the operator _winograd_weight makes it, for filters of 3x3 with stride 1 and data of L lanes. */

/* What is computed, named after the array that is filled: `out` from data and weight, the gradient of
 * `data` from weight and the gradient of out, that of `weight` from data and the gradient of out.
 * Deconvolution is the same with CONV_DATA as its forward pass. */
typedef enum conv_pass { CONV_OUT, CONV_DATA, CONV_WEIGHT } conv_pass;

/* The arrays of one run. */
typedef struct conv_arrays {
    void* data;
    void* weight;
    void* out;
    const void* bias; /* NULL, or an element for each channel of the out or data that is filled */
    void* workspace;  /* of the plan's workspace_bytes, aligned to 64 bytes */
    int32_t epilogue; /* 1: take what is filled through the call's epilogue; never without `finishes` */
} conv_arrays;

/* How one pass over one shape is computed. Whoever plans it finds `shape` and `pass`, and sets the rest. */
typedef struct conv_plan conv_plan;
struct conv_plan {
    conv_shape shape;
    conv_pass pass;
    int64_t workspace_bytes;
    int32_t finishes; /* `run` takes the call's epilogue into what it computes, if it is asked to */
    int32_t (*run)(opforge_call* call, const conv_plan* plan, const conv_arrays* arrays);
    void* own;               /* what `run` needs besides */
    void (*end)(void* own);  /* frees `own`; NULL if there is nothing to free */
};

/* Plan a pass if a fast kernel takes it: then `run` is set. Return the kind of an error, or 0. */
int32_t conv_fast_plan(opforge_call* call, conv_plan* plan);

/* Lanes of filters in blocks, which the instruction set has. */
int64_t conv_fast_lanes(void);

/* Transform filters of 3x3, float32 or float64 (filters, channels, 3, 3), to what blocks that are `is_transformed` read. */
void conv_fast_transform(opforge_call* call, int32_t dtype, int64_t filters, int64_t channels, const void* weight,
                         void* points);

/* Plan any pass. It is what all others are compared with. */
int32_t conv_general_plan(opforge_call* call, conv_plan* plan);

/* Add a bias to each channel of `n` pictures of `places` elements, for a pass that did not do it yet. */
void conv_add_bias(opforge_call* call, int32_t dtype, int64_t n, int64_t channels, int64_t places, const void* bias,
                   void* data);

/* Elements in one place: of a picture, of the results, and under a filter of one channel. */
static inline int64_t conv_volume(const int64_t* lengths) { return lengths[0] * lengths[1] * lengths[2]; }

#endif
