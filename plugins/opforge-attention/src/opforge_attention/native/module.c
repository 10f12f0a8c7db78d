/* The extension module. */
#include <opforge/module.h>

#include "operators.h"

OPFORGE_MODULE(_native, &attention_fused, &self_scores, &self_values, &cross_scores, &cross_values);
