/* The operator of the module. */
#ifndef OPFORGE_RNN_OPERATOR_H
#define OPFORGE_RNN_OPERATOR_H

#include <opforge/abi.h>

extern const opforge_operator rnn_operator;

#endif
