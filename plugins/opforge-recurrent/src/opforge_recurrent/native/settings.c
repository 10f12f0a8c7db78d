#include "settings.h"

#include <stdlib.h>

static int32_t mode_of(const char* text) {
    static const char* const names[] = {"rnn_relu", "rnn_tanh", "lstm", "gru"};
    int32_t mode = 0;
    while (strcmp(names[mode], text) != 0) mode++;
    return mode;
}

static int64_t integer(const opforge_call* call, const char* name) { return opforge_find(call, name)->integer; }

static void read_clipping(const opforge_call* call, rnn_settings* s) {
    const opforge_attribute* least = opforge_find(call, "lstm_state_clip_min");
    if (least->kind == OPFORGE_NONE) return;
    s->clips = 1;
    s->clips_nan = integer(call, "lstm_state_clip_nan") != 0;
    s->clip_min = least->number;
    s->clip_max = opforge_find(call, "lstm_state_clip_max")->number;
}

int32_t rnn_create(opforge_call* call) {
    static const int64_t gates[] = {1, 1, 4, 3};
    const opforge_attribute* projection = opforge_find(call, "projection_size");
    rnn_settings* s = (rnn_settings*)calloc(1, sizeof *s);
    if (s == NULL) return OPFORGE_NO_MEMORY;
    s->mode = mode_of(opforge_find(call, "mode")->text);
    s->gates = gates[s->mode];
    s->layers = integer(call, "num_layers");
    s->directions = integer(call, "bidirectional") ? 2 : 1;
    s->size = s->out = integer(call, "state_size");
    s->projects = projection->kind != OPFORGE_NONE;
    if (s->projects) s->out = projection->integer;
    s->has_states = integer(call, "state_outputs") != 0;
    s->has_lengths = integer(call, "use_sequence_length") != 0;
    s->has_reserve = 1;
    s->p = opforge_find(call, "p")->number;
    read_clipping(call, s);
    call->state = s;
    return OPFORGE_OK;
}

int32_t rnn_create_predicting(opforge_call* call) {
    int32_t status = rnn_create(call);
    if (!status) ((rnn_settings*)call->state)->has_reserve = 0;
    return status;
}

int32_t rnn_destroy(opforge_call* call) {
    free(call->state);
    return OPFORGE_OK;
}

int32_t rnn_input_cell(const rnn_settings* s) { return s->mode == RNN_LSTM ? 3 : -1; }

int32_t rnn_input_lengths(const rnn_settings* s) { return !s->has_lengths ? -1 : s->mode == RNN_LSTM ? 4 : 3; }

int32_t rnn_output_cell(const rnn_settings* s) { return s->mode == RNN_LSTM && s->has_states ? 2 : -1; }

int32_t rnn_output_reserve(const rnn_settings* s) {
    return !s->has_reserve ? -1 : 1 + s->has_states * (s->mode == RNN_LSTM ? 2 : 1);
}
