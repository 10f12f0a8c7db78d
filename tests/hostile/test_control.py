"""Loops and branches on arrays and in graphs, with mismatched bodies and arrays."""

from . import control
from .trial import try_all


def test_loops_and_branches(worker, stress):
    try_all(worker, control.calls(), stress, 24)
