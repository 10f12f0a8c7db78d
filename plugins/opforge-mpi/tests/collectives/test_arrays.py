"""Collectives of several ranks, compared with the same arithmetic in NumPy."""

import numpy as np
import opforge_mpi as mpi
import pytest

from opforge import nd
from opforge.plugin_api import DTypeError, ShapeError

_SUMS = """
for shape in ((1,), (2, 3), (0, 2), (1000,), (70001,)):
    for dtype in ("float32", "float64", "float16", "bfloat16", "int32", "uint8"):
        given = nd.array(np.random.RandomState(mpi.rank()).randn(*shape) * 100, dtype=dtype)
        before = given.asnumpy()
        total = mpi.allreduce(given, average=False)
        mean = mpi.allreduce(given) if given.dtype(0.5) else total / mpi.size()
        addends = mpi.allgather(given.expand_dims(0)).asnumpy()
        expected = addends[0].astype("float32" if "float16" in dtype else dtype)
        for addend in addends[1:]:
            expected = expected + addend
        expected = expected.astype(dtype)
        assert addends.shape == (mpi.size(), *shape) and (addends[mpi.rank()] == before).all()
        assert (given.asnumpy() == before).all() and total.dtype == mean.dtype == given.dtype
        assert np.array_equal(total.asnumpy(), expected), (shape, dtype)
        expected = nd.array(expected, dtype=dtype) / mpi.size()
        assert np.array_equal(mean.asnumpy(), expected.asnumpy())
say(size=mpi.size(), local=[mpi.local_rank(), mpi.local_size()])
"""

_OTHERS = """
rank, size = mpi.rank(), mpi.size()
rows = nd.ones((rank, 2)) * rank
assert mpi.allgather(rows)[:, 0].asnumpy().tolist() == [r for r in range(size) for _ in range(r)]
array = nd.array([rank, rank])
assert mpi.broadcast(array, root_rank=size - 1).asnumpy().tolist() == [size - 1] * 2
assert array.asnumpy().tolist() == [rank] * 2
assert mpi.broadcast_(array, 0) is array and array.asnumpy().tolist() == [0, 0]
assert mpi.allreduce_(array + rank, average=False)[0].asscalar() == sum(range(size))
net = gluon.nn.Dense(3, in_units=2)
net.initialize(mx.init.Constant(rank + 1))
mpi.broadcast_parameters(net.collect_params())
assert (net.weight.data().asnumpy() == 1).all()
assert mpi.broadcast_object([rank, "x" * rank], root_rank=1) == [1, "x"]
assert mpi.allgather_object("x" * rank) == ["x" * other for other in range(size)]
try:
    mpi.broadcast_object(None, root_rank=-1)
except ValueError as error:
    say(objects=str(error))
mpi.barrier()
try:
    mpi.broadcast(array, root_rank=size)
except ValueError as error:
    say(error=str(error))
mpi.shutdown()
assert mpi.allreduce(nd.ones(2)).asnumpy().tolist() == [1, 1]  # joins again
"""


def test_collectives(ranks):
    """Sums are added in rank order, which three ranks can distinguish."""
    run = ranks(3, _SUMS + _OTHERS)
    assert [said["size"] for said in run.said] == [3] * 3
    assert [said["local"] for said in run.said] == [[rank, 3] for rank in range(3)]
    for said in run.said:
        assert said["error"] == "broadcast: got root_rank=3; expected 0 to 2"
        assert said["objects"] == "broadcast_object: got root_rank=-1; expected 0 to 2"


def test_one_rank_needs_no_mpiexec(libmpi):
    array = nd.array([1, 2])
    assert (mpi.rank(), mpi.size(), mpi.local_rank(), mpi.local_size()) == (0, 1, 0, 1)
    assert np.array_equal(mpi.allreduce(array).asnumpy(), [1, 2])
    assert np.array_equal(mpi.allgather(array).asnumpy(), [1, 2])
    mpi.barrier()


def test_other_types_are_rejected_before_communication():
    for call in (mpi.allreduce, mpi.allgather, mpi.broadcast, mpi.broadcast_):
        with pytest.raises(TypeError, match="got list; expected an NDArray"):
            call([1, 2])
    with pytest.raises(ShapeError, match=r"allgather: 'x' has shape \(\)"):
        mpi.allgather(nd.array(1), name="x")
    with pytest.raises(DTypeError, match=r"got average=True for 'x' of type int8"):
        mpi.allreduce(nd.ones(2, dtype="int8"), name="x")
    with pytest.raises(ValueError, match="got params of type int"):
        mpi.broadcast_parameters(3)
