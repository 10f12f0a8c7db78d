"""Removed names of NumPy and Python come back when asked, and not before."""

import collections
import inspect
import warnings
from importlib import import_module

import numpy as np
import pytest

from opforge.mxnet._removed_names import REMOVED_NAMES, missing_alias, restore_numpy_aliases


def test_aliases_come_back(restored):
    assert np.int is int
    assert np.float is float
    assert np.float_ is np.float64
    assert np.isnan(np.NaN)
    assert np.product([2, 3]) == 6
    assert {"numpy.int", "numpy.float", "numpy.object"} <= set(restored)


def test_functions_with_removed_names_work(restored):
    assert np.asscalar(np.array([2.5])) == 2.5
    assert np.asfarray([1, 2]).dtype == np.float64
    assert np.in1d([[1, 5], [2, 7]], [5, 7]).tolist() == [False, True, False, True]
    assert np.msort([[3, 1], [2, 5]]).tolist() == [[2, 1], [3, 5]]
    assert np.trapz([1, 2, 3]) == 4
    assert np.rank([[1]]) == 2
    assert np.lib.arraysetops.unique([2, 1, 2]).tolist() == [1, 2]
    assert np.lib.pad([1], 1, "constant").tolist() == [0, 1, 0]


def test_removed_names_of_python_come_back(restored):
    assert issubclass(list, collections.Iterable) and issubclass(dict, collections.Mapping)

    def function(a, b=1, *c, **d):
        pass

    args, varargs, keywords, defaults = inspect.getargspec(function)
    assert (args, varargs, keywords, defaults) == (["a", "b"], "c", "d", (1,))
    with pytest.raises(ValueError, match="keyword-only"):
        inspect.getargspec(lambda *, a: a)


def test_existing_numpy_names_are_kept(restored):
    assert "numpy.round" not in restored
    if np.lib.NumpyVersion(np.__version__) >= "2.0.0":
        assert np.bool is np.bool_
    assert restore_numpy_aliases() == []  # the second time there is nothing to do


def test_none_is_there_unasked():
    with pytest.raises(AttributeError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _ = np.int


@pytest.mark.parametrize("name", sorted(REMOVED_NAMES))
def test_the_error_about_a_name_is_recognised(name):
    module, _, attribute = name.rpartition(".")
    if attribute in vars(import_module(module)):
        pytest.skip("this version has it")
    with pytest.raises(AttributeError) as caught, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        getattr(import_module(module), attribute)
    assert missing_alias(caught.value) == name


def test_the_error_of_an_import_is_recognised():
    with pytest.raises(ImportError) as caught:
        exec("from collections import Iterable")
    assert missing_alias(caught.value) == "collections.Iterable"


def test_other_errors_are_not():
    assert missing_alias(ValueError("module 'numpy' has no attribute 'int'")) is None
    assert missing_alias(AttributeError("module 'numpy' has no attribute 'nothing'")) is None
    assert missing_alias(AttributeError("'X' object has no attribute 'int'")) is None
