/* Vectors of float32; V(name) is the name of their functions. */
#ifndef OPFORGE_CONVOLUTION_VEC_H
#define OPFORGE_CONVOLUTION_VEC_H

#include <opforge/tile.h>

#define V(name) of_##name##_f32v

typedef of_f32v vec;

/* Elements of a vector; elements of a quad, and quads of a vector. */
enum { LANES = OF_LANES_f32v, QUAD = 4, QUADS = LANES / QUAD };

#endif
