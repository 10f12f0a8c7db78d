/* Inference of shapes and types from the data. */
#include "settings.h"

/* -- types ----------------------------------------------------------------------------------------------------- */

static int is_about_types(const opforge_call* call) {
    for (int32_t i = 0; i < call->n_inputs; i++) {
        if (call->inputs[i].dtype != OPFORGE_UNKNOWN) return 1;
    }
    return call->outputs[0].dtype != OPFORGE_UNKNOWN;
}

static int32_t complete_types(opforge_call* call, const rnn_settings* s) {
    int32_t lengths = rnn_input_lengths(s), type = call->outputs[0].dtype;
    for (int32_t i = call->n_inputs - 1; i >= 0; i--) {
        if (i != lengths && call->inputs[i].dtype != OPFORGE_UNKNOWN) type = call->inputs[i].dtype;
    }
    if (type == OPFORGE_UNKNOWN) return OPFORGE_OK;
    for (int32_t i = 0; i < call->n_inputs; i++) {
        /* Lengths may have any type; by default, as in MXNet, that of the data. */
        if (i != lengths || call->inputs[i].dtype == OPFORGE_UNKNOWN) call->arguments[i].dtype = type;
    }
    for (int32_t i = 0; i < call->n_outputs; i++) call->outputs[i].dtype = type;
    if (s->has_reserve) call->outputs[rnn_output_reserve(s)].dtype = opforge_computed_in(type);
    return OPFORGE_OK;
}

/* -- shapes ---------------------------------------------------------------------------------------------------- */

static void set_shape(opforge_tensor* tensor, int32_t ndim, int64_t a, int64_t b, int64_t c) {
    int64_t lengths[] = {a, b, c};
    tensor->ndim = ndim;
    for (int32_t axis = 0; axis < ndim; axis++) tensor->shape[axis] = lengths[axis];
}

static int32_t complete_shapes(opforge_call* call, const rnn_settings* s) {
    const opforge_tensor* data = &call->inputs[0];
    if (data->ndim == -1) return OPFORGE_OK;
    if (data->ndim != 3) {
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "data has %d dimensions; expected 3: (steps, n, channels)", data->ndim);
    }
    rnn_shape shape = {.set = *s, .steps = data->shape[0], .batch = data->shape[1], .input = data->shape[2]};
    int64_t parameters = rnn_parameters(s, shape.input), reserve = rnn_reserve_size(&shape);
    if (parameters < 0 || reserve < 0) {
        return opforge_fail(call, OPFORGE_BAD_SHAPE,
                            "%lld layers with states of %lld and data of (%lld, %lld, %lld) exceed 64 bits of memory. "
                            "Pass a smaller state_size or num_layers",
                            (long long)s->layers, (long long)s->size, (long long)shape.steps, (long long)shape.batch,
                            (long long)shape.input);
    }
    int64_t states = s->layers * s->directions;
    int32_t cell = rnn_input_cell(s), lengths = rnn_input_lengths(s), last_cell = rnn_output_cell(s);
    /* A length 0 is unknown or truly 0; then the number of parameters is accepted as given. */
    if (shape.input != 0) set_shape(&call->arguments[1], 1, parameters, 0, 0);
    set_shape(&call->arguments[2], 3, states, shape.batch, s->out);
    if (cell >= 0) set_shape(&call->arguments[cell], 3, states, shape.batch, s->size);
    if (lengths >= 0) set_shape(&call->arguments[lengths], 1, shape.batch, 0, 0);
    set_shape(&call->outputs[0], 3, shape.steps, shape.batch, s->directions * s->out);
    if (s->has_states) set_shape(&call->outputs[1], 3, states, shape.batch, s->out);
    if (last_cell >= 0) set_shape(&call->outputs[last_cell], 3, states, shape.batch, s->size);
    if (s->has_reserve) set_shape(&call->outputs[rnn_output_reserve(s)], 1, reserve, 0, 0);
    return OPFORGE_OK;
}

int32_t rnn_complete(opforge_call* call) {
    const rnn_settings* s = (const rnn_settings*)call->state;
    return is_about_types(call) ? complete_types(call, s) : complete_shapes(call, s);
}
