/* The ways to compute a dense product. */
#ifndef OPFORGE_CONVOLUTION_DENSE_H
#define OPFORGE_CONVOLUTION_DENSE_H

#include "product.h"
#include "weights.h"

/* Only sizes are looked at for the workspace, so that a plan can ask without data. */
typedef struct dense_way {
    int64_t (*workspace)(const product* p); /* its elements */
    int32_t (*run)(opforge_call* call, const product* p, const weight_view* weights, float* workspace);
} dense_way;

/* By panels of columns: any product. */
extern const dense_way dense_plain;

/* The fastest way. Only sizes are looked at, too. */
const dense_way* dense_choose(const product* p);

#endif
