/* Forward and backward passes for each type. */
#include <opforge/tile.h>

#include "prefetch.h"
#include "workspace.h"

enum { GRAIN = 1 << 13 }; /* elements that are worth a part of a loop */

static int64_t at_least_one(int64_t n) { return n > 1 ? n : 1; }

#define T float
#define DTYPE OPFORGE_FLOAT32
#define NAME(name) name##_f32
#define OF(name) of_##name##_f32
#define V(name) of_##name##_f32v
#define VECTOR of_f32v
#define LANES OF_LANES_f32v
#include "typed.h"
#undef T
#undef DTYPE
#undef NAME
#undef OF
#undef V
#undef VECTOR
#undef LANES

#define T double
#define DTYPE OPFORGE_FLOAT64
#define NAME(name) name##_f64
#define OF(name) of_##name##_f64
#define V(name) of_##name##_f64v
#define VECTOR of_f64v
#define LANES OF_LANES_f64v
#include "typed.h"

static int64_t bytes_of(const workspace_layout* r, opforge_dtype dtype) {
    return r->elements < 0 ? -1 : r->elements * opforge_item_size(dtype);
}

int64_t rnn_forward_workspace(const rnn_shape* s) {
    workspace_layout r = layout_forward(s);
    return bytes_of(&r, s->dtype);
}

int64_t rnn_backward_workspace(const rnn_shape* s) {
    workspace_layout r = layout_backward(s);
    return bytes_of(&r, s->dtype);
}

int32_t rnn_forward(opforge_call* call, const rnn_shape* s, const rnn_arrays* a) {
    return (s->dtype == OPFORGE_FLOAT32 ? forward_f32 : forward_f64)(call, s, a);
}

int32_t rnn_backward(opforge_call* call, const rnn_shape* s, const rnn_arrays* a) {
    return (s->dtype == OPFORGE_FLOAT32 ? backward_f32 : backward_f64)(call, s, a);
}
