/* Vectors of T, of type VECTOR. V(name) is the name of their functions, and BITS the signed integer type of the size
 * of an element. */
#include <opforge/tile.h>

typedef VECTOR vec;

/* PANEL: columns of a tile, and the number of queries computed together. */
enum { LANES = OF_VECTOR_BYTES / sizeof(T), PANEL = 2 * LANES };

/* exp(difference) of a score from a maximum. */
OF_INLINE vec weight_of(vec difference) { return V(exp2_scaled)(difference, (T)1.4426950408889634); }

OF_INLINE T dot(const T* a, const T* b, int64_t n) {
    vec sums = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) sums = V(madd)(V(load)(a + i), V(load)(b + i), sums);
    T sum = V(sum)(sums);
    for (; i < n; i++) sum += a[i] * b[i];
    return sum;
}
