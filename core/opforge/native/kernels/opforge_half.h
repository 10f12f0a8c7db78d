/* float16 as the compiler knows it: GCC 12 and Clang 15 have _Float16 on every x86-64 and AArch64;
 * where the instruction set converts in hardware (F16C), they use it. */
#ifndef OPFORGE_HALF_H
#define OPFORGE_HALF_H

typedef _Float16 opforge_half;

static inline float opforge_half_load(opforge_half x) { return (float)x; }
static inline opforge_half opforge_half_store(float x) { return (opforge_half)x; }

#endif
