/* Includes KERNELS, a file of loops, once for float32 and once for float64: T is the type, NAME(x) a
 * name of its own. */
#define T float
#define NAME(name) name##_f32
#include KERNELS
#undef T
#undef NAME

#define T double
#define NAME(name) name##_f64
#include KERNELS
#undef T
#undef NAME
#undef KERNELS
