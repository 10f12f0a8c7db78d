"""The face of `test_utils`."""

import opforge
from opforge import test_utils


def test_the_module_answers_for_star_names_and_its_own():
    assert test_utils.mx is opforge
    assert vars(test_utils)["mx"] is opforge, "asked for once, kept"
    assert all(hasattr(test_utils, name) for name in test_utils.__all__ if name != "ss")
