/* All kernels for one type T, with suffixed names: NAME(forward) is forward_f32. */
#include "sublayer.h"
#include "cells.h"
#include "cells_backward.h"
#include "dropout.h"
#include "panels.h"
#include "packed.h"
#include "forward.h"
#include "backward.h"
