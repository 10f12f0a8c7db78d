"""Complete layers of 8-bit integers against sums in int64, plain and in compiled graphs."""

import numpy as np
import pytest

from opforge import nd, sym

LEVELS = {"int8": 127.5, "uint8": 255.5}


def quantized_weight(weight):
    """Return the integers of each filter and their scales."""
    largest = np.abs(weight).reshape(len(weight), -1).max(axis=1)
    scale = np.where(largest > 0, np.float32(127.5) / np.where(largest > 0, largest, 1), 1)
    scale = scale.astype("float32")
    shaped = scale.reshape(-1, *[1] * (weight.ndim - 1))
    return np.clip(np.rint(weight * shaped), -128, 127).astype("int64"), scale.astype("float64")


def sums_of(data, weight, stride, dilate, pad, groups):
    """Return the exact sums of a convolution."""
    n, channels, height, width = data.shape
    filters, _, kh, kw = weight.shape
    padded = np.zeros((n, channels, height + 2 * pad[0], width + 2 * pad[1]), "int64")
    padded[:, :, pad[0] : pad[0] + height, pad[1] : pad[1] + width] = data
    rows = (padded.shape[2] - dilate[0] * (kh - 1) - 1) // stride[0] + 1
    columns = (padded.shape[3] - dilate[1] * (kw - 1) - 1) // stride[1] + 1
    out = np.zeros((n, filters, rows, columns), "int64")
    for group in range(groups):
        inner = slice(group * channels // groups, (group + 1) * channels // groups)
        outer = slice(group * filters // groups, (group + 1) * filters // groups)
        for i in range(kh):
            for j in range(kw):
                y, x = i * dilate[0], j * dilate[1]
                part = padded[:, inner, y : y + (rows - 1) * stride[0] + 1 : stride[0]]
                part = part[..., x : x + (columns - 1) * stride[1] + 1 : stride[1]]
                out[:, outer] += np.einsum("nchw,fc->nfhw", part, weight[outer, :, i, j])
    return out


class Case:
    """Arrays and attributes of a random layer, and its result in float64."""

    def __init__(self, seed, data_type, out_type, shape=None, window=None, **options):
        rng = np.random.default_rng(seed)
        self.rng, self.data_type, self.out_type = rng, data_type, out_type
        n, channels, height, width, filters, groups = shape or (2, 5, 6, 7, 9, 1)
        (kernel, stride, dilate, pad) = window or ((3, 3), (1, 1), (1, 1), (1, 1))
        limits = np.iinfo(data_type)
        data = rng.integers(limits.min, limits.max + 1, (n, channels, height, width))
        weight = rng.normal(size=(filters, channels // groups, *kernel)).astype("float32")
        if options.get("extreme"):
            data[:] = limits.max if data_type == "uint8" else limits.min
            weight[:] = rng.choice([-1, 1], weight.shape)
        if options.get("dead"):
            weight[1] = 0
        bias = rng.normal(size=filters).astype("float32")
        integers, scales = quantized_weight(weight)
        sums = sums_of(data, integers, stride, dilate, pad, groups)
        self.data_range = 3.0
        real = sums * (self.data_range / LEVELS[data_type]) / scales.reshape(1, -1, 1, 1)
        self.arrays = {"data": nd.array(data, dtype=data_type), "weight": nd.array(weight)}
        if options.get("bias", True):
            self.arrays["bias"] = nd.array(bias)
            real += bias.reshape(1, -1, 1, 1)
        low = nd.array([-3 if data_type == "int8" else 0])
        ranges = {"min_data": low, "max_data": nd.array([3])}
        if sum_type := options.get("sum"):
            limit = np.iinfo(sum_type)
            other = rng.integers(limit.min, limit.max + 1, real.shape)
            self.arrays["sum"] = nd.array(other, dtype=sum_type)
            ranges |= {"min_sum": nd.array([-2]), "max_sum": nd.array([2])}
            real = real + other * (2 / LEVELS[sum_type])
        if options.get("relu"):
            real = np.maximum(real, 0)
        self.arrays |= ranges
        largest = float(np.abs(real).max()) * 0.8  # some results are saturated
        self.attributes = {
            **{"kernel": kernel, "stride": stride, "dilate": dilate, "pad": pad},
            **{"num_filter": filters, "num_group": groups, "out_type": out_type},
            "no_bias": not options.get("bias", True),
            "with_sum": "sum" in self.arrays,
            "with_act": bool(options.get("relu")),
        }
        self.want = real
        if out_type != "float32":
            self.attributes |= {"min_calib_range": -largest, "max_calib_range": largest}
            limit = np.iinfo(out_type)
            self.want = np.clip(real * (LEVELS[out_type] / largest), limit.min, limit.max)

    def results(self):
        """Return the result of the operator, and that of a graph compiled for prediction."""
        made = nd._int8_convolution(**self.arrays, **self.attributes)
        variables = {name: sym.var(name) for name in self.arrays}
        graph = sym._int8_convolution(**variables, **self.attributes)
        bound = graph.bind(None, dict(self.arrays), grad_req="null")
        first = made if self.out_type == "float32" else made[0]
        return first.asnumpy(), bound.forward()[0].asnumpy()

    def check(self):
        self._check(self.results())
        weight = self.arrays["weight"].asnumpy()
        integers, scales = quantized_weight(weight)
        self.arrays["weight"] = nd.array(integers, dtype="int8")
        self.arrays["scale"], self.attributes["with_scale"] = nd.array(1 / scales), True
        self._check(self.results())

    def _check(self, results):
        for got in results:
            assert got.dtype == self.out_type
            if self.out_type == "float32":
                np.testing.assert_allclose(got, self.want, rtol=1e-5, atol=1e-5)
                continue
            error = np.abs(got.astype("float64") - np.rint(self.want))
            is_tie = np.abs(np.abs(self.want - np.floor(self.want)) - 0.5) < 1e-3
            assert np.all((error == 0) | (is_tie & (error == 1)))


WINDOWS = [
    ((1, 1), (1, 1), (1, 1), (0, 0)),
    ((3, 3), (2, 2), (1, 1), (1, 1)),
    ((5, 2), (1, 2), (2, 1), (2, 0)),
    ((1, 3), (3, 1), (1, 2), (0, 2)),
]


@pytest.mark.parametrize("out_type", ["int8", "uint8", "float32"])
@pytest.mark.parametrize("data_type", ["int8", "uint8"])
@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize(
    "shape", [(1, 3, 9, 8, 5, 1), (2, 4, 9, 9, 64, 1), (1, 70, 9, 6, 33, 1), (2, 6, 9, 8, 9, 3)]
)
def test_windows(shape, window, data_type, out_type):
    Case(0, data_type, out_type, shape, window).check()


@pytest.mark.parametrize("data_type", ["int8", "uint8"])
@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("channels", [2, 15, 16, 17, 63, 64, 65, 130])
def test_one_filter_for_each_channel(channels, window, data_type):
    shape = (2, channels, 9, 8, channels, channels)
    Case(channels, data_type, "uint8", shape, window, relu=True).check()


@pytest.mark.parametrize("filters", [1, 15, 16, 17, 31, 47, 48, 63, 64, 65, 80, 129, 200])
@pytest.mark.parametrize("channels", [1, 2, 3, 4, 5, 31])
def test_remainders(channels, filters):
    Case(filters, "uint8", "int8", (1, channels, 5, 5, filters, 1)).check()


@pytest.mark.parametrize("rows", [*range(1, 16), 29])
def test_numbers_of_rows(rows):
    window = ((1, 1), (1, 1), (1, 1), (0, 0))
    Case(rows, "uint8", "uint8", (1, 8, rows, 1, 40, 1), window).check()


@pytest.mark.parametrize("data_type", ["int8", "uint8"])
@pytest.mark.parametrize("sum_type", ["int8", "uint8"])
@pytest.mark.parametrize("out_type", ["int8", "uint8", "float32"])
@pytest.mark.parametrize("bias", [False, True])
def test_bias_sum_and_relu(data_type, sum_type, out_type, bias):
    Case(1, data_type, out_type, sum=sum_type, relu=True, bias=bias).check()


def test_a_range_has_no_effect_on_real_results():
    case = Case(5, "uint8", "float32", sum="int8")
    case.attributes |= {"min_calib_range": -0.5, "max_calib_range": 0.5}
    case.check()


@pytest.mark.parametrize("out_type", ["int8", "uint8", "float32"])
def test_sums_with_one_filter_for_each_channel(out_type):
    Case(4, "int8", out_type, (2, 70, 5, 5, 70, 70), sum="int8", relu=True).check()


@pytest.mark.parametrize("data_type", ["int8", "uint8"])
@pytest.mark.parametrize("groups", [1, 32])
def test_extreme_values_do_not_saturate_sums(data_type, groups):
    shape = (1, 32, 12, 12, 32, groups)
    window = ((11, 11), (1, 1), (1, 1), (0, 0))
    Case(2, data_type, "float32", shape, window, extreme=True).check()


def test_a_filter_of_zeros():
    Case(3, "int8", "int8", dead=True).check()


@pytest.mark.parametrize("data_type", ["int8", "uint8"])
@pytest.mark.parametrize(("rows", "units", "length"), [(1, 3, 5), (7, 64, 33), (3, 100, 4)])
def test_dense(rows, units, length, data_type):
    rng = np.random.default_rng(units)
    limits = np.iinfo(data_type)
    data = rng.integers(limits.min, limits.max + 1, (rows, length))
    weight, bias = rng.normal(size=(units, length)).astype("float32"), rng.normal(size=units)
    integers, scales = quantized_weight(weight)
    want = data @ integers.T * (2 / LEVELS[data_type]) / scales + bias
    arrays = {
        **{"data": nd.array(data, dtype=data_type), "weight": nd.array(weight)},
        **{"bias": nd.array(bias), "min_data": nd.array([-2]), "max_data": nd.array([2])},
    }
    options = {"num_hidden": units, "out_type": "float32"}
    graph = sym._int8_dense(**{name: sym.var(name) for name in arrays}, **options)
    for got in (
        nd._int8_dense(**arrays, **options),
        graph.bind(None, arrays, grad_req="null").forward()[0],
    ):
        np.testing.assert_allclose(got.asnumpy(), want, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("shape", [(7,), (2, 3, 7), (2, 1, 3, 7), (0, 3, 7)])
def test_dense_without_flatten(shape):
    rng = np.random.default_rng(len(shape))
    data = rng.integers(-128, 128, shape)
    weight, ends = rng.normal(size=(70, 7)).astype("float32"), (nd.array([-2]), nd.array([2]))
    integers, scales = quantized_weight(weight)
    options = {"num_hidden": 70, "no_bias": True, "flatten": False, "out_type": "float32"}
    got = nd._int8_dense(nd.array(data, dtype="int8"), nd.array(weight), *ends, **options)
    want = data @ integers.T * (2 / LEVELS["int8"]) / scales
    np.testing.assert_allclose(got.asnumpy(), want, rtol=1e-5, atol=1e-4)
