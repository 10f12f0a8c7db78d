/* Which fast kernel takes a pass. */
#include "conv.h"

int32_t conv_fast_plan(opforge_call* call, conv_plan* plan) {
    (void)call;
    (void)plan;
    return OPFORGE_OK;
}
