/* Attributes, parsed once, and the inference of shapes and types. */
#ifndef OPFORGE_RNN_SETTINGS_H
#define OPFORGE_RNN_SETTINGS_H

#include "rnn.h"

int32_t rnn_create(opforge_call* call);
int32_t rnn_create_predicting(opforge_call* call);
int32_t rnn_destroy(opforge_call* call);
int32_t rnn_complete(opforge_call* call);

/* Indices of inputs and outputs; -1 if the call has no such array. */
int32_t rnn_input_cell(const rnn_settings* s);
int32_t rnn_input_lengths(const rnn_settings* s);
int32_t rnn_output_cell(const rnn_settings* s);
int32_t rnn_output_reserve(const rnn_settings* s);

#endif
