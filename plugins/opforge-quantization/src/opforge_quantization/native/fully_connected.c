/* quantized_fully_connected. */
#include "native/operators.h"
#include "native/ranges.h"
#include "native/weights.h"
#include "kernels/product.h"

enum { MAX_UNITS = 64, MAX_ROWS = 64 }; /* of the blocks that threads share */

typedef struct layer {
    const char* data;
    const int8_t* weight;
    const int32_t* bias;
    int32_t* out;
    bool is_unsigned;
    int64_t rows, units, length, blocks; /* `blocks`: of units, in a block of rows */
} layer;

static void run_blocks(void* argument, int64_t begin, int64_t end) {
    const layer* l = (const layer*)argument;
    for (int64_t block = begin; block < end; block++) {
        int64_t row = block / l->blocks * MAX_ROWS, unit = block % l->blocks * MAX_UNITS;
        int64_t rows = l->rows - row < MAX_ROWS ? l->rows - row : MAX_ROWS;
        int64_t units = l->units - unit < MAX_UNITS ? l->units - unit : MAX_UNITS;
        int32_t* out = l->out + row * l->units + unit;
        quantized_product(l->data + row * l->length, l->is_unsigned, l->weight + unit * l->length, out, rows, units,
                          l->length, l->units, 1);
        for (int64_t i = 0; i < rows && l->bias != NULL; i++) {
            uint32_t* sums = (uint32_t*)out + i * l->units; /* unsigned: sums wrap */
            for (int64_t j = 0; j < units; j++) sums[j] += (uint32_t)l->bias[unit + j];
        }
    }
}

static int32_t fully_connected(opforge_call* call) {
    const opforge_tensor *data = &call->inputs[0], *weight = &call->inputs[1], *out = &call->outputs[0];
    layer l = {
        .data = (const char*)data->data, .weight = (const int8_t*)weight->data, .out = (int32_t*)out->data,
        .is_unsigned = data->dtype == OPFORGE_UINT8, .units = weight->shape[0],
    };
    int32_t status = scaled_bias(call, &l.bias);
    if (status) return status;
    set_product_range(call);
    if (out->byte_size == 0) return OPFORGE_OK;
    l.rows = opforge_count(out) / l.units;
    l.length = opforge_count(data) / l.rows;
    l.blocks = (l.units + MAX_UNITS - 1) / MAX_UNITS;
    int64_t products = (l.rows < MAX_ROWS ? l.rows : MAX_ROWS) * MAX_UNITS * (l.length + 1);
    int64_t grain = 1 + 16 * GRAIN / products, blocks = (l.rows + MAX_ROWS - 1) / MAX_ROWS * l.blocks;
    call->host->parallel_for(call, blocks, grain, run_blocks, &l);
    return OPFORGE_OK;
}

const opforge_operator fully_connected_operator = OPERATOR("_contrib_quantized_fully_connected", fully_connected);
