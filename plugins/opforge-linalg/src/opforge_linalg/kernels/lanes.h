/* Algorithms for several small matrices at once, one in each lane of the vectors: element (i, j) of all of them is
 * the vector `a[i * cols + j]`. Included by types.h after view.h. */

/* The number of columns whose sums are in registers together. */
enum { N(BLOCK) = 4 };

/* Read up to LANES matrices; `next` is the number of elements from one to the next. If there are fewer, the last one
 * is repeated. `is_lower`: read the lower triangle only. */
static void N(pack)(V* to, N(view) from, int64_t next, int64_t count, int is_lower) {
    T* elements = (T*)to;
    for (int64_t lane = 0; lane < LANES; lane++) {
        const T* p = from.p + (lane < count ? lane : count - 1) * next;
        for (int64_t i = 0; i < from.rows; i++) {
            int64_t end = is_lower ? i + 1 : from.cols;
            for (int64_t j = 0; j < end; j++)
                elements[(i * from.cols + j) * LANES + lane] = p[i * from.down + j * from.right];
        }
    }
}

/* Write up to LANES matrices, multiplied by `alpha`. */
static void N(unpack)(const V* from, N(view) to, int64_t next, int64_t count, T alpha) {
    const T* elements = (const T*)from;
    for (int64_t lane = 0; lane < count; lane++) {
        T* p = to.p + lane * next;
        for (int64_t i = 0; i < to.rows; i++)
            for (int64_t j = 0; j < to.cols; j++)
                p[i * to.down + j * to.right] = alpha * elements[(i * to.cols + j) * LANES + lane];
    }
}

/* Return the first lane below `count` in which the condition holds, or -1. */
#define FIRST_LANE(condition, count) __extension__({                            \
    int64_t first_ = -1;                                                        \
    for (int64_t lane_ = 0; lane_ < (count) && first_ < 0; lane_++)             \
        if ((condition)[lane_]) first_ = lane_;                                 \
    first_;                                                                     \
})

static inline V N(lane_sqrt)(V v) {
    for (int lane = 0; lane < LANES; lane++) v[lane] = SQRT(v[lane]);
    return v;
}

/* Replace lower triangles by their Cholesky factors, and clear the upper ones. Return the first lane of `count` with
 * a pivot that is not positive, or -1. */
static int64_t N(lanes_cholesky)(V* a, int64_t n, int64_t count) {
    V bad = OF(splat)(0);
    for (int64_t j = 0; j < n; j++) {
        V inverse = OF(splat)(0);
        for (int64_t i = j; i < n; i += N(BLOCK)) {
            int64_t height = n - i < N(BLOCK) ? n - i : N(BLOCK);
            V sums[N(BLOCK)];
            for (int64_t r = 0; r < N(BLOCK); r++) sums[r] = a[(i + (r < height ? r : 0)) * n + j];
            for (int64_t k = 0; k < j; k++) {
                V factor = -a[j * n + k];
                for (int64_t r = 0; r < N(BLOCK); r++)
                    sums[r] = OF(madd)(factor, a[(i + (r < height ? r : 0)) * n + k], sums[r]);
            }
            if (i == j) {
                bad = OF(select)(sums[0] <= OF(splat)(0), OF(splat)(1), bad);
                inverse = OF(splat)(1) / N(lane_sqrt)(sums[0]);
            }
            for (int64_t r = 0; r < height; r++) a[(i + r) * n + j] = sums[r] * inverse;
        }
        for (int64_t i = 0; i < j; i++) a[i * n + j] = OF(splat)(0);
    }
    return FIRST_LANE(bad, count);
}

/* Solve `l x = x` in place for lower triangles `l` of n x n and `x` of n x m. */
static void N(lanes_solve)(const V* l, int64_t n, V* x, int64_t m) {
    for (int64_t i = 0; i < n; i++) {
        V inverse = OF(splat)(1) / l[i * n + i];
        for (int64_t j = 0; j < m; j += N(BLOCK)) {
            int64_t width = m - j < N(BLOCK) ? m - j : N(BLOCK);
            V sums[N(BLOCK)];
            for (int64_t c = 0; c < N(BLOCK); c++) sums[c] = x[i * m + j + (c < width ? c : 0)];
            for (int64_t k = 0; k < i; k++)
                for (int64_t c = 0; c < N(BLOCK); c++)
                    sums[c] = OF(madd)(-l[i * n + k], x[k * m + j + (c < width ? c : 0)], sums[c]);
            for (int64_t c = 0; c < width; c++) x[i * m + j + c] = sums[c] * inverse;
        }
    }
}

/* Compute `x = l x` for lower triangles `l` of n x n and `x` of n x m. */
static void N(lanes_multiply)(const V* l, int64_t n, V* x, int64_t m) {
    for (int64_t i = n - 1; i >= 0; i--) {
        for (int64_t j = 0; j < m; j += N(BLOCK)) {
            int64_t width = m - j < N(BLOCK) ? m - j : N(BLOCK);
            V sums[N(BLOCK)];
            for (int64_t c = 0; c < N(BLOCK); c++) sums[c] = OF(splat)(0);
            for (int64_t k = 0; k <= i; k++)
                for (int64_t c = 0; c < N(BLOCK); c++)
                    sums[c] = OF(madd)(l[i * n + k], x[k * m + j + (c < width ? c : 0)], sums[c]);
            for (int64_t c = 0; c < width; c++) x[i * m + j + c] = sums[c];
        }
    }
}

/* Compute `c = x^T x` for lower triangles `x`. */
static void N(lanes_gram)(const V* x, int64_t n, V* c) {
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j <= i; j++) {
            V sum = OF(splat)(0);
            for (int64_t k = i; k < n; k++) sum = OF(madd)(x[k * n + i], x[k * n + j], sum);
            c[i * n + j] = c[j * n + i] = sum;
        }
    }
}

/* Move the row with the largest element of column k to row k, in each lane, and store its index. Return -1 in the
 * lanes in which it was another row, else 1. */
static V N(lanes_pivot)(V* a, int64_t n, int64_t k, V* pivots) {
    V best = OF(abs)(a[k * n + k]), row = OF(splat)((T)k), sign;
    for (int64_t i = k + 1; i < n; i++) {
        V size = OF(abs)(a[i * n + k]);
        row = OF(select)(size > best, OF(splat)((T)i), row);
        best = OF(select)(size > best, size, best);
    }
    for (int lane = 0; lane < LANES; lane++) {
        int64_t from = (int64_t)row[lane];
        sign[lane] = from == k ? 1 : -1;
        if (from == k) continue;
        T *x = (T*)(a + k * n) + lane, *y = (T*)(a + from * n) + lane;
        for (int64_t j = 0; j < n; j++) {
            T element = x[j * LANES];
            x[j * LANES] = y[j * LANES];
            y[j * LANES] = element;
        }
    }
    pivots[k] = row;
    return sign;
}

/* Subtract multiples of row k from the rows [begin, end), so that their column k becomes 0; columns before `from` are
 * not computed. */
static inline void N(lanes_eliminate)(V* a, int64_t n, int64_t k, int64_t from, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) {
        V factor = -a[i * n + k];
        a[i * n + k] = OF(splat)(0);
        for (int64_t j = from; j < n; j++) a[i * n + j] = OF(madd)(factor, a[k * n + j], a[i * n + j]);
    }
}

/* Replace the matrices by their inverses (Gauss-Jordan elimination with row pivoting). Return the lanes with a
 * singular matrix as 1, the others as 0. */
static V N(lanes_invert)(V* a, int64_t n, V* pivots) {
    V is_singular = OF(splat)(0);
    for (int64_t k = 0; k < n; k++) {
        N(lanes_pivot)(a, n, k, pivots);
        V pivot = a[k * n + k];
        is_singular = OF(select)(pivot == OF(splat)(0), OF(splat)(1), is_singular);
        a[k * n + k] = OF(splat)(1);
        for (int64_t j = 0; j < n; j++) a[k * n + j] /= pivot;
        N(lanes_eliminate)(a, n, k, 0, 0, k);
        N(lanes_eliminate)(a, n, k, 0, k + 1, n);
    }
    for (int64_t k = n - 1; k >= 0; k--) {
        for (int lane = 0; lane < LANES; lane++) {
            int64_t from = (int64_t)pivots[k][lane];
            T *x = (T*)(a + k) + lane, *y = (T*)(a + from) + lane;
            if (from == k) continue;
            for (int64_t i = 0; i < n; i++) {
                T element = x[i * n * LANES];
                x[i * n * LANES] = y[i * n * LANES];
                y[i * n * LANES] = element;
            }
        }
    }
    return is_singular;
}

/* Return the signs of the determinants; `diagonal` gets the n pivots. The matrices are overwritten. */
static V N(lanes_pivots)(V* a, int64_t n, V* pivots, V* diagonal) {
    V sign = OF(splat)(1);
    for (int64_t k = 0; k < n; k++) {
        sign *= N(lanes_pivot)(a, n, k, pivots);
        V pivot = diagonal[k] = a[k * n + k];
        /* A zero pivot leaves the rows below unchanged. */
        V inverse = OF(select)(pivot == OF(splat)(0), OF(splat)(0), OF(splat)(1) / pivot);
        for (int64_t i = k + 1; i < n; i++) a[i * n + k] *= inverse;
        N(lanes_eliminate)(a, n, k, k + 1, k + 1, n);
    }
    return sign;
}
