/* The ways to compute a dense product. */
#ifndef OPFORGE_CONVOLUTION_DENSE_H
#define OPFORGE_CONVOLUTION_DENSE_H

#include "product.h"
#include "weights.h"

typedef struct dense_way {
    int64_t (*count)(const weight_view* view); /* elements of packed weights */
    void (*pack)(opforge_call* call, const weight_view* view, float* packed);
    int32_t (*run)(opforge_call* call, const product* p);
} dense_way;

/* By panels of columns: any product. */
extern const dense_way dense_plain;

/* The fastest way. Only sizes are looked at, so that a plan can ask without data. */
const dense_way* dense_choose(const product* p);

/* Pack the weights and compute. */
int32_t dense_run(opforge_call* call, const dense_way* way, const weight_view* view, float* packed, product p);

#endif
