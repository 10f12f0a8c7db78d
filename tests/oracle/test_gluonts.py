"""GluonTS's networks, unchanged, on opforge: their losses, gradients, steps and forecasts.

One program runs in MXNet and, by ``python -m opforge.mxnet``, in opforge, from the same parameters
and batches. Install it with ``pip install --no-deps gluonts==0.10.4``.
"""

import importlib.util

import pytest

FOUND = importlib.util.find_spec("gluonts")

#: Model of programs/gluonts.py -> whether it forecasts without random draws.
MODELS = {
    "feedforward": False,
    "deepar": False,
    "transformer": False,
    "wavenet": False,
    "mqcnn": True,
    "mqrnn": True,
    "tft": True,
    "deepstate": False,
    "gpvar": False,
    "deepvar": False,
    "nbeats": True,
    "canonical": False,
    "gaussian process": False,
    "lstnet": True,
    "deep factor": False,
}


@pytest.mark.skipif(FOUND is None, reason="pip install --no-deps gluonts==0.10.4")
@pytest.mark.parametrize("model", MODELS)
def test_models_are_those_of_mxnet(each_way, model):
    request = {
        "root": FOUND.submodule_search_locations[0],
        "model": model,
        "predicts": MODELS[model],
    }
    each_way("gluonts", request, lambda key: 1e-4, "--numpy-aliases", least=1e-2)
