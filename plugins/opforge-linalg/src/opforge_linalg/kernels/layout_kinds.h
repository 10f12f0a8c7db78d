/* Elements of square matrices that a vector holds. */
#ifndef LINALG_LAYOUT_KINDS_H
#define LINALG_LAYOUT_KINDS_H

#include <stdint.h>

/* An upper triangle is stored by columns, as MXNet does, a lower one by rows. */
typedef enum layout_kind { DIAGONAL, LOWER, UPPER } layout_kind;

typedef struct layout {
    layout_kind kind;
    int64_t count, n;          /* number and order of the matrices */
    int64_t side, down, right; /* order of the triangle, and the position of its first element */
} layout;

/* Return the number of elements of one vector. */
static inline int64_t layout_length(const layout* s) {
    return s->kind == DIAGONAL ? s->side : s->side * (s->side + 1) / 2;
}

#endif
