/* The attributes, read once, and the inference of shapes and types. */
#ifndef OPFORGE_RNN_SETTINGS_H
#define OPFORGE_RNN_SETTINGS_H

#include "rnn.h"

int32_t rnn_create(opforge_call* call);
int32_t rnn_create_predicting(opforge_call* call);
int32_t rnn_destroy(opforge_call* call);
int32_t rnn_complete(opforge_call* call);

/* Which input or output is which; -1: there is none. */
int32_t rnn_input_cell(const rnn_settings* s);
int32_t rnn_input_lengths(const rnn_settings* s);
int32_t rnn_output_cell(const rnn_settings* s);
int32_t rnn_output_kept(const rnn_settings* s);

#endif
