"""GluonNLP's models, unchanged, on opforge: their results and their training.

One program runs in MXNet and, by ``python -m opforge.mxnet``, in opforge, from the same parameters.
GluonNLP is found, not imported; install it with ``pip install --no-deps gluonnlp==0.10.0``.
"""

import importlib.util

import pytest

FOUND = importlib.util.find_spec("gluonnlp")

#: Model of programs/gluonnlp.py -> type of its training; None if it draws masks or has no loss.
#: MXNet's fused attention for BERT supports only float32.
MODELS = {
    "standard lstm": "float64",
    "standard gru": "float64",
    "standard rnn_tanh": "float64",
    "standard rnn_relu": "float64",
    "awd lstm": "float64",
    "awd lstm, weights dropped": None,
    "big": "float64",
    "bert": "float32",
    "transformer": "float64",
    "multi-head attention": "float64",
    "mlp attention": "float64",
    "elmo": "float64",
    "convolutional": "float64",
    "beam search": None,
    "beam search in a graph": None,
}

#: Tolerance relative to an array's largest element, by the type of the step.
TOLERANCES = {"float64": 1e-6, "float32": 1e-4, None: 1e-4}


@pytest.mark.skipif(FOUND is None, reason="pip install --no-deps gluonnlp==0.10.0")
@pytest.mark.parametrize("model", MODELS)
def test_models_are_those_of_mxnet(each_way, model):
    trained = MODELS[model]
    request = {
        "root": FOUND.submodule_search_locations[0],
        "model": model,
        "trained": trained,
    }

    def part(key):
        return 1e-4 if key.startswith("result") else TOLERANCES[trained]

    # Biases of keys do not affect a softmax: such gradients are rounding errors only.
    each_way("gluonnlp", request, part, least=1e-3)
