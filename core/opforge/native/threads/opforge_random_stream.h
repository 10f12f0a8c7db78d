// State of a random-number stream; `random_streams` gives each thread one.
#ifndef OPFORGE_RANDOM_STREAM_H
#define OPFORGE_RANDOM_STREAM_H

#include <stdint.h>

#include "opforge_tls.h"

typedef struct {
  uint64_t key, counter, children;  // children: number of task streams derived from it
  uint64_t age;                     // generation of the process's seed that it derives from
  int own;                          // seeded by its thread, or for a task: no later process seed replaces it
} opforge_stream;

#endif
