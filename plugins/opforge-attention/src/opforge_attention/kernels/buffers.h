/* Scratch memory of a worker in the forward pass, and the log-sum-exp that both its paths end with. */

/* Allocate an aligned part of a worker's scratch memory; with NULL `base`, only count its bytes. */
static T* allocate(char* base, int64_t* bytes, int64_t elements) {
    T* part = base == NULL ? NULL : (T*)(base + *bytes);
    *bytes += ceil_div(elements * (int64_t)sizeof(T), 64) * 64;
    return part;
}

/* The grain of a loop over units of `work` multiplications each. */
static int64_t grain_of(int64_t work) { return max64((1 << 18) / max64(work, 1), 1); }

typedef struct forward_buffers {
    T *queries, *scores, *out; /* (depth, PANEL), (BLOCK, PANEL), (value_depth, PANEL) */
    T *high, *sum;             /* per query: the maximum score, and the sum of weights relative to it */
} forward_buffers;

static int64_t layout_forward(const attention* a, forward_buffers* b, char* base) {
    int64_t bytes = 0;
    b->queries = allocate(base, &bytes, a->depth * PANEL);
    b->scores = allocate(base, &bytes, BLOCK * PANEL);
    b->out = allocate(base, &bytes, a->value_depth * PANEL);
    b->high = allocate(base, &bytes, PANEL);
    b->sum = allocate(base, &bytes, PANEL);
    return bytes;
}

/* The log-sum-exp of scores; inf without any score, so that the weights recomputed in backward are 0. */
static T log_sum(T high, T sum) { return sum == 0 ? (T)INFINITY : high + (T)log((double)sum); }
