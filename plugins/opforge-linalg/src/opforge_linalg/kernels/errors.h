/* Errors about the values of input A. */
#ifndef LINALG_ERRORS_H
#define LINALG_ERRORS_H

#include <opforge/abi.h>

static int32_t not_definite(opforge_call* call, int64_t matrix) {
    return opforge_fail(call, OPFORGE_ERROR,
                        "input 'A': matrix %lld is not positive definite; pass symmetric positive-definite matrices, "
                        "for instance after adding a small number to the diagonal",
                        (long long)matrix);
}

static int32_t zero_diagonal(opforge_call* call, int64_t matrix, int64_t row) {
    return opforge_fail(call, OPFORGE_ERROR,
                        "input 'A': matrix %lld has a zero at row %lld of its diagonal; expected a Cholesky factor, as "
                        "linalg.potrf returns it",
                        (long long)matrix, (long long)row);
}

static int32_t singular(opforge_call* call, int64_t matrix) {
    return opforge_fail(call, OPFORGE_ERROR,
                        "input 'A': matrix %lld is singular and has no inverse; expected a nonzero determinant, which "
                        "linalg.det computes",
                        (long long)matrix);
}

static int32_t not_converged(opforge_call* call, int64_t matrix) {
    return opforge_fail(call, OPFORGE_ERROR,
                        "input 'A': the eigenvalues of matrix %lld did not converge; scale its elements", (long long)matrix);
}

static int32_t too_large(opforge_call* call, int64_t size, int64_t largest) {
    return opforge_fail(call, OPFORGE_BAD_SHAPE, "input 'A' has matrices with %lld columns; expected at most %lld",
                        (long long)size, (long long)largest);
}

#endif
