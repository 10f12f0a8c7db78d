/* The kernels for float32. */
#include "fused.h"

#define T float
#define BITS int32_t
#define FRACTION_BITS 23
#define EXP_LEAST -87.3365447f
#define EXP_MAGIC (12582912.0f + 127) /* 1.5 * 2^23, and the exponent's bias */
#define LN2_HIGH 0.693145752f         /* short enough for n times it to be exact */
#define LN2_LOW 1.42860677e-6f
#define EXP_FACTORS                                                                                                 \
    {0.001381452202790507773f, 0.008368721627321488958f, 0.04166838956871467183f, 0.1666652057963904017f,           \
     0.4999999344089246388f}

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

const attention_kernels attention_float32 = {run_forward, run_backward};
