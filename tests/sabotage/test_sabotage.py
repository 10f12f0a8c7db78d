"""The battery finds each planted defect with the check made for it."""

import os

import numpy as np
import pytest

from opforge.testing import check_op

from .operators import SABOTAGED, Honest, Stateful, reference

#: Declaration -> the check that must fail.
FOUND_BY = {
    "SinglePrecisionGradient": "gradient types",
    "HalfPrecisionGradient": "gradient types",
    "OnlyDoubleGradient": "gradient types",
    "OnlyDoubleValue": "forward",
    "Axes0Gradient": "axes",
    "Axes1Gradient": "gradients",
    "Axes2Gradient": "gradients",
    "Axes3Gradient": "gradients",
    "Axes4Gradient": "axes",
    "Axes5Gradient": "axes",
    "FiveAxesValue": "axes",
    "NoAxesValue": "axes",
    "LongLastAxis": "axes",
    "LongLastAxisGradient": "axes",
    "ManyElements": "large arrays",
    "ManyElementsGradient": "large arrays",
    "LargeValue": "magnitudes",
    "LargeValueGradient": "magnitudes",
    "VeryLargeValue": "magnitudes",
    "SmallValueGradient": "magnitudes",
    "Infinite": "special values",
    "Zero": "special values",
    "ZeroGradient": "special values",
    "SwallowedNan": "not a number",
    "Integers": "element types",
    "AddIgnored": "backward requests",
    "SinglePrecisionAdd": "backward requests",
    "LastRowLeft": "forward requests",
    "HeadsOverwritten": "inputs unchanged",
    "OutputsOverwritten": "inputs unchanged",
    "HeadsClipped": "heads",
    "SecondBackward": "backward twice",
    "PredictionGradient": "prediction gradients",
    "StateInBackward": "inputs unchanged",
    "StateInPrediction": "inputs unchanged",
    "EveryFiveHundredth": "repetition",
    "EveryNinetySeventh": "repetition",
    "SometimesRandom": "repetition",
    "RaisesSometimes": "repetition",
    "Keeps": "leaks",
    "KeepsNDArrays": "leaks",
    "Leaks": "leaks",
    "SharedBuffer": "calls at once",
    "Environment": "surroundings",
    "ErrorState": "surroundings",
    "OpensFiles": "surroundings",
    "StartsThreads": "surroundings",
    "Folder": "surroundings",
}
#: Defects that only a complete run detects.
WHOLE_RUN = {"WrongAfterThreeThousand": "repetition"}


@pytest.fixture(autouse=True)
def same_process_afterwards(monkeypatch):
    """Undo the defects' changes to the process, also if the battery misses them."""
    folder, errors = os.getcwd(), np.geterr()
    monkeypatch.setattr(os, "environ", os.environ)
    yield
    os.chdir(folder)
    np.seterr(**errors)


def checked(declaration, only=None, stress=1):
    """Run the battery, without samples that `reference` does not support."""
    of_states = issubclass(declaration, Stateful)
    made = (lambda data, count: reference(data)) if of_states else reference
    return check_op(declaration, reference=made, only=only, stress=stress, raises=False)


def test_every_defect_has_a_row():
    assert set(FOUND_BY) | set(WHOLE_RUN) == set(SABOTAGED)


def test_the_operator_without_a_defect_passes():
    report = checked(Honest)
    assert report.passed, report
    assert report.ran >= 25


@pytest.mark.keeps_memory
@pytest.mark.parametrize("name", FOUND_BY)
def test_defects_are_found(name):
    check = FOUND_BY[name]
    stress = 10 if check == "repetition" else 1  # some are wrong in one of 500 calls
    report = checked(SABOTAGED[name], only=f"/({check}|documentation)$", stress=stress)
    assert [failure.check for failure in report.failures] == [FOUND_BY[name]], report


@pytest.mark.keeps_memory
@pytest.mark.parametrize("name", WHOLE_RUN)
def test_defects_that_show_late_are_found(name):
    report = checked(SABOTAGED[name], stress=10)
    assert [failure.check for failure in report.failures] == [WHOLE_RUN[name]], report
