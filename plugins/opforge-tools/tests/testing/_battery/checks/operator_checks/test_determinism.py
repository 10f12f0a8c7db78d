import itertools

from opforge import engine
from opforge.op.declaring.custom import CustomOp
from opforge.op.declaring.declaration import OperatorProp


class Moody(OperatorProp):
    """Compute with what `mood` gives."""

    name = "moody"

    def create_operator(self, ctx, shapes, dtypes):
        return _Moody(self.mood())


class _Moody(CustomOp):
    def __init__(self, mood):
        super().__init__()
        self._mood = mood

    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0] * self._mood)

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], out_grad[0] * self._mood)


class Counts(Moody):
    """Differ from call to call."""

    numbers = itertools.count()

    def mood(self):
        return next(self.numbers)


class Threads(Moody):
    """Differ with the number of threads."""

    def mood(self):
        return engine.get_num_threads()


def test_repetition(outcome):
    assert outcome("repetition", Threads).status == "passed"
    found = outcome("repetition", Counts)
    assert "call 2, as the first one,: output 0 differs" in found.message


def test_threads(outcome):
    before = engine.get_num_threads()
    found = outcome("threads", Threads)
    assert "with 2 threads, not one: output 0 differs" in found.message
    assert outcome("threads", "sum").status == "passed"
    assert engine.get_num_threads() == before


def test_random_operators_are_reseeded(outcome):
    samples = [{"inputs": [], "attributes": {"shape": (3,)}}]
    assert outcome("repetition", "_random_normal", samples=samples).status == "passed"
