/* The extension module. */
#include <opforge/module.h>

#include "native/operators.h"

OPFORGE_MODULE(_native, &quantize_operator, &quantize_v2_operator, &quantize_asym_operator, &dequantize_operator,
               &requantize_operator, &fully_connected_operator, &convolution_operator, &pooling_operator,
               &elemwise_add_operator, &elemwise_mul_operator, &concat_operator, &batch_norm_operator, &recurrent_operator);
