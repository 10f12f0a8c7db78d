/* The operators of the module. */
#ifndef OPFORGE_QUANTIZED_OPERATORS_H
#define OPFORGE_QUANTIZED_OPERATORS_H

#include <opforge/abi.h>

/* Initializer of an operator whose declaration infers shapes and types. */
#define OPERATOR(title, function) {.head = OPFORGE_HEAD(opforge_operator), .name = title, .forward = function}

extern const opforge_operator quantize_operator, quantize_v2_operator, quantize_asym_operator;
extern const opforge_operator dequantize_operator, requantize_operator;
extern const opforge_operator fully_connected_operator, convolution_operator, pooling_operator;
extern const opforge_operator elemwise_add_operator, elemwise_mul_operator, concat_operator, batch_norm_operator, recurrent_operator;
extern const opforge_operator int8_convolution_operator, int8_dense_operator;
extern const opforge_operator int8_filters_operator, int8_depthwise_filters_operator, dynamic_dense_operator, dynamic_rnn_operator;

#endif
