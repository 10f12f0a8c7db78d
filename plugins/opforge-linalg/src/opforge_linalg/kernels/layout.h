/* Diagonals and triangles of square matrices as vectors. Included by types.h. */

/* Copy between vectors and the elements of matrices that they hold; `is_making` is from vectors to matrices. */
static void N(move_elements)(const layout* s, const void* source, void* target, int is_making) {
    const T* from = (const T*)source;
    T* to = (T*)target;
    int64_t length = layout_length(s);
    for (int64_t matrix = 0; matrix < s->count; matrix++) {
        int64_t position = matrix * length, base = matrix * s->n * s->n;
        for (int64_t outer = 0; outer < s->side; outer++) {
            int64_t begin = s->kind == DIAGONAL ? outer : 0;
            for (int64_t inner = begin; inner <= outer; inner++) {
                int64_t row = s->kind == UPPER ? inner : outer, col = s->kind == UPPER ? outer : inner;
                int64_t element = base + (row + s->down) * s->n + col + s->right;
                if (is_making) to[element] = from[position++];
                else to[position++] = from[element];
            }
        }
    }
}

static void N(sum_logarithms)(const void* matrices, void* sums, int64_t count, int64_t n) {
    const T* a = (const T*)matrices;
    for (int64_t matrix = 0; matrix < count; matrix++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) sum += log((double)a[(matrix * n + i) * n + i]);
        ((T*)sums)[matrix] = (T)sum;
    }
}

/* Copy the lower triangle, or the upper one, to both. */
static void N(mirror)(const void* from, void* to, int64_t count, int64_t n, int is_lower) {
    const T* a = (const T*)from;
    T* out = (T*)to;
    for (int64_t matrix = 0; matrix < count; matrix++, a += n * n, out += n * n)
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j <= i; j++)
                out[i * n + j] = out[j * n + i] = is_lower ? a[i * n + j] : a[j * n + i];
}

/* Copy the lower triangle, or the upper one, and write zeros elsewhere. */
static void N(keep)(const void* from, void* to, int64_t count, int64_t n, int is_lower) {
    const T* a = (const T*)from;
    T* out = (T*)to;
    for (int64_t row = 0; row < count * n; row++, a += n, out += n) {
        int64_t i = row % n, begin = is_lower ? 0 : i, end = is_lower ? i + 1 : n;
        memset(out, 0, (size_t)n * sizeof(T));
        memcpy(out + begin, a + begin, (size_t)(end - begin) * sizeof(T));
    }
}
