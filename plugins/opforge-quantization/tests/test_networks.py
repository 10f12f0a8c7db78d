import logging

import numpy as np
import pytest
from opforge_quantization.calibration.batches import as_data_iter

import opforge as mx
from opforge import autograd, gluon, nd, sym
from opforge.contrib import quantization
from opforge.gluon import nn, rnn
from opforge.io import DataBatch, DataDesc, NDArrayIter
from opforge.module import Module


def network():
    mx.random.seed(3)
    net = nn.HybridSequential()
    with net.name_scope():
        net.add(
            nn.Conv2D(8, 3, padding=1, activation="relu"),
            nn.MaxPool2D(),
            nn.Conv2D(8, 3, padding=1, groups=4),
            nn.BatchNorm(),
            nn.Activation("relu"),
            nn.GlobalAvgPool2D(),
            nn.Flatten(),
            nn.Dense(5),
        )
    net.initialize(mx.init.Xavier())
    with autograd.record():  # averages of the normalization
        net(images(16))
    return net


def images(n=4):
    return nd.random.uniform(-1, 1, shape=(n, 3, 12, 12))


def error(found, wanted):
    found, wanted = found.asnumpy(), wanted.asnumpy()
    return np.abs(found - wanted).max() / np.abs(wanted).max()


@pytest.mark.parametrize("mode", ["none", "naive", "entropy"])
@pytest.mark.parametrize("kind", ["auto", "int8"])
def test_results_are_close(mode, kind):
    net = network()
    x = images()
    options = (
        {"calib_data": [x]} if mode != "none" else {"data_shapes": [DataDesc("data", x.shape)]}
    )
    found = quantization.quantize_net(net, kind, calib_mode=mode, **options)
    assert error(found(x), net(x)) < 0.08
    found.hybridize(static_alloc=True, static_shape=True)
    assert error(found(x), net(x)) < 0.08


def test_everything_between_the_ends_is_an_integer():
    net = network()
    found = quantization.quantize_net(net, calib_data=[images()], calib_mode="naive")
    operators = [node.operation.name for node in found._symbol.nodes() if not node.is_variable]
    assert operators == [
        "_contrib_quantize_v2",
        "_int8_convolution",
        "_contrib_quantized_pooling",
        "_int8_convolution",
        "_contrib_quantized_pooling",
        "_contrib_quantized_flatten",
        "_int8_dense",
    ]


def test_addition_and_relu_in_one_conversion():
    """Of a residual block, whose sum is not negative after ReLU."""
    mx.random.seed(1)
    x = sym.var("data")
    branch = sym.Convolution(x, kernel=(3, 3), pad=(1, 1), num_filter=3, name="conv")
    symbol = sym.Activation(branch + x, act_type="relu", name="relu")
    params = {
        "conv_weight": nd.random.normal(shape=(3, 3, 3, 3)),
        "conv_bias": nd.random.normal(shape=(3,)),
    }
    data, options = images(), {"quantized_dtype": "auto", "quantize_mode": "full"}
    wanted = symbol.bind(mx.cpu(), {**params, "data": data}).forward()[0]
    for mode in ("none", "naive"):
        found, args, _ = quantization.quantize_model(
            symbol, params, {}, calib_mode=mode, calib_data=NDArrayIter(data), **options
        )
        result = found.bind(mx.cpu(), {**args, "data": data}).forward()[0]
        assert result.asnumpy().min() == 0 and error(result, wanted) < 0.02


def test_a_quantized_network_is_exported_and_imported(tmp_path):
    net = network()
    x = images()
    found = quantization.quantize_net(net, calib_data=[x], calib_mode="naive")
    wanted = found(x)
    found.export(str(tmp_path / "net"))
    files = str(tmp_path / "net-symbol.json"), "data", str(tmp_path / "net-0000.params")
    again = gluon.SymbolBlock.imports(*files)
    assert (again(x) == wanted).asnumpy().all()
    assert {param.dtype for param in again.params.values()} == {np.float32, np.int8}


def test_excluded_layers():
    net = network()
    x = images()
    options = {"calib_data": [x], "calib_mode": "naive"}
    names = quantization.quantize_net(net, exclude_layers_match=["conv"], **options).params.keys()
    assert any(name.endswith("conv0_weight") for name in names)
    everything = ["FullyConnected", "Convolution", "BatchNorm", "Pooling", "Activation", "Flatten"]
    found = quantization.quantize_net(net, exclude_operators=everything, **options)
    assert (found(x) == net(x)).asnumpy().all()


@pytest.mark.parametrize("bidirectional", [False, True])
def test_recurrent_layers(bidirectional):
    mx.random.seed(0)
    net, x = nn.HybridSequential(), nd.random.normal(shape=(5, 3, 8))
    net.add(rnn.LSTM(16, num_layers=2, bidirectional=bidirectional))
    net.initialize(mx.init.Xavier())
    found = quantization.quantize_net(net, calib_data=[x], calib_mode="naive")
    # States have the scale of the data, of which a step is 0.02.
    np.testing.assert_allclose(found(x).asnumpy(), net(x).asnumpy(), atol=0.04)


def test_labels_of_batches_are_left_out():
    net = network()
    data = gluon.data.ArrayDataset(images(6), nd.zeros((6,)))
    loader = gluon.data.DataLoader(data, batch_size=2)
    found = quantization.quantize_net_v2(
        net, calib_data=loader, calib_mode="naive", num_calib_examples=4
    )
    assert found(images(1)).shape == (1, 5)


def test_a_collector_of_the_program():
    class Fixed:
        min_max_dict = {"data": (-1.0, 1.0), "fc_output": (-8.0, 8.0)}
        seen = []

        def collect(self, name, array):
            self.seen.append(name.decode())

    net = nn.Dense(2, in_units=3, prefix="fc_")
    net.initialize()
    collector = Fixed()
    found = quantization.quantize_net_v2(
        net, calib_data=[nd.ones((1, 3))], calib_mode="customize", LayerOutputCollector=collector
    )
    assert "data" in collector.seen
    attributes = found._symbol.attr_dict()
    assert attributes["data_quantize"]["min_calib_range"] == "-1.000000"


def test_errors_of_options():
    net = network()
    shapes = [DataDesc("data", (1, 3, 12, 12))]
    with pytest.raises(ValueError, match="data_shapes required"):
        quantization.quantize_net(net)
    with pytest.raises(ValueError, match="calib_data must be provided"):
        quantization.quantize_net(net, data_shapes=shapes, calib_mode="naive")
    with pytest.raises(ValueError, match="unknown calibration mode best"):
        quantization.quantize_net(net, data_shapes=shapes, calib_mode="best")
    with pytest.raises(ValueError, match="unknown quantized_dtype int4"):
        quantization.quantize_net(net, "int4", data_shapes=shapes)
    with pytest.raises(TypeError, match="calib_data is not a valid iterator"):
        quantization.quantize_net(net, calib_data=3)


def model():
    x = sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc")
    params = {
        "fc_weight": nd.random.uniform(-1, 1, shape=(3, 4)),
        "fc_bias": nd.random.uniform(-1, 1, shape=(3,)),
    }
    return sym.SoftmaxOutput(x, name="softmax"), params


@pytest.mark.parametrize("mode", ["none", "naive", "entropy"])
def test_models(mode, caplog):
    symbol, params = model()
    data = nd.random.uniform(-1, 1, shape=(800, 4))
    batches = NDArrayIter(data, nd.zeros((800,)), batch_size=400)
    with caplog.at_level(logging.INFO):
        qsym, args, aux = quantization.quantize_model(
            symbol, params, {}, calib_mode=mode, calib_data=batches, logger=logging.getLogger()
        )
    assert ("Collected layer outputs" in caplog.text) == (mode != "none")
    assert sorted(args) == sorted(set(qsym.list_arguments()) - {"data", "softmax_label"})
    found = qsym.bind(mx.cpu(), {**args, "data": data, "softmax_label": nd.zeros((800,))}).forward()
    given = {**params, "data": data, "softmax_label": nd.zeros((800,))}
    wanted = symbol.bind(mx.cpu(), given).forward()
    assert aux == {} and error(found[0], wanted[0]) < 0.05


def test_models_of_two_steps():
    symbol, params = model()
    qsym, _, aux, collector = quantization.quantize_graph(symbol, params, {}, calib_mode="naive")
    collector.collect("data", nd.array([-1, 2]))
    collector.collect(b"fc_output", nd.array([-4, 3]))
    collector.collect("fc_output", nd.array([5]))
    collector.collect("other", nd.array([100]))
    assert collector.min_max_dict == {"data": (-1, 2), "fc_output": (-4, 5)}
    found, _, _ = quantization.calib_graph(qsym, params, aux, collector, "naive", logger=None)
    assert found.attr_dict()["requantize_fc"]["max_calib_range"] == "5.000000"
    with pytest.raises(ValueError, match="unknown calibration mode none"):
        quantization.calib_graph(qsym, params, aux, collector, "none")


def test_errors_of_models():
    symbol, params = model()
    with pytest.raises(ValueError, match="excluded_sym_names must be a list"):
        quantization.quantize_model(symbol, params, {}, excluded_sym_names="fc")
    with pytest.raises(ValueError, match="calib_data must be of DataIter type"):
        quantization.quantize_model(symbol, params, {}, calib_data=[1])
    with pytest.raises(ValueError, match="calib_data must be provided"):
        quantization.quantize_model(symbol, params, {})
    with pytest.raises(ValueError, match="quantize_granularity rows"):
        quantization.quantize_graph(symbol, params, {}, quantize_granularity="rows")
    with pytest.raises(ValueError, match="single ctx"):
        quantization.quantize_graph(symbol, params, {}, ctx=[mx.cpu()])
    with pytest.raises(ValueError, match="supports only the CPU"):
        quantization.quantize_model_mkldnn(symbol, params, {}, ctx=mx.gpu())


def test_files(tmp_path):
    symbol, params = model()
    symbol.save(str(tmp_path / "net.json"))
    nd.save(str(tmp_path / "net.params"), {f"arg:{name}": value for name, value in params.items()})
    found = quantization.quantize_model(str(tmp_path / "net.json"), params, {}, calib_mode="none")
    assert "fc_weight_quantize" in found[1]
    args, aux = quantization._load_params(str(tmp_path / "net.params"))
    assert set(args) == set(params) and aux == {}
    assert quantization._load_params((params, {})) == (params, {})
    for load in (quantization._load_sym, quantization._load_params):
        with pytest.raises(ValueError, match="got int"):
            load(3)


def test_models_after_fusion():
    symbol, params = model()
    found, args, _ = quantization.quantize_model_mkldnn(symbol, params, {}, calib_mode="none")
    assert "fc_weight_quantize" in args and found.list_outputs() == symbol.list_outputs()


def test_a_model_without_layers_to_quantize_is_returned():
    symbol, params = model()
    examples = NDArrayIter(np.ones((4, params["fc_weight"].shape[1]), "float32"), batch_size=2)
    found, args, _ = quantization.quantize_model(
        symbol, params, {}, excluded_sym_names=["fc"], calib_mode="naive", calib_data=examples
    )
    assert found.list_outputs() == symbol.list_outputs()
    assert set(args) == set(params)


def test_batches_of_iterables():
    batches, described = as_data_iter([[nd.ones((2, 3, 4, 5, 6)), nd.ones((2,))]])
    assert [(item.name, item.shape) for item in described] == [
        ("data", (6, 4, 5, 6)),
        ("data0", (2,)),
    ]
    assert [array.shape for array in next(iter(batches)).data] == [(6, 4, 5, 6), (2,)]
    _, described = as_data_iter([[nd.ones((2,))] * 3])
    assert [item.name for item in described] == ["data0", "data1", "data2"]
    own = NDArrayIter(nd.ones((2, 1)))
    assert as_data_iter(own)[0] is own


def test_modules_run_quantized_symbols():
    data = mx.sym.var("data")
    for at in range(2):  # the second layer gets uint8
        data = mx.sym.Convolution(data, kernel=(3, 3), num_filter=4, name=f"conv{at}")
        data = mx.sym.Activation(data, act_type="relu")
    net = mx.sym.SoftmaxOutput(mx.sym.FullyConnected(data, num_hidden=3, name="fc"), name="softmax")
    x = np.random.default_rng(0).normal(size=(4, 3, 8, 8)).astype("float32")
    shapes, _, _ = net.infer_shape(data=x.shape)
    params = {
        name: nd.random.normal(shape=shape)
        for name, shape in zip(net.list_arguments(), shapes, strict=True)
        if name not in ("data", "softmax_label")
    }
    batches = NDArrayIter(x, np.zeros(4), 2)
    found, args, aux = quantization.quantize_model_mkldnn(
        net, params, {}, calib_mode="naive", calib_data=batches, quantize_mode="full"
    )
    module = Module(found)
    module.bind([("data", x.shape)], [("softmax_label", (4,))], for_training=False)
    module.set_params(args, aux)
    module.forward(DataBatch([nd.array(x)]), is_train=False)
    values = {**args, "data": nd.array(x), "softmax_label": nd.zeros((4,))}
    wanted = found.bind(None, values, grad_req="null").forward()[0]
    np.testing.assert_array_equal(module.get_outputs()[0].asnumpy(), wanted.asnumpy())


def test_programs_use_names_after_a_star_import():
    names = {}
    exec("from opforge.contrib.quantization import *", names)
    assert names["cpu"]() == mx.cpu() and names["np"] is np
    assert isinstance(nd.ones(1), names["NDArray"]) and names["quantize_net_v2"]
