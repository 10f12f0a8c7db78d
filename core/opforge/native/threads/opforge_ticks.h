// A clock that can be read in a few nanoseconds, for timing calls of a few hundred.
//
// It is the processor's time-stamp counter where that runs at a constant rate on all cores, else the
// system's clock. Ticks have no unit; compare them with the system's clock over a longer interval.
#ifndef OPFORGE_TICKS_H
#define OPFORGE_TICKS_H

#include <stdint.h>
#include <time.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

static inline uint64_t opforge_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// Returns whether the counter runs at a constant rate and never stops (CPUID bit "invariant TSC").
static inline int opforge_counter_is_steady(void) {
#if defined(__x86_64__)
  unsigned a, b, c, d = 0;
  return __get_cpuid(0x80000007u, &a, &b, &c, &d) && ((d >> 8) & 1);
#else
  return 0;
#endif
}

static inline uint64_t opforge_ticks(int is_steady) {
#if defined(__x86_64__)
  if (is_steady) return __rdtsc();
#endif
  (void)is_steady;
  return opforge_nanoseconds();
}

#endif
