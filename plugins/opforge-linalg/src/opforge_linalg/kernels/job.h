/* The description of a call for all kernels: batches of matrices and the attributes. */
#ifndef LINALG_JOB_H
#define LINALG_JOB_H

#include <math.h>
#include <opforge/abi.h>
#include <opforge/simd.h>

typedef struct job {
    opforge_call* call;
    const void *a, *b;
    void *out, *second;   /* `second` is the second output */
    int64_t count, n, m;  /* number of matrices; rows of a square matrix; the other size */
    int in_lanes;         /* each part is as many matrices as a vector has lanes */
    int lower, transpose, rightside, is_product, is_lenient;
    double alpha;
    opforge_routine first_routine, second_routine; /* of LAPACK */
} job;

/* Limits for which several matrices are computed in the lanes of vectors. Up to this size they are in the L2 cache. */
enum { LANES_ROWS = 32, LANES_COLUMNS = 32 };

#endif
