/* Includes a header once for each element type, with the names that it is written in:
 *
 *     #define TYPED "view.h"
 *     #include "kernels/types.h"
 *
 * T is the element type, V a vector of it with LANES elements, `N(name)` the name of a function for this type,
 * `OF(name)` a function of simd.h, and DTYPE the type's code. */
#define T float
#define V of_f32v
#define LANES OF_LANES_f32v
#define N(name) name##_f32
#define OF(name) of_##name##_f32v
#define SQRT sqrtf
#define FABS fabsf
#define DTYPE OPFORGE_FLOAT32
#include TYPED
#undef T
#undef V
#undef LANES
#undef N
#undef OF
#undef SQRT
#undef FABS
#undef DTYPE

#define T double
#define V of_f64v
#define LANES OF_LANES_f64v
#define N(name) name##_f64
#define OF(name) of_##name##_f64v
#define SQRT sqrt
#define FABS fabs
#define DTYPE OPFORGE_FLOAT64
#include TYPED
#undef T
#undef V
#undef LANES
#undef N
#undef OF
#undef SQRT
#undef FABS
#undef DTYPE
#undef TYPED
