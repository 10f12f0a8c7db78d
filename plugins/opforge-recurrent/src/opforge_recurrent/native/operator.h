/* The operators of the module: one for all, and one for predictions, which keeps nothing. */
#ifndef OPFORGE_RNN_OPERATOR_H
#define OPFORGE_RNN_OPERATOR_H

#include <opforge/abi.h>

extern const opforge_operator rnn_operator;
extern const opforge_operator rnn_prediction_operator;

#endif
