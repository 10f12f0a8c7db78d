/* Operators of the module; the one for predictions has no reserve. */
#ifndef OPFORGE_RNN_OPERATOR_H
#define OPFORGE_RNN_OPERATOR_H

#include <opforge/abi.h>

extern const opforge_operator rnn_operator;
extern const opforge_operator rnn_prediction_operator;

#endif
