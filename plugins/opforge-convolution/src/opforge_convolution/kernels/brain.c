/* Selection of the kernels for bfloat16. */
#include "brain.h"

#include <opforge/brain.h>

#ifdef OF_BRAIN_PRODUCTS

enum { MIN_DEPTH = 16, MIN_ROWS = 4 }; /* with fewer, copying columns takes longer than multiplying */

/* Whether products are long and have enough rows. */
static int is_dense(const conv_plan* plan) {
    const conv_shape* s = &plan->shape;
    const int64_t taps = conv_volume(s->kernel);
    const int64_t rows = plan->pass == CONV_DATA ? s->in_channels : s->out_channels;
    const int64_t depth = (plan->pass == CONV_DATA ? s->out_channels : s->in_channels) * taps;
    return rows >= MIN_ROWS && depth >= MIN_DEPTH;
}

int32_t brain_plan(opforge_call* call, conv_plan* plan, int is_depthwise) {
    if (!opforge_has_brain_products()) return OPFORGE_OK;
    if (is_depthwise && plan->pass != CONV_WEIGHT) {
        brain_depthwise_plan(call, plan);
        return OPFORGE_OK;
    }
    if (!is_dense(plan)) return OPFORGE_OK;
    return (plan->pass == CONV_WEIGHT ? brain_weight_plan : brain_product_plan)(call, plan);
}

#else

int32_t brain_plan(opforge_call* call, conv_plan* plan, int is_depthwise) {
    (void)call, (void)plan, (void)is_depthwise;
    return OPFORGE_OK;
}

#endif
