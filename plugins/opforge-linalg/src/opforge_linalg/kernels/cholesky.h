/* Cholesky factor of one matrix, halved until it is small. Included by types.h after triangular.h. */

enum { N(SYMMETRIC) = 192 }; /* rows of a symmetric product that is computed in full */

/* Factor a small matrix in place. Return the first pivot that is not positive, or -1. */
static int64_t N(cholesky_small)(N(view) a) {
    T u[N(SMALL)][N(SMALL)]; /* the transposed factor: its rows are contiguous */
    int64_t n = a.rows;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) u[j][i] = a.p[i * a.down + j * a.right];
    for (int64_t j = 0; j < n; j++) {
        if (u[j][j] <= 0) return j;
        T inverse = 1 / SQRT(u[j][j]);
        for (int64_t i = j; i < n; i++) u[j][i] *= inverse;
        for (int64_t r = j + 1; r < n; r++) {
            T factor = u[j][r];
            for (int64_t i = r; i < n; i++) u[r][i] -= factor * u[j][i];
        }
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) a.p[i * a.down + j * a.right] = u[j][i];
    return -1;
}

/* c -= a a^T in the lower triangle; the upper one gets unspecified values. */
static int32_t N(subtract_symmetric)(opforge_call* call, N(view) a, N(view) c) {
    if (c.rows <= N(SYMMETRIC)) return N(multiply)(call, -1, a, N(transposed)(a), 1, c);
    int64_t top = N(half)(c.rows), rest = c.rows - top;
    N(view) above = N(part)(a, 0, 0, top, a.cols), below = N(part)(a, top, 0, rest, a.cols);
    int32_t status = N(subtract_symmetric)(call, above, N(part)(c, 0, 0, top, top));
    if (!status) status = N(multiply)(call, -1, below, N(transposed)(above), 1, N(part)(c, top, 0, rest, top));
    return status ? status : N(subtract_symmetric)(call, below, N(part)(c, top, top, rest, rest));
}

/* Factor the lower triangle of `a` in place; the upper one gets unspecified values. `*bad` is the first pivot that is
 * not positive, or -1. */
static int32_t N(cholesky)(opforge_call* call, N(view) a, int64_t* bad) {
    if (a.rows <= N(SMALL)) {
        *bad = N(cholesky_small)(a);
        return OPFORGE_OK;
    }
    int64_t top = N(half)(a.rows), rest = a.rows - top;
    N(view) first = N(part)(a, 0, 0, top, top), below = N(part)(a, top, 0, rest, top);
    N(view) last = N(part)(a, top, top, rest, rest);
    int32_t status = N(cholesky)(call, first, bad);
    if (status || *bad >= 0) return status;
    status = N(on_columns)(call, N(SOLVE), first, N(transposed)(below));
    if (!status) status = N(subtract_symmetric)(call, below, last);
    if (!status) status = N(cholesky)(call, last, bad);
    if (*bad >= 0) *bad += top;
    return status;
}
