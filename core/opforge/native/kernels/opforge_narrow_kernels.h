/* The elementwise kernels of uint8 and int8, for operations that need no wider arithmetic.
 *
 * Sums, differences and products wrap, so their low byte does not depend on the width. */
#ifndef OPFORGE_NARROW_KERNELS_H
#define OPFORGE_NARROW_KERNELS_H

#include "opforge_elementwise.h"
#include "opforge_scalar.h"

#define OF_T uint8_t
#define OF_SUFFIX u8
#define OF_HAS_INT32(...)
#include "opforge_elementwise_loops.h"
#define OF_T int8_t
#define OF_SUFFIX i8
#define OF_HAS_INT32(...)
#include "opforge_elementwise_loops.h"

static const opforge_narrow_table of_narrow_kernels = {
    {of_unary_u8, of_unary_i8}, {of_binary_u8, of_binary_i8}, {of_scalar_u8, of_scalar_i8}};

#endif
