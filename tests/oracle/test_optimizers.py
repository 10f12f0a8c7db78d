"""Twenty-five steps of every optimizer with twenty settings each, compared with MXNet's."""

import inspect

import numpy as np
import pytest

import opforge
from opforge.optimizer import Optimizer

from . import optimizers

#: Types and settings that MXNet rejects.
REJECTED_BY_MXNET = {
    ("rmsprop", "float64"),
    ("adadelta", "float64"),
    ("adagrad", "float64"),
    ("adagrad", "rows"),
    ("adagrad", "rows of rows"),
    ("adadelta", "rows"),
    ("adadelta", "rows of rows"),
    ("adamax", "rows of rows"),
    ("dcasgd", "rows"),
    ("dcasgd", "rows of rows"),
    ("ftrl", "float64"),
    ("groupadagrad", "float64"),
    ("nadam", "rows of rows"),
}


#: Optimizers of MXNet that clip to a limit of 0 or below, too.
TAKE_LIMITS_LITERALLY = ("adagrad", "adadelta", "adamax", "dcasgd", "groupadagrad", "nadam")
#: Optimizers that MXNet does not have, and one that draws random numbers.
NOT_COMPARED = {"adamw", "lans", "sgld"}


def differs(kind, name, form):
    """Return whether opforge deviates deliberately, as mxnet-differences.md explains."""
    settings = optimizers.SETTINGS[kind][name]
    if kind in TAKE_LIMITS_LITERALLY:
        return settings.get("clip_gradient", 1) <= 0
    decays = settings.get("momentum", 0) > 0 and "wd" in settings
    return kind == "nag" and form == "rows of rows" and decays


def test_every_optimizer_has_twenty_settings():
    kinds = {
        name.lower()
        for name in dir(opforge.optimizer)
        if inspect.isclass(kind := getattr(opforge.optimizer, name))
        and issubclass(kind, Optimizer)
        and kind is not Optimizer
    }
    assert kinds - NOT_COMPARED == set(optimizers.SETTINGS)
    assert min(map(len, optimizers.SETTINGS.values())) >= 20


@pytest.mark.filterwarnings("ignore:learning rate from ``lr_scheduler``")
def test_25_steps_are_those_of_mxnet(oracle):
    compared = 0
    for key, expected in oracle("optimizers").items():
        kind, name, form = key.split(": ")
        if isinstance(expected, str):
            assert (kind, form) in REJECTED_BY_MXNET, f"{key}: {expected}"
            continue
        if differs(kind, name, form):
            continue
        found = optimizers.train(opforge, kind, optimizers.SETTINGS[kind][name], form)
        tolerance = 4e-3 if form == "float16 copies" else 5e-5
        found, expected = np.array(found, dtype=float), np.array(expected, dtype=float)
        if kind == "adamax":  # MXNet divides 0 by 0 for rows that had no gradient yet
            assert np.isfinite(found).all(), key
            found, expected = found[np.isfinite(expected)], expected[np.isfinite(expected)]
        np.testing.assert_allclose(found, expected, tolerance, tolerance, err_msg=key)
        compared += 1
    assert compared > 1500
