"""The battery finds each planted defect with the check made for it."""

import os
import signal

import numpy as np
import pytest

from opforge.testing import check_op

from .operators import SABOTAGED, Averaging, Honest, PerChannel, Stateful, reference

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
    "Seeds": "surroundings",
    "SeedsNumPy": "surroundings",
    "IgnoresInterrupts": "surroundings",
    "SilencesWarnings": "surroundings",
    "Prints": "surroundings",
    "WritesToDescriptor": "surroundings",
    "SwappedMomentum": "states",
    "IgnoredMomentum": "states",
    "SumForMean": "states",
    "NoUpdate": "states",
    "SinglePrecisionState": "states",
    "SixteenChannels": "axes",
    "SixteenChannelsGradient": "axes",
    "ChannelsOfFiveAxes": "axes",
    "FirstValue": "repeated graphs",
    "FirstSlope": "repeated graphs",
    "ClassAttribute": "calls at once",
    "ClassScratch": "calls at once",
}
#: Defects that only a complete run detects.
WHOLE_RUN = {"WrongAfterThreeThousand": "repetition"}


@pytest.fixture(autouse=True)
def same_process_afterwards(monkeypatch):
    """Undo the defects' changes to the process, also if the battery misses them."""
    folder, errors = os.getcwd(), np.geterr()
    interrupts = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(os, "environ", os.environ)
    yield
    os.chdir(folder)
    np.seterr(**errors)
    signal.signal(signal.SIGINT, interrupts)


def checked(declaration, only=None, stress=1):
    """Run the battery, without samples that `reference` does not support."""
    of_states = issubclass(declaration, Stateful)
    made = (lambda data, count: reference(data)) if of_states else reference
    return check_op(
        declaration,
        samples=getattr(declaration, "samples", None),
        reference=getattr(declaration, "reference", made),
        only=only,
        stress=stress,
        raises=False,
    )


def test_every_defect_has_a_row():
    assert set(FOUND_BY) | set(WHOLE_RUN) == set(SABOTAGED)


@pytest.mark.parametrize("declaration", [Honest, Averaging, PerChannel])
def test_operators_without_a_defect_pass(declaration):
    report = checked(declaration)
    assert report.passed, report
    assert report.verdict.count("warned") == 0, report
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
    # Other checks that call the operator often enough find them, too.
    assert WHOLE_RUN[name] in [failure.check for failure in report.failures], report
