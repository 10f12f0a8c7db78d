"""Contexts and parameters of the tests of parameters."""

import opforge as mx
from opforge import gluon

TWO = [mx.cpu(0), mx.cpu(1)]


def made(**kwargs):
    ctx = kwargs.pop("ctx", None)
    param = gluon.Parameter("w", **kwargs)
    param.initialize(ctx=ctx)
    return param
