/* Interface between the operators (native/), the general path (native/general.c) and the fast kernels (kernels/). */
#ifndef OPFORGE_CONV_H
#define OPFORGE_CONV_H

#include <opforge/abi.h>

enum {
    CONV_DIMS = 3,
    CONV_POINTS = 36, /* elements of a transformed 3x3 filter */
};

/* How channels are arranged. */
typedef enum conv_form {
    CONV_PLAIN,
    CONV_SUMS,     /* blocked */
    CONV_TO_PLAIN, /* blocked data and weights, plain results */
    CONV_TO_HALVES, /* the same with results in blocks of half a vector */
    CONV_PAIRS, CONV_PAIRS_TO_PLAIN, CONV_PAIRS_TO_HALVES, /* the same, with bfloat16 in pairs */
    CONV_WINOGRAD, /* blocked, with transformed filters of 3x3 and stride 1 */
    CONV_DEPTHWISE /* blocked, with one channel and one filter per group */
} conv_form;

static inline int conv_is_of_pairs(conv_form form) { return form >= CONV_PAIRS && form <= CONV_PAIRS_TO_HALVES; }

/* The form of float32 that arranges channels as a form of pairs does; other forms are returned. */
static inline conv_form conv_without_pairs(conv_form form) {
    return conv_is_of_pairs(form) ? (conv_form)(form - CONV_PAIRS + CONV_SUMS) : form;
}

/* The sizes of a convolution. Arrays are dense, with the channels first:
 *
 * - data: (n, groups * in_channels, *in)
 * - weight: (groups * out_channels, in_channels, *kernel)
 * - out: (n, groups * out_channels, *out)
 *
 * Where there are fewer than three dimensions, the leading ones are 1, with pad 0. */
typedef struct conv_shape {
    opforge_dtype dtype; /* OPFORGE_FLOAT32 or OPFORGE_FLOAT64, or OPFORGE_BFLOAT16 of fast kernels alone */
    int64_t lanes; /* channels per block of the data; 0: not blocked, arrays as above */
    conv_form form;
    int64_t n;
    int64_t groups;
    int64_t in_channels, out_channels; /* of one group */
    int64_t in[CONV_DIMS], out[CONV_DIMS];
    int64_t kernel[CONV_DIMS], stride[CONV_DIMS], dilate[CONV_DIMS], pad[CONV_DIMS];
} conv_shape;
/* With `lanes`, of float32 or bfloat16 and two dimensions, for CONV_OUT alone:
 *
 * - data: (n, groups * in_channels / lanes, height, width, lanes), without the last axis if that is 1
 * - weight: (groups * out_channels / L, in_channels / lanes, *kernel, lanes, L), L being conv_fast_lanes()
 * - out: (n, groups * out_channels / L, height, width, L)
 *
 * CONV_TO_PLAIN has one group, ceil(out_channels / L) vectors of filters, the last of which is filled with zeros, and
 * results as above: (n, out_channels, height, width). Those of CONV_TO_HALVES are
 * (n, out_channels / (L / 2), height, width, L / 2).
 *
 * Data of the other forms have L lanes. The weight of CONV_WINOGRAD is (groups * out_channels / L, CONV_POINTS,
 * in_channels, L), as the operator _winograd_weight makes it, that of CONV_DEPTHWISE (groups / L, 1, *kernel, L).
 *
 * The weight of forms of pairs is (groups * out_channels / L, in_channels / lanes, *kernel, lanes / 2, L, 2). */

/* The pass, named after the array that it fills: `out` from data and weight, the gradient of `data` from weight
 * and the gradient of out, that of `weight` from data and the gradient of out. Deconvolution is the same with
 * CONV_DATA as its forward pass. */
typedef enum conv_pass { CONV_OUT, CONV_DATA, CONV_WEIGHT } conv_pass;

/* Arrays of one run. */
typedef struct conv_arrays {
    void* data;
    void* weight;
    void* out;
    const void* bias; /* NULL, or an element for each channel of the out or data that is filled */
    void* workspace;  /* of the plan's workspace_bytes, aligned to 64 bytes */
    int32_t epilogue; /* 1: apply the call's epilogue to what is filled; only with `finishes` */
} conv_arrays;

/* The plan of one pass over one shape. The caller fills in `shape` and `pass`, the planner the rest. */
typedef struct conv_plan conv_plan;
struct conv_plan {
    conv_shape shape;
    conv_pass pass;
    int64_t workspace_bytes;
    int32_t finishes; /* whether `run` can apply the call's epilogue */
    int32_t (*run)(opforge_call* call, const conv_plan* plan, const conv_arrays* arrays);
    void* context;               /* data of `run` */
    void (*end)(void* context);  /* frees `own`; NULL if there is nothing to free */
};

/* Plan a pass if a fast kernel supports it, by setting `run`. Return the kind of an error, or 0. */
int32_t conv_fast_plan(opforge_call* call, conv_plan* plan);

/* Number of filters per block, which is the vector length of the instruction set. */
int64_t conv_fast_lanes(void);

/* Transform 3x3 filters (filters, channels, 3, 3) of float32 or float64 to the weights of blocked convolutions
 * of the form CONV_WINOGRAD. */
void conv_fast_transform(opforge_call* call, opforge_dtype dtype, int64_t filters, int64_t channels, const void* weight,
                         void* points);

/* Plan any pass by the general path, the reference for all others. */
int32_t conv_general_plan(opforge_call* call, conv_plan* plan);

/* Add a bias to each channel of `n` images of `positions` elements, for passes that do not add it themselves. */
void conv_add_bias(opforge_call* call, opforge_dtype dtype, int64_t n, int64_t channels, int64_t positions, const void* bias,
                   void* data);

/* The product of the spatial lengths: of an image, of the results, or of the kernel. */
static inline int64_t conv_volume(const int64_t* lengths) { return lengths[0] * lengths[1] * lengths[2]; }

#endif
