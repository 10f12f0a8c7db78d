/* All loops for one type: T is the element type, INDEX an integer type of its size, NAME adds a suffix; VECTOR is the
 * type of VECTOR_LANES elements, V(name) the name of its functions. */
#include "visit.h"
#include "planes.h"
#include "pairs.h"
#include "global.h"
#include "pixels.h"
#include "scatter.h"
#include "adaptive.h"
