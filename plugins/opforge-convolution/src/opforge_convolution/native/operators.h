/* Operators of the module; each source file has one, or two that differ little. */
#ifndef OPFORGE_CONV_OPERATORS_H
#define OPFORGE_CONV_OPERATORS_H

#include <opforge/abi.h>

extern const opforge_operator conv_convolution, conv_winograd_weight, conv_deconvolution, conv_im2col, conv_col2im, conv_deformable,
    conv_modulated_deformable;

#endif
