"""Gradients on symmetric matrices, in graphs and after many calls."""

import gc

import numpy as np
import pytest

from opforge import autograd, cpu, gluon, nd, sym
from opforge.testing import check_gradients


def definite(*shape):
    x = np.random.default_rng(0).uniform(-0.4, 0.4, shape)
    return x + np.swapaxes(x, -1, -2) + np.diag(np.arange(2.0, shape[-1] + 2))


def symmetric(a):
    return (a + nd.swapaxes(a, dim1=-1, dim2=-2)) / 2


@pytest.mark.parametrize("shape", [(3, 3), (2, 4, 4)])
@pytest.mark.parametrize(
    "function",
    [
        lambda a: nd.linalg.potrf(symmetric(a)),
        lambda a: nd.linalg.potrf(symmetric(a), lower=False),
        lambda a: nd.linalg.syevd(symmetric(a)),
    ],
    ids=["potrf", "potrf upper", "syevd"],
)
def test_gradients_of_operators_on_symmetric_matrices(function, shape):
    check_gradients(function, [definite(*shape)])


class LogLikelihood(gluon.HybridBlock):
    """A normal distribution's logarithm, with the names that MXNet programs use."""

    def hybrid_forward(self, F, covariance, x):
        factor = F.linalg.potrf(covariance)
        solved = F.linalg_trsm(factor, x)
        return F.linalg_sumlogdiag(factor) + F.linalg_gemm2(solved, solved, transpose_a=True).sum()


def test_a_hybridized_block_agrees_with_calls():
    covariance, x = nd.array(definite(4, 4)), nd.array(np.arange(4.0).reshape(4, 1))
    results = []
    for hybridize in (False, True):
        block = LogLikelihood()
        if hybridize:
            block.hybridize()
        covariance.attach_grad()
        with autograd.record():
            y = block(covariance, x)
        y.backward()
        results.append((y.asnumpy(), covariance.grad.asnumpy()))
    np.testing.assert_allclose(results[0][0], results[1][0], rtol=1e-6)
    np.testing.assert_allclose(results[0][1], results[1][1], rtol=1e-5, atol=1e-6)


def test_symbols_have_the_names_and_shapes_of_mxnet():
    a = sym.Variable("a")
    factor = sym.linalg.potrf(a, name="factor")
    assert factor.list_outputs() == ["factor_output"]
    for name in ("gelqf", "syevd", "slogdet"):
        outputs = getattr(sym.linalg, name)(a, name="x").list_outputs()
        assert outputs == ["x_output0", "x_output1"]
    assert sym.linalg.det(a, name="x").list_outputs() == ["x_output0"]
    executor = factor.simple_bind(cpu(), a=(2, 2))
    executor.arg_dict["a"][:] = nd.array([[4, 2], [2, 5]])
    assert executor.forward()[0].asnumpy().tolist() == [[2, 0], [1, 2]]
    _, shapes, _ = sym.linalg.gelqf(a).infer_shape(a=(2, 3))
    assert shapes == [(2, 3), (2, 2)]
    assert sym.linalg.potrf(a).infer_shape_partial(a=(3, 0))[0] == [(3, 3)]


def resident():
    """Return the pages of memory in use."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1])


def test_memory_stays_flat():
    batch = nd.array(definite(40, 4, 4))
    single = nd.array(definite(40, 40))

    def call_all(count):
        for _ in range(count):
            for a in (batch, single):
                factor = nd.linalg.potrf(a)
                nd.linalg.trsm(factor, a)
                nd.linalg.slogdet(a)
                nd.linalg.syevd(a)
                nd.linalg.gelqf(a)
        nd.waitall()
        gc.collect()

    call_all(200)
    before = resident()
    call_all(1000)
    assert resident() - before < 512, "2 MB"
