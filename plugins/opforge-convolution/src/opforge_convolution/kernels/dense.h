/* Algorithms for a dense product. */
#ifndef OPFORGE_CONVOLUTION_DENSE_H
#define OPFORGE_CONVOLUTION_DENSE_H

#include "product.h"
#include "weights.h"

/* Functions read only sizes, so that a plan can query them without data. */
typedef struct dense_algorithm {
    int64_t (*workspace)(const product* p); /* in elements */
    int32_t (*run)(opforge_call* call, const product* p, const weight_view* weights, float* workspace);
} dense_algorithm;

/* Panels of columns, for any product. */
extern const dense_algorithm dense_panels;

/* Return the fastest algorithm; reads only sizes too. */
const dense_algorithm* dense_choose(const product* p);

#endif
