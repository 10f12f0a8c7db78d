/* Operators of the module. */
#ifndef OPFORGE_ATTENTION_OPERATORS_H
#define OPFORGE_ATTENTION_OPERATORS_H

#include <opforge/abi.h>

extern const opforge_operator self_scores, self_values, cross_scores, cross_values, attention_fused;

#endif
