import pytest
from opforge_onnx.errors import ImportModelError
from opforge_onnx.importing.functions import _expect_no_cycle


def test_functions_must_not_call_each_other_in_a_circle():
    _expect_no_cycle({"a": {"b", "Relu"}, "b": {"Relu"}})
    with pytest.raises(ImportModelError, match=r"in a circle: (a -> b -> a|b -> a -> b)"):
        _expect_no_cycle({"a": {"b"}, "b": {"a"}})
