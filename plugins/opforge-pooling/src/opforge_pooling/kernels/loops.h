/* All loops for one type: T is the element's, INDEX an integer of its size, NAME adds a suffix. */
#include "visit.h"
#include "planes.h"
#include "pairs.h"
#include "whole.h"
#include "pixels.h"
#include "scatter.h"
#include "adaptive.h"
