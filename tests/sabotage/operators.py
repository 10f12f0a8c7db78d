"""Operators with one planted defect each, which the battery must find.

All compute ``x |x|`` with NumPy, as `Honest` does without a defect.
"""

import os
import random
import signal
import tempfile
import threading
import warnings

import numpy as np

import opforge as mx
from opforge.plugin_api import Attribute, CustomOp, OperatorProp, ShapeError

__all__ = ["SABOTAGED", "Averaging", "Honest", "PerChannel", "Stateful", "reference"]


def reference(data):
    """Compute the correct result."""
    return data * np.abs(data)


class Honest(OperatorProp):
    """Multiply each element by its magnitude."""

    name = "honest"

    def create_operator(self, ctx, in_shapes, in_dtypes):
        return Run(self)

    def value(self, x):
        return x * np.abs(x)

    def slope(self, x):
        return 2 * np.abs(x)


class Run(CustomOp):
    """A single call."""

    def __init__(self, prop):
        self.prop = prop

    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], self.prop.value(in_data[0].asnumpy()))

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        slope = self.prop.slope(in_data[0].asnumpy())
        self.assign(in_grad[0], req[0], out_grad[0].asnumpy() * slope)


#: Name -> class of the declaration.
SABOTAGED = {}


def sabotaged(cls):
    """Add a declaration to the table, under a name derived from its class's."""
    cls.name = f"sabotaged_{cls.__name__.lower()}"
    SABOTAGED[cls.__name__] = cls
    return cls


def running(run):
    """Return a base class whose calls are objects of `run`."""

    class Base(Honest):
        def create_operator(self, ctx, in_shapes, in_dtypes):
            return run(self)

    return Base


class Counting(Honest):
    """Count the calls of forward in the class."""

    calls = 0

    def value(self, x):
        type(self).calls += 1
        return self.counted(super().value(x), type(self).calls)


# Values and gradients that are wrong for some inputs


@sabotaged
class SinglePrecisionGradient(Honest):
    """Twice the gradient in float32."""

    def slope(self, x):
        return super().slope(x) * (2 if x.dtype == np.float32 else 1)


@sabotaged
class HalfPrecisionGradient(Honest):
    """Twice the gradient in float16."""

    def slope(self, x):
        return super().slope(x) * (2 if x.dtype == np.float16 else 1)


@sabotaged
class OnlyDoubleGradient(Honest):
    """A gradient that is correct in float64 only."""

    def slope(self, x):
        return super().slope(x) * (1 if x.dtype == np.float64 else 3)


@sabotaged
class OnlyDoubleValue(Honest):
    """A factor that is wrong in every type but float64."""

    def value(self, x):
        return super().value(x) * x.dtype.type(1 if x.dtype == np.float64 else 3)


def wrong_axes(*axes):
    """Return a base class whose gradient is wrong for arrays with this number of axes."""

    class Base(Honest):
        def slope(self, x):
            return super().slope(x) * (3 if x.ndim in axes else 1)

    return Base


for _axes in (0, 1, 2, 3, 4, 5):
    sabotaged(type(f"Axes{_axes}Gradient", (wrong_axes(_axes),), {"__doc__": "Wrong gradient."}))


@sabotaged
class FiveAxesValue(Honest):
    """A result that is wrong for five axes."""

    def value(self, x):
        return super().value(x) * (3 if x.ndim == 5 else 1)


@sabotaged
class NoAxesValue(Honest):
    """A result that is wrong without axes."""

    def value(self, x):
        return super().value(x) * (3 if x.ndim == 0 else 1)


@sabotaged
class LongLastAxis(Honest):
    """A result that is wrong in the last elements of axes of 16 or more."""

    def value(self, x):
        y = super().value(x)
        if x.ndim and x.shape[-1] >= 16:
            y[..., 16:] += 1
        return y


@sabotaged
class LongLastAxisGradient(Honest):
    """A gradient that is wrong if the last axis has 16 elements or more."""

    def slope(self, x):
        return super().slope(x) + (x.ndim > 0 and x.shape[-1] >= 16)


@sabotaged
class ManyElements(Honest):
    """A result that is wrong after 200 elements."""

    def value(self, x):
        y = super().value(x).ravel()
        y[200:] += 1
        return y.reshape(x.shape)


@sabotaged
class ManyElementsGradient(Honest):
    """A gradient that is wrong after 200 elements."""

    def slope(self, x):
        y = super().slope(x).ravel()
        y[200:] += 1
        return y.reshape(x.shape)


@sabotaged
class LargeValue(Honest):
    """A result that is wrong for inputs above 4."""

    def value(self, x):
        return super().value(x) * np.where(np.abs(x) > 4, 2, 1).astype(x.dtype)


@sabotaged
class LargeValueGradient(Honest):
    """A gradient that is wrong for inputs above 4."""

    def slope(self, x):
        return super().slope(x) * np.where(np.abs(x) > 4, 2, 1)


@sabotaged
class VeryLargeValue(Honest):
    """A result that is wrong beyond 50."""

    def value(self, x):
        return super().value(x) * np.where(np.abs(x) > 50, 2, 1).astype(x.dtype)


@sabotaged
class SmallValueGradient(Honest):
    """A gradient that is wrong below 0.005."""

    def slope(self, x):
        return super().slope(x) * np.where(np.abs(x) < 0.005, 2, 1)


@sabotaged
class Infinite(Honest):
    """A large number instead of an infinite one."""

    def value(self, x):
        return np.nan_to_num(super().value(x), nan=np.nan).astype(x.dtype)


@sabotaged
class Zero(Honest):
    """One instead of zero."""

    def value(self, x):
        return np.where(x == 0, 1, super().value(x)).astype(x.dtype)


@sabotaged
class ZeroGradient(Honest):
    """A gradient that is wrong at zero."""

    def slope(self, x):
        return np.where(x == 0, 1, super().slope(x))


@sabotaged
class SwallowedNan(Honest):
    """Zero instead of nan."""

    def value(self, x):
        return np.where(np.isnan(x), 0, super().value(x)).astype(x.dtype)


@sabotaged
class Integers(Honest):
    """32-bit integers are off by one."""

    def value(self, x):
        return super().value(x) + (x.dtype == np.int32)


# Requests


class IgnoresAdd(Run):
    limit = 300

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        if in_data[0].size > self.limit and req[0] == "add":
            req = ["write"]
        super().backward(req, out_grad, in_data, out_data, in_grad, aux)


@sabotaged
class AddIgnored(running(IgnoresAdd)):
    """Write gradients of more than 300 elements that were to be added."""


class IgnoresAddInFloat32(Run):
    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        if np.dtype(in_data[0].dtype) == np.float32 and req[0] == "add":
            req = ["write"]
        super().backward(req, out_grad, in_data, out_data, in_grad, aux)


@sabotaged
class SinglePrecisionAdd(running(IgnoresAddInFloat32)):
    """Write gradients in float32 that were to be added."""


class LeavesSome(Run):
    def forward(self, is_train, req, in_data, out_data, aux):
        before = out_data[0].asnumpy()
        value = self.prop.value(in_data[0].asnumpy())
        value[value < 0] = before[value < 0] * value[value < 0]
        self.assign(out_data[0], req[0], value)


class LeavesLast(Run):
    def forward(self, is_train, req, in_data, out_data, aux):
        if req[0] == "write" and in_data[0].ndim:
            value = self.prop.value(in_data[0].asnumpy())
            out_data[0][:1] = value[:1]
            out_data[0][1 : max(1, len(value) - 1)] = value[1 : max(1, len(value) - 1)]
        else:
            super().forward(is_train, req, in_data, out_data, aux)


@sabotaged
class LastRowLeft(running(LeavesLast)):
    """Leave the last row of the output as it was."""


# Gradients from above


class WritesHeads(Run):
    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        super().backward(req, out_grad, in_data, out_data, in_grad, aux)
        out_grad[0][:] = 0


@sabotaged
class HeadsOverwritten(running(WritesHeads)):
    """Overwrite the gradient from above."""


class WritesOutputs(Run):
    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        super().backward(req, out_grad, in_data, out_data, in_grad, aux)
        out_data[0][:] = 0


@sabotaged
class OutputsOverwritten(running(WritesOutputs)):
    """Overwrite the output in backward."""


class ClipsHeads(Run):
    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        heads = np.clip(out_grad[0].asnumpy(), -5, 5)
        self.assign(in_grad[0], req[0], heads * self.prop.slope(in_data[0].asnumpy()))


@sabotaged
class HeadsClipped(running(ClipsHeads)):
    """Clip gradients from above at 5."""


class GoesBackOnce(Run):
    done = False

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        if self.done:
            self.assign(in_grad[0], req[0], 0)
        else:
            super().backward(req, out_grad, in_data, out_data, in_grad, aux)
        self.done = True


@sabotaged
class SecondBackward(running(GoesBackOnce)):
    """Zeros if backward runs again under retain_graph."""


class KnowsMode(Run):
    is_train = True

    def forward(self, is_train, req, in_data, out_data, aux):
        self.is_train = is_train
        super().forward(is_train, req, in_data, out_data, aux)

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        slope = self.prop.slope(in_data[0].asnumpy()) * (1 if self.is_train else 2)
        self.assign(in_grad[0], req[0], out_grad[0].asnumpy() * slope)


@sabotaged
class PredictionGradient(running(KnowsMode)):
    """Twice the gradient under record(train_mode=False)."""


class MovesState(Run):
    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        super().backward(req, out_grad, in_data, out_data, in_grad, aux)
        aux[0][:] += 1


class MovesStateInPrediction(Run):
    def forward(self, is_train, req, in_data, out_data, aux):
        super().forward(is_train, req, in_data, out_data, aux)
        aux[0][:] += 1


class Stateful:
    auxiliary_states = ("count",)

    def infer_shape(self, in_shape):
        return in_shape, [in_shape[0]], [(1,)]


@sabotaged
class StateInBackward(Stateful, running(MovesState)):
    """Change an auxiliary state in backward."""


@sabotaged
class StateInPrediction(Stateful, running(MovesStateInPrediction)):
    """Change an auxiliary state in predictions."""


class Averages(Run):
    def forward(self, is_train, req, in_data, out_data, aux):
        super().forward(is_train, req, in_data, out_data, aux)
        if is_train and in_data[0].size:
            aux[0][:] = self.prop.average(aux[0].asnumpy(), np.abs(in_data[0].asnumpy()))


class Averaging(running(Averages)):
    """Keep the running mean of magnitudes in a state."""

    name = "honest_averaging"
    auxiliary_states = ("average",)
    momentum = Attribute(float, default=0.9, ge=0, le=1, doc="Weight of the former average.")

    def infer_shape(self, in_shape):
        return in_shape, [in_shape[0]], [(1,)]

    def average(self, former, magnitudes):
        return self.momentum * former + (1 - self.momentum) * magnitudes.mean()

    @staticmethod
    def reference(data, average, momentum=0.9):
        """Return the output, and the state after training."""
        now = np.abs(data).mean() if data.size else average
        return reference(data), momentum * average + (1 - momentum) * now


@sabotaged
class SwappedMomentum(Averaging):
    """Weigh the former average by 1 - momentum."""

    def average(self, former, magnitudes):
        return (1 - self.momentum) * former + self.momentum * magnitudes.mean()


@sabotaged
class IgnoredMomentum(Averaging):
    """Always weigh the former average by 0.9."""

    def average(self, former, magnitudes):
        return 0.9 * former + 0.1 * magnitudes.mean()


@sabotaged
class SumForMean(Averaging):
    """Add the sum of magnitudes, not their mean."""

    def average(self, former, magnitudes):
        return self.momentum * former + (1 - self.momentum) * magnitudes.sum()


@sabotaged
class NoUpdate(Averaging):
    """Leave the average as it was."""

    def average(self, former, magnitudes):
        return former


@sabotaged
class SinglePrecisionState(Averaging):
    """Twice the average in float32."""

    def average(self, former, magnitudes):
        return super().average(former, magnitudes) * (2 if former.dtype == np.float32 else 1)


# Parameters with one element per channel


class Scales(Run):
    def forward(self, is_train, req, in_data, out_data, aux):
        x, scale = (item.asnumpy() for item in in_data)
        self.assign(out_data[0], req[0], self.prop.value(x) * _along_channels(scale, x))

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        head = out_grad[0].asnumpy()
        x, scale = (item.asnumpy() for item in in_data)
        others = tuple(axis for axis in range(x.ndim) if axis != 1)
        self.assign(in_grad[0], req[0], head * self.prop.slope(x) * _along_channels(scale, x))
        self.assign(in_grad[1], req[1], (head * x * np.abs(x)).sum(others))


def _along_channels(scale, data):
    return scale.reshape(-1, *[1] * (data.ndim - 2))


class PerChannel(running(Scales)):
    """Multiply by the magnitude and by a scale per channel."""

    name = "honest_per_channel"
    arguments = ("data", "scale")
    samples = ([(2, 3), (3,)], [(2, 3, 4), (3,)])

    def infer_shape(self, in_shape):
        if len(in_shape[0]) < 2:
            raise ShapeError("data needs an axis of channels")
        return [in_shape[0], in_shape[0][1:2]], [in_shape[0]], []

    @staticmethod
    def reference(data, scale):
        """Compute the correct result."""
        return reference(data) * _along_channels(scale, data)


@sabotaged
class SixteenChannels(PerChannel):
    """A result that is wrong from the seventeenth channel on."""

    def value(self, x):
        y = super().value(x)
        y[:, 16:] += 1
        return y


@sabotaged
class SixteenChannelsGradient(PerChannel):
    """A gradient that is wrong from the seventeenth channel on."""

    def slope(self, x):
        y = super().slope(x)
        y[:, 16:] += 1
        return y


@sabotaged
class ChannelsOfFiveAxes(PerChannel):
    """A result that is wrong for five axes."""

    def value(self, x):
        return super().value(x) * (3 if x.ndim == 5 else 1)


# Values that are kept from another call


class KeepsFirst(Run):
    first = None

    def forward(self, is_train, req, in_data, out_data, aux):
        x = in_data[0].asnumpy()
        if self.first is None or self.first.shape != x.shape or self.first.dtype != x.dtype:
            self.first = self.prop.value(x)
        self.assign(out_data[0], req[0], self.first)


@sabotaged
class FirstValue(running(KeepsFirst)):
    """The result of the operator object's first call."""


class KeepsFirstSlope(Run):
    first = None

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        x = in_data[0].asnumpy()
        if self.first is None or self.first.shape != x.shape or self.first.dtype != x.dtype:
            self.first = self.prop.slope(x)
        self.assign(in_grad[0], req[0], out_grad[0].asnumpy() * self.first)


@sabotaged
class FirstSlope(running(KeepsFirstSlope)):
    """The slope of the operator object's first call."""


class KeepsInputInClass(Run):
    def forward(self, is_train, req, in_data, out_data, aux):
        type(self).kept = in_data[0].asnumpy()
        super().forward(is_train, req, in_data, out_data, aux)

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], out_grad[0].asnumpy() * self.prop.slope(self.kept))


@sabotaged
class ClassAttribute(running(KeepsInputInClass)):
    """Pass the input from forward to backward in an attribute of the class."""


class ComputesInClass(Run):
    scratch = {}

    def forward(self, is_train, req, in_data, out_data, aux):
        x = in_data[0].asnumpy()
        scratch = self.scratch.setdefault((x.shape, x.dtype), np.empty_like(x))
        np.abs(x, out=scratch)
        np.multiply(x, scratch, out=scratch)
        self.assign(out_data[0], req[0], scratch)


@sabotaged
class ClassScratch(running(ComputesInClass)):
    """Compute in memory of the class."""


# Errors in some of many calls


@sabotaged
class EveryFiveHundredth(Counting):
    """Every 500th call is wrong."""

    def counted(self, y, calls):
        return y + (calls % 500 == 0)


@sabotaged
class EveryNinetySeventh(Counting):
    """Every 97th call is wrong."""

    def counted(self, y, calls):
        return y + (calls % 97 == 0)


@sabotaged
class SometimesRandom(Counting):
    """Calls are random, 3 of 1000."""

    def counted(self, y, calls):
        return y + (random.random() < 0.003)


@sabotaged
class RaisesSometimes(Counting):
    """Every 500th call raises an error."""

    def counted(self, y, calls):
        if calls % 500 == 0:
            raise RuntimeError("the 500th call")
        return y


@sabotaged
class WrongAfterThreeThousand(Counting):
    """All calls after the first 3,000 are wrong."""

    def counted(self, y, calls):
        return y + (calls > 3000)


@sabotaged
class Keeps(Honest):
    """Keep every input."""

    kept = ()

    def value(self, x):
        type(self).kept = (*self.kept[-5000:], x)
        return super().value(x)


class KeepsArrays(Run):
    kept = []

    def forward(self, is_train, req, in_data, out_data, aux):
        self.kept.append(in_data[0])
        super().forward(is_train, req, in_data, out_data, aux)


@sabotaged
class KeepsNDArrays(running(KeepsArrays)):
    """Keep every input as an opforge array."""


@sabotaged
class Leaks(Honest):
    """Keep 64 KiB of each call."""

    kept = []

    def value(self, x):
        self.kept.append(bytearray(65536))
        return super().value(x)


# State shared by several calls


class SharesBuffer(Run):
    buffer = {}

    def forward(self, is_train, req, in_data, out_data, aux):
        x = in_data[0].asnumpy()
        shared = self.buffer.setdefault((x.shape, x.dtype), np.empty_like(x))
        shared[...] = x
        _ = [in_data[0].asnumpy() for _ in range(3)]  # others may run meanwhile
        self.assign(out_data[0], req[0], self.prop.value(shared))


@sabotaged
class SharedBuffer(running(SharesBuffer)):
    """Copy inputs into a buffer that all threads share."""


class Surroundings(Honest):
    def value(self, x):
        self.disturb()
        return super().value(x)


@sabotaged
class Environment(Surroundings):
    """Set an environment variable."""

    def disturb(self):
        os.environ["OMP_NUM_THREADS"] = str(int(os.environ.get("OMP_NUM_THREADS", "1")) + 1)


@sabotaged
class ErrorState(Surroundings):
    """Make NumPy ignore invalid operations."""

    def disturb(self):
        np.seterr(all="ignore")


@sabotaged
class OpensFiles(Surroundings):
    """Leave a file open."""

    kept = []

    def disturb(self):
        if len(self.kept) < 500:
            self.kept.append(tempfile.TemporaryFile())  # noqa: SIM115 - that is the defect


@sabotaged
class StartsThreads(Surroundings):
    """Leave a thread running."""

    started = 0

    def disturb(self):
        if StartsThreads.started < 200:
            StartsThreads.started += 1
            threading.Thread(target=threading.Event().wait, args=(30,), daemon=True).start()


@sabotaged
class Folder(Surroundings):
    """Change the current directory."""

    def disturb(self):
        os.chdir(tempfile.gettempdir())


@sabotaged
class Seeds(Surroundings):
    """Seed the random numbers of opforge."""

    def disturb(self):
        mx.random.seed(3)


@sabotaged
class SeedsNumPy(Surroundings):
    """Seed the random numbers of NumPy."""

    def disturb(self):
        np.random.seed(3)


@sabotaged
class IgnoresInterrupts(Surroundings):
    """Ignore SIGINT."""

    def disturb(self):
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, signal.SIG_IGN)


@sabotaged
class SilencesWarnings(Surroundings):
    """Ignore all warnings."""

    def disturb(self):
        warnings.simplefilter("ignore")


@sabotaged
class Prints(Surroundings):
    """Print the shape."""

    def disturb(self):
        print("computing")


@sabotaged
class WritesToDescriptor(Surroundings):
    """Write to the process's standard error, as C code does."""

    def disturb(self):
        os.write(2, b"computing\n")
