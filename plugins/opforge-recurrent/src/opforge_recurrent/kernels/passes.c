/* Forward and backward passes, for each type. */
#include "fetching.h"
#include "rooms.h"

enum { GRAIN = 1 << 13 }; /* elements that are worth a part of a loop */

static int64_t at_least_one(int64_t n) { return n > 1 ? n : 1; }

#define T float
#define DTYPE OPFORGE_FLOAT32
#define NAME(name) name##_f32
#include "typed.h"
#undef T
#undef DTYPE
#undef NAME

#define T double
#define DTYPE OPFORGE_FLOAT64
#define NAME(name) name##_f64
#include "typed.h"

static int64_t bytes_of(const rooms* r, int32_t dtype) {
    return r->elements < 0 ? -1 : r->elements * opforge_item_size(dtype);
}

int64_t rnn_forward_workspace(const rnn_shape* s) {
    rooms r = forward_rooms(s);
    return bytes_of(&r, s->dtype);
}

int64_t rnn_backward_workspace(const rnn_shape* s) {
    rooms r = backward_rooms(s);
    return bytes_of(&r, s->dtype);
}

int32_t rnn_forward(opforge_call* call, const rnn_shape* s, const rnn_arrays* a) {
    return (s->dtype == OPFORGE_FLOAT32 ? forward_f32 : forward_f64)(call, s, a);
}

int32_t rnn_backward(opforge_call* call, const rnn_shape* s, const rnn_arrays* a) {
    return (s->dtype == OPFORGE_FLOAT32 ? backward_f32 : backward_f64)(call, s, a);
}
