/* Systems and products with one triangular matrix: halved until the triangle is small; the rest are general products.
 * Included by types.h after view.h. */

enum {
    N(SMALL) = 32,         /* rows of a triangle that is solved directly */
    N(WIDTH) = 4 * LANES,  /* columns that are solved together */
    N(GRAIN) = 128         /* minimum columns of a part */
};

static inline int64_t N(half)(int64_t n) {
    return (n / 2 + N(SMALL) - 1) / N(SMALL) * N(SMALL);
}

/* Copy at most WIDTH columns to rows of 4 vectors, along the axis whose elements are adjacent. */
static void N(read_columns)(N(view) x, V rows[][4]) {
    T* copy = (T*)rows;
    if (x.cols < N(WIDTH)) memset(rows, 0, (size_t)x.rows * sizeof *rows);
    if (x.right == 1) {
        for (int64_t i = 0; i < x.rows; i++)
            memcpy(copy + i * N(WIDTH), x.p + i * x.down, (size_t)x.cols * sizeof(T));
        return;
    }
    for (int64_t j = 0; j < x.cols; j++)
        for (int64_t i = 0; i < x.rows; i++) copy[i * N(WIDTH) + j] = x.p[i * x.down + j * x.right];
}

static void N(write_columns)(V rows[][4], N(view) x) {
    const T* copy = (const T*)rows;
    if (x.right == 1) {
        for (int64_t i = 0; i < x.rows; i++)
            memcpy(x.p + i * x.down, copy + i * N(WIDTH), (size_t)x.cols * sizeof(T));
        return;
    }
    for (int64_t j = 0; j < x.cols; j++)
        for (int64_t i = 0; i < x.rows; i++) x.p[i * x.down + j * x.right] = copy[i * N(WIDTH) + j];
}

/* Solve in place for a small triangle and at most WIDTH columns, which are copied. */
static void N(solve_columns)(N(view) l, N(view) x, int is_unit) {
    V rows[N(SMALL)][4];
    N(read_columns)(x, rows);
    for (int64_t i = 0; i < x.rows; i++) {
        V sums[4];
        for (int c = 0; c < 4; c++) sums[c] = rows[i][c];
        for (int64_t k = 0; k < i; k++) {
            V factor = OF(splat)(-l.p[i * l.down + k * l.right]);
            for (int c = 0; c < 4; c++) sums[c] = OF(madd)(factor, rows[k][c], sums[c]);
        }
        V divisor = OF(splat)(is_unit ? 1 : l.p[i * (l.down + l.right)]);
        for (int c = 0; c < 4; c++) rows[i][c] = is_unit ? sums[c] : sums[c] / divisor;
    }
    N(write_columns)(rows, x);
}

/* Multiply a small triangle and at most WIDTH columns in place. */
static void N(multiply_columns)(N(view) l, N(view) x) {
    V rows[N(SMALL)][4];
    N(read_columns)(x, rows);
    for (int64_t i = x.rows - 1; i >= 0; i--) {
        V sums[4] = {OF(splat)(0), OF(splat)(0), OF(splat)(0), OF(splat)(0)};
        for (int64_t k = 0; k <= i; k++) {
            V factor = OF(splat)(l.p[i * l.down + k * l.right]);
            for (int c = 0; c < 4; c++) sums[c] = OF(madd)(factor, rows[k][c], sums[c]);
        }
        for (int c = 0; c < 4; c++) rows[i][c] = sums[c];
    }
    N(write_columns)(rows, x);
}

/* Solve `l x = x` in place for a lower triangle on the calling thread. `is_unit`: its diagonal is 1. */
static int32_t N(solve)(opforge_call* call, N(view) l, N(view) x, int is_unit) {
    if (l.rows <= N(SMALL)) {
        for (int64_t j = 0; j < x.cols; j += N(WIDTH)) {
            int64_t width = x.cols - j < N(WIDTH) ? x.cols - j : N(WIDTH);
            N(solve_columns)(l, N(part)(x, 0, j, x.rows, width), is_unit);
        }
        return OPFORGE_OK;
    }
    int64_t top = N(half)(l.rows), rest = l.rows - top;
    N(view) above = N(part)(x, 0, 0, top, x.cols), below = N(part)(x, top, 0, rest, x.cols);
    int32_t status = N(solve)(call, N(part)(l, 0, 0, top, top), above, is_unit);
    if (!status) status = N(multiply)(call, -1, N(part)(l, top, 0, rest, top), above, 1, below);
    return status ? status : N(solve)(call, N(part)(l, top, top, rest, rest), below, is_unit);
}

/* Compute `x = l x` in place for a lower triangle on the calling thread. */
static int32_t N(multiply_triangle)(opforge_call* call, N(view) l, N(view) x) {
    if (l.rows <= N(SMALL)) {
        for (int64_t j = 0; j < x.cols; j += N(WIDTH)) {
            int64_t width = x.cols - j < N(WIDTH) ? x.cols - j : N(WIDTH);
            N(multiply_columns)(l, N(part)(x, 0, j, x.rows, width));
        }
        return OPFORGE_OK;
    }
    int64_t top = N(half)(l.rows), rest = l.rows - top;
    N(view) above = N(part)(x, 0, 0, top, x.cols), below = N(part)(x, top, 0, rest, x.cols);
    int32_t status = N(multiply_triangle)(call, N(part)(l, top, top, rest, rest), below);
    if (!status) status = N(multiply)(call, 1, N(part)(l, top, 0, rest, top), above, 1, below);
    return status ? status : N(multiply_triangle)(call, N(part)(l, 0, 0, top, top), above);
}

/* How the columns of `x` are computed: a system, one with ones on the diagonal, or a product. */
typedef enum N(action) { N(SOLVE), N(SOLVE_UNIT), N(MULTIPLY) } N(action);

typedef struct N(columns) {
    opforge_call* call;
    N(view) l, x;
    N(action) action;
} N(columns);

static int32_t N(columns_part)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    N(columns)* s = (N(columns)*)argument;
    N(view) x = N(part)(s->x, 0, begin, s->x.rows, end - begin);
    (void)worker;
    if (s->action == N(MULTIPLY)) return N(multiply_triangle)(s->call, s->l, x);
    return N(solve)(s->call, s->l, x, s->action == N(SOLVE_UNIT));
}

/* Solve or multiply in place, with the columns of `x` divided among threads. */
static int32_t N(on_columns)(opforge_call* call, N(action) action, N(view) l, N(view) x) {
    N(columns) s = {call, l, x, action};
    opforge_worker alone = {NULL, 0, 1};
    if (x.cols < 2 * N(GRAIN)) return N(columns_part)(&s, &alone, 0, x.cols);
    return call->host->parallel(call, x.cols, N(GRAIN), 0, N(columns_part), &s);
}
