import re

import pytest

import opforge as mx
from opforge import autograd, gluon, nd
from opforge.base.familiar_names import (
    ARRAY_NAMES,
    BLOCK_NAMES,
    METRIC_NAMES,
    MODULE_NAMES,
    PARAMETER_NAMES,
    TRAINER_NAMES,
)

OF_OBJECTS = {
    "array": ARRAY_NAMES,
    "block": BLOCK_NAMES,
    "metric": METRIC_NAMES,
    "parameter": PARAMETER_NAMES,
    "trainer": TRAINER_NAMES,
}

EVERY_REMEDY = [
    (f"{table}.{name}", remedy)
    for table, names in {**OF_OBJECTS, **MODULE_NAMES}.items()
    for name, remedy in names.items()
]


@pytest.mark.plugins
@pytest.mark.parametrize(("name", "remedy"), EVERY_REMEDY, ids=[row[0] for row in EVERY_REMEDY])
def test_remedies_name_what_exists(name, remedy):
    known = {"mx": mx, "nd": nd, "nn": gluon.nn, "gluon": gluon, "autograd": autograd}
    known |= {"x": nd.ones((2, 2)), "net": gluon.nn.HybridSequential(), "trainer": gluon.Trainer}
    known |= {"metric": mx.metric.EvalMetric, "param": gluon.Parameter}
    for root, path in re.findall(
        r"\b(?<!\.)(mx|nd|nn|gluon|autograd|x|net|trainer|metric|param)((?:\.\w+)+)", remedy
    ):
        found = known[root]
        for part in path[1:].split("."):
            found = getattr(found, part)


def test_about_200_names():
    assert len(EVERY_REMEDY) > 190
