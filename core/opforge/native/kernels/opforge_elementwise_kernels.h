/* The elementwise kernels of the four compute types, indexed by enum opforge_compute. */
#ifndef OPFORGE_ELEMENTWISE_KERNELS_H
#define OPFORGE_ELEMENTWISE_KERNELS_H

#include "opforge_elementwise.h"
#include "opforge_math.h"

#define OF_T float
#define OF_SUFFIX f32
#define OF_HAS_INT32(...) __VA_ARGS__
#include "opforge_elementwise_loops.h"
#define OF_T double
#define OF_SUFFIX f64
#define OF_HAS_INT32(...) __VA_ARGS__
#include "opforge_elementwise_loops.h"
#define OF_T int32_t
#define OF_SUFFIX i32
#define OF_HAS_INT32(...) __VA_ARGS__
#include "opforge_elementwise_loops.h"
#define OF_T int64_t
#define OF_SUFFIX i64
#define OF_HAS_INT32(...) __VA_ARGS__
#include "opforge_elementwise_loops.h"

static const opforge_unary_fn of_unary_kernels[COMPUTE_COUNT] = {
    of_unary_f32, of_unary_f64, of_unary_i32, of_unary_i64};
static const opforge_binary_fn of_binary_kernels[COMPUTE_COUNT] = {
    of_binary_f32, of_binary_f64, of_binary_i32, of_binary_i64};
static const opforge_scalar_fn of_scalar_kernels[COMPUTE_COUNT] = {
    of_scalar_f32, of_scalar_f64, of_scalar_i32, of_scalar_i64};

#endif
