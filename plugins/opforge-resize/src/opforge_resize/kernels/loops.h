/* All loops for one type: T is the element's, FLOOR its floor, NAME adds a suffix. */
#include "resample.h"
#include "sampler.h"
#include "stamp.h"
