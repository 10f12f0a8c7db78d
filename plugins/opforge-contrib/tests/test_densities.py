import numpy as np
import pytest

from opforge import autograd, nd, sym


def density(name, *inputs, **attributes):
    """Return density and gradients of all inputs."""
    arrays = [nd.array(item) for item in inputs]
    for array in arrays:
        array.attach_grad()
    with autograd.record():
        y = getattr(nd, f"random_pdf_{name}")(*arrays, **attributes)
    y.backward()
    return [array.asnumpy() for array in (y, *(array.grad for array in arrays))]


# Results of MXNet 1.9.1.
def test_counts_have_no_gradient():
    y, of_count, of_rate = density("poisson", [[0, 1, 2], [3, 4, 5]], [1, 3])
    np.testing.assert_allclose(y[0], [0.3678794, 0.3678794, 0.1839397], rtol=1e-5)
    assert not of_count.any()
    np.testing.assert_allclose(of_rate, [-0.1839397, 0.1232230], rtol=1e-4)


def test_generalized_negative_binomial():
    inputs = [[0, 1, 2], [3, 4, 5]], [1, 1.5], [1, 0.6]
    y, _, of_mu, of_alpha = density("generalized_negative_binomial", *inputs)
    np.testing.assert_allclose(y[1], [0.0990410, 0.0547332, 0.0293831], rtol=1e-5)
    np.testing.assert_allclose(of_mu, [-0.1875, 0.1362229], rtol=1e-4)
    np.testing.assert_allclose(of_alpha, [-0.0184962, -0.0321658], rtol=1e-3)


def test_logarithm():
    y, of_x, of_mu, of_sigma = density("normal", [[0, 1, 2]], [0], [1], is_log=True)
    np.testing.assert_allclose(y, [[-0.9189385, -1.4189385, -2.9189386]], rtol=1e-6)
    assert of_x.tolist() == [[0, -1, -2]]
    assert (of_mu.tolist(), of_sigma.tolist()) == ([3], [2])


def test_values_outside_of_the_support():
    """As in MXNet, the interval and the sign are not checked."""
    assert density("uniform", [[-1, 11]], [0], [4])[0].tolist() == [[0.25, 0.25]]
    assert density("exponential", [[-1]], [2], is_log=True)[0] == pytest.approx(2 + np.log(2))


@pytest.mark.parametrize("alpha", [[2, 0.5, 1.5], [[2, 0.5, 1.5]] * 2])
def test_dirichlet(alpha):
    y, of_x, _ = density("dirichlet", [[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]], alpha)
    np.testing.assert_allclose(y, [0.9862471, 1.0803796], rtol=1e-5)
    np.testing.assert_allclose(of_x[0], [4.9312353, -1.6437451, 0.9862471], rtol=1e-5)


@pytest.mark.parametrize("shapes", [((4,), (4,)), ((2,), (2, 4)), ((2, 4, 1), (2, 4, 1))])
def test_misfits(shapes):
    with pytest.raises(ValueError, match="expected the first axes of sample"):
        nd.random_pdf_normal(nd.ones((2, 4)), *map(nd.ones, shapes))


def test_symbol():
    y = sym.random_pdf_normal(sym.var("s"), name="n")
    assert y.list_arguments() == ["s", "n_mu", "n_sigma"]
    assert y.infer_shape(s=(2, 3), n_mu=(2,)) == ([(2, 3), (2,), (2,)], [(2, 3)], [])
