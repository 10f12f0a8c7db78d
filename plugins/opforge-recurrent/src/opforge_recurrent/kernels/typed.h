/* All of it for one type T, whose functions have names of their own: NAME(forward) is forward_f32. */
#include "vectors.h"
#include "strand.h"
#include "cells.h"
#include "cells_backward.h"
#include "dropout.h"
#include "panels.h"
#include "packed.h"
#include "forward.h"
#include "backward.h"
#undef LANES
