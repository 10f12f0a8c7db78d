"""Graphs as blocks, and exported files of blocks."""

import numpy as np
import pytest

from opforge import autograd, checkpoint, gluon, initializer, nd, sym
from opforge.base.errors import OpforgeError
from opforge.gluon import SymbolBlock, nn


def exported(tmp_path):
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(8, activation="relu"), nn.BatchNorm(), nn.Dense(3))
    net.initialize()
    net.hybridize()
    x = nd.random.normal(shape=(4, 5))
    with autograd.record():
        net(x)
    expected = net(x)
    path = str(tmp_path / "net")
    assert net.export(path, epoch=7) is None  # as in MXNet 1.9.1; later versions return names
    return net, x, expected, (f"{path}-symbol.json", f"{path}-0007.params")


@pytest.mark.plugins
def test_an_exported_block_computes_the_same(tmp_path):
    _, x, expected, (symbol_file, param_file) = exported(tmp_path)
    block = SymbolBlock.imports(symbol_file, "data", param_file)
    np.testing.assert_array_equal(block(x).asnumpy(), expected.asnumpy())


@pytest.mark.plugins
def test_it_can_be_trained_on(tmp_path):
    net, x, _, files = exported(tmp_path)
    block = SymbolBlock.imports(files[0], ["data"], files[1])
    with autograd.record():
        block(x).sum().backward()
    with autograd.record():
        net(x).sum().backward()
    theirs, mine = net.collect_params(), block.collect_params()
    assert set(mine) == set(theirs)
    for name, parameter in mine.items():
        assert (parameter.grad_req == "null") == name.endswith(("mean", "var"))
        if parameter.grad_req != "null":
            found, expected = parameter.grad().asnumpy(), theirs[name].grad().asnumpy()
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.plugins
def test_a_checkpoint_is_the_same_files(tmp_path):
    *_, (symbol_file, _) = exported(tmp_path)
    symbol, arguments, states = checkpoint.load_checkpoint(
        symbol_file.removesuffix("-symbol.json"), 7
    )
    assert set(arguments) | {"data"} == set(symbol.list_arguments())
    assert set(states) == set(symbol.list_auxiliary_states())


@pytest.mark.plugins
def test_missing_and_extra_arrays(tmp_path):
    *_, (symbol_file, param_file) = exported(tmp_path)
    arrays = nd.load(param_file)
    gone = arrays.pop("arg:net_dense1_bias")
    nd.save(param_file, arrays)
    with pytest.raises(AssertionError, match="net_dense1_bias"):
        SymbolBlock.imports(symbol_file, "data", param_file)
    block = SymbolBlock.imports(symbol_file, "data", param_file, allow_missing=True)
    assert block.collect_params()["net_dense1_bias"]._data is None
    nd.save(param_file, {**arrays, "arg:net_dense1_bias": gone, "arg:other": gone})
    with pytest.raises(ValueError, match="other"):
        SymbolBlock.imports(symbol_file, "data", param_file)
    SymbolBlock.imports(symbol_file, "data", param_file, ignore_extra=True)


@pytest.mark.plugins
def test_inner_outputs_as_features(tmp_path):
    *_, (symbol_file, param_file) = exported(tmp_path)
    inner = sym.load(symbol_file).get_internals()["net_batchnorm0_fwd_output"]
    block = SymbolBlock(inner, sym.var("data"))
    block.load_parameters(param_file, ignore_extra=True)
    assert block(nd.ones((2, 5))).shape == (2, 8)


def test_several_inputs_and_outputs():
    a, b = sym.var("a"), sym.var("b")
    block = SymbolBlock([a + b, a * 2], [a, b])
    total, double = block(nd.ones(2), nd.full(2, 3))
    assert total.asnumpy().tolist() == [4, 4] and double.asnumpy().tolist() == [2, 2]
    assert SymbolBlock([a + b], [a, b])(nd.ones(1), nd.ones(1)).shape == (1,)
    with pytest.raises(ValueError, match=r"2 inputs \(a, b\), got 1"):
        block(nd.ones(2))


@pytest.mark.plugins
def test_symbol_block_can_be_a_child():
    x = sym.var("x")
    net = nn.HybridSequential()
    net.add(SymbolBlock(sym.tanh(x), x), nn.Dense(2))
    net.initialize()
    net.hybridize()
    assert net(nd.ones((3, 4))).shape == (3, 2)


def test_only_variables_are_inputs():
    x = sym.var("x")
    with pytest.raises(OpforgeError, match="must be variable"):
        SymbolBlock(sym.exp(x), sym.tanh(x))


@pytest.mark.plugins
def test_export_wants_a_call_first(tmp_path):
    net = nn.Dense(2)
    net.initialize()
    with pytest.raises(OpforgeError, match="hybridize"):
        net.export(str(tmp_path / "x"))
    assert issubclass(gluon.SymbolBlock, gluon.HybridBlock)


def test_the_export_of_a_graph_needs_no_call(tmp_path):
    x = sym.var("x")
    graph = sym.FullyConnected(x, num_hidden=2, name="f")
    block = SymbolBlock(graph, x)
    block.initialize()
    path = str(tmp_path / "x")
    with pytest.warns(UserWarning, match="'f_bias', 'f_weight' have no values yet"):
        block.export(path)
    assert sym.load(f"{path}-symbol.json").tojson() == graph.tojson()
    assert not nd.load(f"{path}-0000.params")
    expected = block(nd.ones((1, 3))).asnumpy()
    block.export(path)
    assert sym.load(f"{path}-symbol.json").list_arguments() == ["x", "f_weight", "f_bias"]
    copy = SymbolBlock.imports(f"{path}-symbol.json", "x", f"{path}-0000.params")
    copy.export(path, epoch=1)
    again = SymbolBlock.imports(f"{path}-symbol.json", "x", f"{path}-0001.params")
    assert again(nd.ones((1, 3))).asnumpy().tolist() == expected.tolist()


def test_saved_names_omit_the_common_prefix(tmp_path):
    def made(prefix):
        hidden = sym.FullyConnected(sym.var("x"), num_hidden=2, name=f"{prefix}first")
        return SymbolBlock(
            sym.FullyConnected(hidden, num_hidden=1, name=f"{prefix}last"), sym.var("x")
        )

    path = str(tmp_path / "net.params")
    nets = [nn.HybridSequential(), nn.HybridSequential()]
    for net, prefix in zip(nets, ("one_", "two_"), strict=True):
        net.add(made(prefix))
    nets[0].initialize()
    x = nd.ones((1, 3))
    expected = nets[0](x).asnumpy()
    nets[0].save_parameters(path)
    names = [f"0.{layer}_{kind}" for layer in ("first", "last") for kind in ("bias", "weight")]
    assert sorted(nd.load(path)) == names
    nets[1].load_parameters(path)
    assert nets[1](x).asnumpy().tolist() == expected.tolist()
    assert sorted(nets[1].collect_params())[0] == "two_first_bias"
    alone = SymbolBlock(sym.broadcast_mul(sym.var("x"), sym.var("w", shape=(1, 1))), sym.var("x"))
    alone.initialize()
    alone.save_parameters(path)
    alone.load_parameters(path)
    assert list(nd.load(path)) == [""]


@pytest.mark.plugins
def test_a_graph_whose_shapes_depend_on_values_runs_call_by_call(tmp_path):
    class Net(gluon.HybridBlock):
        def __init__(self):
            super().__init__(prefix="net_")
            self.dense = nn.Dense(2, prefix="net_dense_")

        def hybrid_forward(self, F, x, mask):
            return self.dense(F.contrib.boolean_mask(x, mask))

    net = Net()
    net.initialize()
    net.hybridize()
    x, mask = nd.random.normal(shape=(4, 3)), nd.array([1, 0, 1, 1])
    expected = net(x, mask).asnumpy()
    path = str(tmp_path / "net")
    net.export(path)
    block = SymbolBlock.imports(f"{path}-symbol.json", ["data0", "data1"], f"{path}-0000.params")
    with autograd.record():
        y = block(x, mask)
    y.backward()
    np.testing.assert_allclose(y.asnumpy(), expected, rtol=1e-5, atol=1e-6)
    chosen = x.asnumpy()[[0, 2, 3]].sum(0)
    grad = block.collect_params()["net_dense_weight"].grad().asnumpy()
    np.testing.assert_allclose(grad, [chosen, chosen], rtol=1e-5)


def test_a_graph_takes_arrays_without_elements():
    x = sym.var("x")
    block = SymbolBlock([sym.exp(x), x * 2], x)
    assert [y.shape for y in block(nd.zeros((0, 3)))] == [(0, 3), (0, 3)]


@pytest.mark.plugins
def test_networks_without_parameters_are_imported(tmp_path):
    net = nn.HybridSequential()
    net.add(nn.Flatten(), nn.Activation("relu"))
    net.hybridize()
    x = nd.array([[[-1, 2]]])
    net(x)
    path = str(tmp_path / "net")
    net.export(path)
    files = f"{path}-symbol.json", "data", f"{path}-0000.params"
    assert gluon.SymbolBlock.imports(*files)(x).asnumpy().tolist() == [[0, 2]]
    symbol, arguments, states = checkpoint.load_checkpoint(path, 0)
    assert (symbol.list_arguments(), arguments, states) == (["data"], {}, {})
    net.collect_params().save(f"{path}.params")
    net.collect_params().load(f"{path}.params")
    net.load_parameters(f"{path}.params")


@pytest.mark.parametrize("is_from_file", [False, True])
def test_multipliers_and_initializers_of_variables_become_those_of_parameters(
    tmp_path, is_from_file
):
    weight = sym.var("w", shape=(2, 3), lr_mult=0.5, wd_mult=0.25)
    bias = sym.var("b", shape=(2,), init=initializer.Constant(2))
    net = sym.FullyConnected(sym.var("x"), weight, bias, num_hidden=2)
    if is_from_file:
        net.save(str(tmp_path / "net.json"))
        net = sym.load(str(tmp_path / "net.json"))
    block = SymbolBlock(net, sym.var("x"))
    block.initialize()
    params = block.collect_params()
    assert (params["w"].lr_mult, params["w"].wd_mult) == (0.5, 0.25)
    assert (params["b"].lr_mult, params["b"].wd_mult) == (1, 1)
    assert params["b"].data().asnumpy().tolist() == [2, 2]


def test_the_initializer_of_an_operator_is_not_that_of_its_parameters():
    x = sym.var("x")
    attributes = {"__init__": initializer.Xavier().dumps()}
    net = sym.FullyConnected(x, num_hidden=2, no_bias=False, name="fc", attr=attributes)
    block = SymbolBlock(net, x)
    block.initialize("ones")
    assert block(nd.ones((1, 3))).asnumpy().tolist() == [[4, 4]]  # Xavier cannot draw a bias


def test_shared_parameters_keep_their_settings():
    params = gluon.ParameterDict()
    params.get("w", shape=(2,), lr_mult=3, init="ones", grad_req="null")
    SymbolBlock(sym.var("x") * sym.var("w", lr_mult=2, init="zeros"), sym.var("x"), params)
    assert params["w"].lr_mult == 3
    assert params["w"].init == "ones"
    assert params["w"].grad_req == "null"


def test_imported_parameters_have_the_types_of_the_file(tmp_path):
    y = sym.Cast(sym.var("w"), dtype="float32", name="cast") + sym.var("x")
    graph, arrays = str(tmp_path / "net.json"), str(tmp_path / "net.params")
    y.save(graph)
    nd.save(arrays, {"arg:w": nd.array([1, 2], dtype="int8")})
    block = SymbolBlock.imports(graph, "x", arrays)
    assert block.params["w"].dtype == np.int8
    assert block(nd.array([0.5, 0.5])).asnumpy().tolist() == [1.5, 2.5]
