/* A worker's scratch memory in the forward pass, and what both ways through it end with. */

/* Aligned parts of a worker's scratch memory; with NULL `base` only their bytes are counted. */
static T* take(char* base, int64_t* bytes, int64_t elements) {
    T* part = base == NULL ? NULL : (T*)(base + *bytes);
    *bytes += quotient_up(elements * (int64_t)sizeof(T), 64) * 64;
    return part;
}

/* How many units are worth a part of a loop, each of so many multiplications. */
static int64_t grain_of(int64_t work) { return larger((1 << 18) / larger(work, 1), 1); }

typedef struct forward_bench {
    T *queries, *scores, *out; /* (depth, PANEL), (BLOCK, PANEL), (value_depth, PANEL) */
    T *high, *sum;             /* of each query: the highest score, and the sum of weights relative to it */
} forward_bench;

static int64_t lay_out_forward(const attention* a, forward_bench* b, char* base) {
    int64_t bytes = 0;
    b->queries = take(base, &bytes, a->depth * PANEL);
    b->scores = take(base, &bytes, BLOCK * PANEL);
    b->out = take(base, &bytes, a->value_depth * PANEL);
    b->high = take(base, &bytes, PANEL);
    b->sum = take(base, &bytes, PANEL);
    return bytes;
}

/* The logarithm of the sum of exp(score); inf of no score, so that the weights that backward makes are 0. */
static T logarithm(T high, T sum) { return sum == 0 ? (T)INFINITY : high + (T)log((double)sum); }
