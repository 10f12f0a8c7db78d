/* Vectors of T as wide as the instruction set has them. Included once for each type. */

#define LANES (VECTOR_BYTES / (int64_t)sizeof(T))

typedef T NAME(vec) __attribute__((vector_size(VECTOR_BYTES)));
typedef T NAME(loose_vec) __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(T)), may_alias));

/* The first `n` lanes, of which more than there are may be asked for; the others are 0. */
FORCE_INLINE NAME(vec) NAME(load)(const T* p, int64_t n) {
    NAME(vec) v = {0};
    if (n >= LANES) return *(const NAME(loose_vec)*)p;
    if (n > 0) memcpy(&v, p, (size_t)n * sizeof(T));
    return v;
}

FORCE_INLINE void NAME(store)(T* p, NAME(vec) v, int64_t n) {
    if (n >= LANES) *(NAME(loose_vec)*)p = v;
    else if (n > 0) memcpy(p, &v, (size_t)n * sizeof(T));
}
