/* All loops for one type: T is the element type, NAME adds a suffix. */
#include "resample.h"
#include "sampler.h"
#include "upsample.h"
