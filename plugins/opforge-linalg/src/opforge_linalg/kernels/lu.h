/* LU factors of one matrix with row pivoting: column ranges are halved down to panels as wide as a vector. Included
 * by types.h after triangular.h. */

typedef struct N(factors) {
    opforge_call* call;
    T* a;            /* n x n; becomes L, without its diagonal of ones, and U */
    int64_t n;
    int64_t* pivots; /* the row that was exchanged with each row */
    V* panel;        /* n vectors */
    int is_singular;
} N(factors);

static void N(exchange_rows)(N(factors)* f, int64_t row, int64_t with) {
    T *x = f->a + row * f->n, *y = f->a + with * f->n;
    for (int64_t j = 0; j < f->n; j++) {
        T element = x[j];
        x[j] = y[j];
        y[j] = element;
    }
}

/* Eliminate column k of the panel from the rows after `at`. */
static void N(eliminate)(V* rows, int64_t at, int64_t count, int64_t k) {
    V row = rows[at];
    T pivot = row[k];
    for (int64_t j = 0; j <= k; j++) row[j] = 0;
    for (int64_t i = at + 1; i < count; i++) {
        T factor = rows[i][k] / pivot;
        rows[i] = OF(madd)(OF(splat)(-factor), row, rows[i]);
        rows[i][k] = factor;
    }
}

/* Factor the columns [begin, end) below row `begin`. */
static void N(factor_panel)(N(factors)* f, int64_t begin, int64_t end) {
    int64_t count = f->n - begin, width = end - begin;
    for (int64_t i = 0; i < count; i++) f->panel[i] = OF(load_some)(f->a + (begin + i) * f->n + begin, width);
    for (int64_t k = 0; k < width; k++) {
        int64_t best = k;
        T size = FABS(f->panel[k][k]);
        for (int64_t i = k + 1; i < count; i++) {
            T other = FABS(f->panel[i][k]);
            if (other > size) size = other, best = i;
        }
        V row = f->panel[best];
        f->panel[best] = f->panel[k];
        f->panel[k] = row;
        f->pivots[begin + k] = begin + best;
        if (best != k) N(exchange_rows)(f, begin + k, begin + best);
        if (row[k] == 0) f->is_singular = 1;
        else N(eliminate)(f->panel, k, count, k);
    }
    for (int64_t i = 0; i < count; i++) OF(store_some)(f->a + (begin + i) * f->n + begin, f->panel[i], width);
}

static int32_t N(factor_columns)(N(factors)* f, int64_t begin, int64_t end) {
    if (end - begin <= LANES) {
        N(factor_panel)(f, begin, end);
        return OPFORGE_OK;
    }
    int64_t middle = begin + ((end - begin) / 2 + LANES - 1) / LANES * LANES, width = middle - begin;
    N(view) a = N(rows_of)(f->a, f->n, f->n);
    N(view) right = N(part)(a, begin, middle, width, end - middle);
    int32_t status = N(factor_columns)(f, begin, middle);
    if (!status) status = N(on_columns)(f->call, N(SOLVE_UNIT), N(part)(a, begin, begin, width, width), right);
    if (!status && middle < f->n)
        status = N(multiply)(f->call, -1, N(part)(a, middle, begin, f->n - middle, width), right, 1,
                             N(part)(a, middle, middle, f->n - middle, end - middle));
    return status ? status : N(factor_columns)(f, middle, end);
}

/* Bytes of memory for the factors of one matrix: its copy, the panel and the pivots. */
static int64_t N(factor_bytes)(int64_t n) {
    return (n * n * (int64_t)sizeof(T) + 63) / 64 * 64 + n * (int64_t)(sizeof(V) + sizeof(int64_t));
}

/* Factor a copy of `a` in `memory`, which has `factor_bytes`. */
static int32_t N(factor)(opforge_call* call, const T* a, int64_t n, void* memory, N(factors)* f) {
    char* end = (char*)memory + (n * n * (int64_t)sizeof(T) + 63) / 64 * 64;
    *f = (N(factors)){.call = call, .a = (T*)memory, .n = n, .panel = (V*)end};
    f->pivots = (int64_t*)(end + n * (int64_t)sizeof(V));
    memcpy(f->a, a, (size_t)(n * n) * sizeof(T));
    return N(factor_columns)(f, 0, n);
}

/* Replace the identity in `x` by the inverse of a lower triangle with ones on its diagonal. */
static int32_t N(invert_unit)(opforge_call* call, N(view) l, N(view) x) {
    if (l.rows <= N(SMALL)) return N(solve)(call, l, x, 1);
    int64_t top = N(half)(l.rows), rest = l.rows - top;
    N(view) below = N(part)(l, top, top, rest, rest), corner = N(part)(x, top, 0, rest, top);
    int32_t status = N(invert_unit)(call, N(part)(l, 0, 0, top, top), N(part)(x, 0, 0, top, top));
    if (!status) status = N(invert_unit)(call, below, N(part)(x, top, top, rest, rest));
    if (!status)
        status = N(multiply)(call, -1, N(part)(l, top, 0, rest, top), N(part)(x, 0, 0, top, top), 0, corner);
    return status ? status : N(on_columns)(call, N(SOLVE_UNIT), below, corner);
}

/* Write the inverse to `x`, given the factors of a nonsingular matrix: U^-1 L^-1, with exchanged columns. */
static int32_t N(invert)(N(factors)* f, N(view) x) {
    N(view) a = N(rows_of)(f->a, f->n, f->n);
    N(set_identity)(x);
    int32_t status = N(invert_unit)(f->call, a, x);
    if (!status) status = N(on_columns)(f->call, N(SOLVE), N(turned)(a), N(from_below)(x));
    if (status) return status;
    for (int64_t row = 0; row < f->n; row++) {
        T* p = x.p + row * x.down;
        for (int64_t i = f->n - 1; i >= 0; i--) {
            T *first = p + i * x.right, *second = p + f->pivots[i] * x.right, element = *first;
            *first = *second;
            *second = element;
        }
    }
    return OPFORGE_OK;
}
