/* The kernels for float32. */
#include "fused.h"

#define T float
#define VECTOR of_f32v
#define BITS int32_t
#define V(name) of_##name##_f32v

#include "typed.h"

const attention_kernels attention_float32 = {run_forward, run_backward};
