/* quantized_conv. */
#include "native/convolution.h"
#include "native/operators.h"
#include "native/weights.h"

static int32_t convolve(opforge_call* call) {
    const opforge_tensor *data = &call->inputs[0], *weight = &call->inputs[1], *out = &call->outputs[0];
    convolution c = {
        .w = read_window(call), .n = data->shape[0], .groups = opforge_find(call, "num_group")->integer,
        .data = (const char*)data->data, .weight = (const int8_t*)weight->data, .out = (int32_t*)out->data,
        .is_unsigned = data->dtype == OPFORGE_UINT8,
    };
    c.channels = data->shape[1] / c.groups;
    c.filters = weight->shape[0] / c.groups;
    int32_t status = scaled_bias(call, &c.bias);
    if (status) return status;
    set_product_range(call);
    if (out->byte_size == 0) return OPFORGE_OK;
    return c.channels == 1 && c.groups > 1 ? convolve_depthwise(call, &c) : convolve_patches(call, &c);
}

const opforge_operator convolution_operator = OPERATOR("_contrib_quantized_conv", convolve);
