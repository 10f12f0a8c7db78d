/* The extension module. */
#include <opforge/module.h>

#include "operator.h"

OPFORGE_MODULE(_native, &rnn_operator, &rnn_prediction_operator);
