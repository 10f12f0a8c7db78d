/* The kernels for float64. */
#include "fused.h"

#define T double
#define VECTOR of_f64v
#define BITS int64_t
#define V(name) of_##name##_f64v

#include "typed.h"

const attention_kernels attention_float64 = {run_forward, run_backward};
