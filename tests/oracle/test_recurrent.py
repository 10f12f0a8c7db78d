"""Recurrent layers, cells, packed weights and batches of sentences match MXNet's."""

import numpy as np
import pytest

import opforge

from . import recurrent


@pytest.mark.filterwarnings("ignore:NTC layout detected")
def test_results_gradients_and_names_are_mxnets(oracle, tmp_path):
    names = list(recurrent.PROGRAMS)
    oracle("recurrent", names)
    with opforge.name.NameManager():  # restarts the count, as MXNet's process does
        for at, name in enumerate(names):
            with np.load(tmp_path / f"{at}.npz") as expected:
                compare(recurrent.run(opforge, name), expected, name)


def compare(found, expected, name):
    """Compare the results of a program with those in MXNet."""
    assert set(found) == set(expected.files), name
    for key, value in expected.items():
        if key == "names":
            assert sorted(found[key]) == sorted(value), name
        else:
            np.testing.assert_allclose(
                found[key], value, rtol=1e-4, atol=1e-5, err_msg=f"{name}: {key}"
            )
