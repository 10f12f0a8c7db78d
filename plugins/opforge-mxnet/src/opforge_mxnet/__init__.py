"""MXNet 1.x interfaces that only programs written for MXNet use, as modules below `opforge`.

A plugin of opforge: `opforge.mod`, `opforge.rnn`, `opforge.model`, `opforge.test_utils` and others,
and ``python -m opforge.mxnet``, which runs a program in which ``import mxnet`` means opforge.
"""
