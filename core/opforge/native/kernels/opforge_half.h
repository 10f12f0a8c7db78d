/* float16 and bfloat16 as compiler types. GCC 12 and Clang 15 support _Float16 on all x86-64 and AArch64 processors, and use
 * hardware conversions if the instruction set has them (F16C). */
#ifndef OPFORGE_HALF_H
#define OPFORGE_HALF_H

#include "opforge_convert.h"

typedef _Float16 opforge_half;

static inline float opforge_half_load(opforge_half x) { return (float)x; }
static inline opforge_half opforge_half_store(float x) { return (opforge_half)x; }

/* The upper half of a float32. */
typedef struct {
    uint16_t bits;
} opforge_brain;

static inline float opforge_brain_load(opforge_brain x) { return of_brain_to_float(x.bits); }

#endif
