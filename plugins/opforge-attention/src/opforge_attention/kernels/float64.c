/* The kernels for float64. */
#include "fused.h"

#define T double
#define BITS int64_t
#define FRACTION_BITS 52
#define EXP_LEAST -708.3964185322641
#define EXP_MAGIC (6755399441055744.0 + 1023) /* 1.5 * 2^52, and the exponent's bias */
#define LN2_HIGH 6.93147180369123816490e-01   /* short enough for n times it to be exact */
#define LN2_LOW 1.90821492927058770002e-10
#define EXP_FACTORS                                                                                                 \
    {2.500028414224014703e-8, 2.763026152262581106e-7, 2.755758574697247149e-6, 0.00002480149305917920698,          \
     0.0001984126950716181669, 0.001388888894367181718, 0.008333333333494272713, 0.04166666666652998445,            \
     0.1666666666666641262, 0.500000000000001065}

#include "kernels/vec.h"
#include "kernels/tile.h"
#include "kernels/pack.h"
#include "kernels/panel.h"
#include "kernels/bench.h"
#include "kernels/few.h"
#include "kernels/forward.h"
#include "kernels/gradient.h"
#include "kernels/mask_gradient.h"
#include "kernels/backward.h"

const attention_kernels attention_float64 = {run_forward, run_backward};
