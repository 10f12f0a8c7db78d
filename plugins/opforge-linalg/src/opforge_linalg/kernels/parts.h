/* Parts of the loops over matrices with a triangle, and over general square ones. Included by types.h last. */

/* Return the lower triangle that has the same elements as the referenced triangle. */
static inline N(view) N(lower_of)(const job* j, int64_t index) {
    N(view) a = N(rows_of)((const T*)j->a + index * j->n * j->n, j->n, j->n);
    return j->lower ? a : N(transposed)(a);
}

/* Return how `a` and `b` are to be read so that `op(a) x = b` or `x op(a) = b` becomes `l x = b` with a lower `l`. */
static inline void N(canonical)(const job* j, const void* b, int64_t index, N(view)* l, N(view)* x) {
    int is_transposed = j->transpose != j->rightside;
    *l = N(rows_of)((const T*)j->a + index * j->n * j->n, j->n, j->n);
    *x = N(rows_of)((const T*)b + index * j->n * j->m, j->rightside ? j->m : j->n, j->rightside ? j->n : j->m);
    if (is_transposed) *l = N(transposed)(*l);
    if (j->rightside) *x = N(transposed)(*x);
    if (j->lower != is_transposed) return;
    *l = N(turned)(*l);
    *x = N(from_below)(*x);
}

static inline int64_t N(lanes_used)(const job* j, int64_t group) {
    int64_t left = j->count - group * LANES;
    return left < LANES ? left : LANES;
}

static int32_t N(potrf_part)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    job* j = (job*)argument;
    int64_t size = j->n * j->n, bad = -1;
    for (int64_t i = begin; i < end; i++) {
        int64_t first = j->in_lanes ? i * LANES : i;
        N(view) from = N(lower_of)(j, first), to = from;
        to.p = (T*)j->out + first * size;
        if (j->in_lanes) {
            int64_t count = N(lanes_used)(j, i);
            V* a = (V*)worker->scratch;
            N(pack)(a, from, size, count, 1);
            bad = N(lanes_cholesky)(a, j->n, count);
            if (bad >= 0) return not_definite(j->call, first + bad);
            N(unpack)(a, to, size, count, 1);
        } else {
            memcpy(to.p, from.p, (size_t)size * sizeof(T));
            int32_t status = N(cholesky)(j->call, to, &bad);
            if (status) return status;
            if (bad >= 0) return not_definite(j->call, first);
            N(clear_above)(to);
        }
    }
    return OPFORGE_OK;
}

static int32_t N(potri_part)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    job* j = (job*)argument;
    int64_t n = j->n, size = n * n;
    for (int64_t i = begin; i < end; i++) {
        int64_t first = j->in_lanes ? i * LANES : i, count = j->in_lanes ? N(lanes_used)(j, i) : 1;
        N(view) l = N(lower_of)(j, first), to = N(rows_of)((T*)j->out + first * size, n, n);
        for (int64_t index = 0; index < count; index++)
            for (int64_t k = 0; k < n; k++)
                if (l.p[index * size + k * (n + 1)] == 0) return zero_diagonal(j->call, first + index, k);
        if (j->in_lanes) {
            V *a = (V*)worker->scratch, *x = a + size;
            N(pack)(a, l, size, count, 1);
            for (int64_t k = 0; k < size; k++) x[k] = OF(splat)(k % (n + 1) == 0);
            N(lanes_solve)(a, n, x, n);
            N(lanes_gram)(x, n, a);
            N(unpack)(a, to, size, count, 1);
        } else {
            N(view) x = N(rows_of)((T*)worker->scratch, n, n);
            N(set_identity)(x);
            int32_t status = N(on_columns)(j->call, N(SOLVE), l, x);
            if (!status) status = N(multiply)(j->call, 1, N(transposed)(x), x, 0, to);
            if (status) return status;
        }
    }
    return OPFORGE_OK;
}

static int32_t N(triangle_part)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    job* j = (job*)argument;
    int64_t n = j->n, size = n * j->m;
    for (int64_t i = begin; i < end; i++) {
        int64_t first = j->in_lanes ? i * LANES : i;
        N(view) l, from, to;
        N(canonical)(j, j->out, first, &l, &to);
        N(canonical)(j, j->b, first, &l, &from);
        if (j->in_lanes) {
            int64_t count = N(lanes_used)(j, i);
            V *a = (V*)worker->scratch, *x = a + n * n;
            N(pack)(a, l, n * n, count, 1);
            for (int64_t col = 0; col < j->m; col += LANES_COLUMNS) {
                int64_t width = j->m - col < LANES_COLUMNS ? j->m - col : LANES_COLUMNS;
                N(pack)(x, N(part)(from, 0, col, n, width), size, count, 0);
                if (j->is_product) N(lanes_multiply)(a, n, x, width);
                else N(lanes_solve)(a, n, x, width);
                N(unpack)(x, N(part)(to, 0, col, n, width), size, count, (T)j->alpha);
            }
        } else {
            T* x = (T*)j->out + first * size;
            const T* b = (const T*)j->b + first * size;
            for (int64_t k = 0; k < size; k++) x[k] = (T)j->alpha * b[k];
            int32_t status = N(on_columns)(j->call, j->is_product ? N(MULTIPLY) : N(SOLVE), l, to);
            if (status) return status;
        }
    }
    return OPFORGE_OK;
}

static int32_t N(inverse_part)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    job* j = (job*)argument;
    int64_t n = j->n, size = n * n;
    for (int64_t i = begin; i < end; i++) {
        int64_t first = j->in_lanes ? i * LANES : i;
        const T* a = (const T*)j->a + first * size;
        N(view) to = N(rows_of)((T*)j->out + first * size, n, n);
        if (j->transpose) to = N(transposed)(to);
        if (j->in_lanes) {
            int64_t count = N(lanes_used)(j, i);
            V* x = (V*)worker->scratch;
            N(pack)(x, N(rows_of)(a, n, n), size, count, 0);
            V is_singular = N(lanes_invert)(x, n, x + size);
            int64_t bad = FIRST_LANE(is_singular, count);
            if (bad >= 0 && !j->is_lenient) return singular(j->call, first + bad);
            for (int64_t k = 0; k < size && bad >= 0; k++)
                x[k] = OF(select)(is_singular != OF(splat)(0), OF(splat)(0), x[k]);
            N(unpack)(x, to, size, count, 1);
        } else {
            N(factors) f;
            int32_t status = N(factor)(j->call, a, n, worker->scratch, &f);
            if (!status && f.is_singular && !j->is_lenient) return singular(j->call, first);
            if (!status && !f.is_singular) status = N(invert)(&f, to);
            else memset((T*)j->out + first * size, 0, (size_t)size * sizeof(T));
            if (status) return status;
        }
    }
    return OPFORGE_OK;
}

/* Store a determinant, or its sign and the logarithm of its absolute value, given the pivots. */
static void N(store_determinant)(const job* j, int64_t index, T sign, const T* pivots, int64_t stride) {
    T product = sign, logarithm = 0;
    for (int64_t k = 0; k < j->n; k++) {
        T pivot = pivots[k * stride];
        product *= j->second == NULL ? pivot : (T)((pivot > 0) - (pivot < 0));
        if (j->second != NULL) logarithm += (T)log(fabs((double)pivot));
    }
    ((T*)j->out)[index] = product;
    if (j->second != NULL) ((T*)j->second)[index] = logarithm;
}

static int32_t N(det_part)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    job* j = (job*)argument;
    int64_t n = j->n, size = n * n;
    for (int64_t i = begin; i < end; i++) {
        int64_t first = j->in_lanes ? i * LANES : i;
        const T* a = (const T*)j->a + first * size;
        if (j->in_lanes) {
            int64_t count = N(lanes_used)(j, i);
            V *x = (V*)worker->scratch, *pivots = x + size, *diagonal = pivots + n;
            N(pack)(x, N(rows_of)(a, n, n), size, count, 0);
            V sign = N(lanes_pivots)(x, n, pivots, diagonal);
            for (int64_t lane = 0; lane < count; lane++)
                N(store_determinant)(j, first + lane, sign[lane], (T*)diagonal + lane, LANES);
        } else {
            N(factors) f;
            int32_t status = N(factor)(j->call, a, n, worker->scratch, &f);
            if (status) return status;
            int is_odd = 0;
            for (int64_t k = 0; k < n; k++) is_odd ^= f.pivots[k] != k;
            N(store_determinant)(j, first, is_odd ? -1 : 1, f.a, n + 1);
        }
    }
    return OPFORGE_OK;
}
