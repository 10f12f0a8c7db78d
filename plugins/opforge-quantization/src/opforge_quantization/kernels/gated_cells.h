/* Cells of recurrent layers: from pre-activations to states. */
#ifndef OPFORGE_QUANTIZATION_GATED_CELLS_H
#define OPFORGE_QUANTIZATION_GATED_CELLS_H

#include <stdint.h>

/* Kinds of cells. Their gates are in this order: i, f, g, o of LSTM; r, z, n of GRU. */
typedef enum cell_kind { CELL_RELU, CELL_TANH, CELL_LSTM, CELL_GRU } cell_kind;

/* Advance units [begin, end) of `size` of one sequence. `from_data` and `from_state` have the pre-activations that the
 * data and the last state, `before`, contribute to each gate; `memory` of an LSTM is updated. */
void advance_cells(cell_kind kind, int64_t size, const float* from_data, const float* from_state, const float* before,
                   float* memory, float* after, int64_t begin, int64_t end);

#endif
