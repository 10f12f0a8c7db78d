/* Views of a matrix with strides of any sign, and their products. A stride of 1 or -1 along one axis is required for
 * products. Included by types.h. */

/* Element (i, j) is at `p[i * down + j * right]`. */
typedef struct N(view) {
    T* p;
    int64_t rows, cols, down, right;
} N(view);

static inline N(view) N(rows_of)(const T* p, int64_t rows, int64_t cols) {
    return (N(view)){(T*)p, rows, cols, cols, 1};
}

static inline N(view) N(part)(N(view) v, int64_t row, int64_t col, int64_t rows, int64_t cols) {
    return (N(view)){v.p + row * v.down + col * v.right, rows, cols, v.down, v.right};
}

static inline N(view) N(transposed)(N(view) v) { return (N(view)){v.p, v.cols, v.rows, v.right, v.down}; }

/* The rows in reverse order. */
static inline N(view) N(from_below)(N(view) v) {
    return (N(view)){v.p + (v.rows - 1) * v.down, v.rows, v.cols, -v.down, v.right};
}

/* Rows and columns in reverse order, which makes an upper triangle a lower one. */
static inline N(view) N(turned)(N(view) v) {
    v = N(transposed)(N(from_below)(v));
    return N(transposed)(N(from_below)(v));
}

/* The same elements with positive strides: in products, axes that are reversed in all operands may be restored. */
static inline N(view) N(unturned)(N(view) v) {
    if (v.down < 0) v = N(from_below)(v);
    v = N(transposed)(v);
    if (v.down < 0) v = N(from_below)(v);
    return N(transposed)(v);
}

static inline int64_t N(row_stride)(N(view) v) {
    int64_t stride = v.right == 1 ? v.down : v.right, length = v.right == 1 ? v.cols : v.rows;
    return stride > length ? stride : length;
}

/* c = alpha * a b + beta * c. */
static int32_t N(multiply)(opforge_call* call, double alpha, N(view) a, N(view) b, double beta, N(view) c) {
    a = N(unturned)(a), b = N(unturned)(b), c = N(unturned)(c);
    if (c.right != 1) {
        N(view) first = a;
        a = N(transposed)(b), b = N(transposed)(first), c = N(transposed)(c);
    }
    opforge_gemm product = opforge_matmul(DTYPE, c.rows, c.cols, a.cols, a.p, b.p, c.p);
    product.transpose_a = a.right != 1;
    product.transpose_b = b.right != 1;
    product.a_row = N(row_stride)(a);
    product.b_row = N(row_stride)(b);
    product.c_row = N(row_stride)(c);
    product.alpha = alpha;
    product.beta = beta;
    return call->host->gemm(call, &product);
}

/* Write zeros above the diagonal. */
static inline void N(clear_above)(N(view) v) {
    for (int64_t i = 0; i < v.rows; i++)
        for (int64_t j = i + 1; j < v.cols; j++) v.p[i * v.down + j * v.right] = 0;
}

static inline void N(set_identity)(N(view) v) {
    for (int64_t i = 0; i < v.rows; i++)
        for (int64_t j = 0; j < v.cols; j++) v.p[i * v.down + j * v.right] = i == j;
}
