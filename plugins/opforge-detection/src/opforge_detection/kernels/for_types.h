/* Includes KERNELS, a file of loops, for float32 and for float64. T is the type, KEY and MARK are integers of its
 * size, and NAME(x) adds a suffix to a name. */
#define T float
#define KEY uint32_t
#define MARK int32_t
#define NAME(name) name##_f32
#include KERNELS
#undef T
#undef KEY
#undef MARK
#undef NAME

#define T double
#define KEY uint64_t
#define MARK int64_t
#define NAME(name) name##_f64
#include KERNELS
#undef T
#undef KEY
#undef MARK
#undef NAME
#undef KERNELS
