import logging

import numpy as np
import pytest

import opforge as mx
from opforge.base.errors import ShapeError


def sum_of_steps(length):
    """A dense layer on the sum over steps, of however many."""
    total = mx.sym.sum(mx.sym.var("data"), axis=1)
    fc = mx.sym.FullyConnected(total, num_hidden=3, name="fc")
    net = mx.sym.Custom(fc, name="softmax", op_type="module_tests_softmax")
    return net, ("data",), ("softmax_label",)


def batch(length, n=4):
    return mx.io.DataBatch(
        [mx.nd.ones((n, length, 2))],
        [mx.nd.zeros((n,))],
        pad=0,
        bucket_key=length,
        provide_data=[("data", (n, length, 2))],
        provide_label=[("softmax_label", (n,))],
    )


def bound(**settings):
    module = mx.mod.BucketingModule(sum_of_steps, default_bucket_key=5, **settings)
    module.bind(batch(5).provide_data, batch(5).provide_label)
    module.init_params(mx.init.One())
    return module


def values(module):
    return {name: array.asnumpy() for name, array in module.get_params()[0].items()}


def test_buckets_share_parameters_gradients_and_optimizer():
    module = bound()
    module.init_optimizer(optimizer_params={"learning_rate": 1.0, "momentum": 0.5})
    plain = mx.mod.Module(*sum_of_steps(5))
    plain.bind(batch(5).provide_data, batch(5).provide_label)
    plain.init_params(mx.init.One())
    plain.init_optimizer(optimizer_params={"learning_rate": 1.0, "momentum": 0.5})
    for length in (5, 3, 5, 3, 4):
        module.forward_backward(batch(length))
        module.update()
        # A module that is bound for this length alone, with the same values and momenta.
        plain.bind(batch(length).provide_data, batch(length).provide_label, force_rebind=True)
        plain.forward_backward(batch(length))
        plain.update()
    for name, value in values(plain).items():
        np.testing.assert_allclose(values(module)[name], value, rtol=1e-6)


def test_the_current_bucket_shows():
    module = bound()
    assert module.symbol.list_outputs() == module.output_names == ["softmax_output"]
    assert module.data_names == ["data"]
    module.forward(batch(2), is_train=False)
    assert module.data_shapes == [("data", (4, 2, 2))]
    assert module.label_shapes == [("softmax_label", (4,))]
    assert module.output_shapes == [("softmax_output", (4, 3))]
    assert module.get_outputs()[0].shape == (4, 3)
    module.prepare(batch(3))
    assert module.data_shapes == [("data", (4, 2, 2))]


class Lengths(mx.io.DataIter):
    """Batches of different lengths, whose class is that of the sign of their sum."""

    provide_data = batch(5).provide_data
    provide_label = batch(5).provide_label
    default_bucket_key = 5

    def __init__(self, count=12):
        super().__init__(4)
        self.at, self.count = 0, count

    def reset(self):
        self.at = 0

    def next(self):
        if self.at == self.count:
            raise StopIteration
        self.at += 1
        made = batch(2 + self.at % 4)
        random = np.random.default_rng(self.at)
        label_n = random.integers(0, 2, 4)
        made.data[0][:] = made.data[0] * mx.nd.array((label_n * 2 - 1).reshape(4, 1, 1))
        made.label[0][:] = mx.nd.array(label_n)
        return made


def test_fit_score_and_predict():
    module = mx.mod.BucketingModule(sum_of_steps, default_bucket_key=5)
    module.fit(Lengths(), num_epoch=3, optimizer_params={"learning_rate": 0.3})
    assert module.score(Lengths(), "acc") == [("accuracy", 1.0)]
    assert module.predict(Lengths()).shape == (48, 3)


def test_setting_up_is_done_once(caplog):
    caplog.set_level(logging.INFO)
    module = bound()
    module.bind(batch(5).provide_data, batch(5).provide_label)
    module.init_params(mx.init.Zero())  # initialised already
    assert values(module)["fc_weight"].max() == 1
    module.init_optimizer()
    module.init_optimizer()
    assert caplog.messages == [
        "Already bound, ignoring bind()",
        "optimizer already initialized, ignoring.",
    ]
    module.forward(batch(3))
    module.init_optimizer(force_init=True)
    assert module._kept.get(3)._optimizer is module._default._optimizer
    module.bind(batch(5, 8).provide_data, batch(5, 8).provide_label, force_rebind=True)
    assert values(module)["fc_weight"].max() == 1 and len(module._kept) == 0


def test_setting_values():
    module = bound()
    module.forward(batch(3))
    module.set_params({"fc_bias": mx.nd.array([1, 2, 3])}, {}, allow_missing=True)
    module.forward(batch(3))
    outputs = module.get_outputs()[0].asnumpy()[0]
    expected = np.exp([1, 2, 3]) / np.exp([1, 2, 3]).sum()
    np.testing.assert_allclose(outputs, expected, rtol=1e-5)


def test_monitor_sees_all_buckets():
    module, watch = bound(), mx.mon.Monitor(1, pattern="softmax_output")
    module.forward(batch(4))
    module.install_monitor(watch)
    for length in (5, 4, 3):
        watch.tic()
        module.forward(batch(length))
        assert [name for _, name, _ in watch.toc()] == ["softmax_output"]


def test_checkpoint(tmp_path):
    module, prefix = bound(), str(tmp_path / "net")
    module.init_optimizer()
    module.forward(batch(3))
    module.save_checkpoint(prefix, 1, save_optimizer_states=True)
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "net-0001.params",
        "net-0001.states",
        "net-3-symbol.json",
        "net-5-symbol.json",
        "net.buckets",
    ]
    again = mx.mod.BucketingModule.load(prefix, 1, sum_of_steps, default_bucket_key=5)
    assert sorted(again._keys) == [3, 5]
    again.bind(batch(5).provide_data, batch(5).provide_label)
    again.forward(batch(3))
    np.testing.assert_array_equal(
        again.get_outputs()[0].asnumpy(), module.get_outputs()[0].asnumpy()
    )


def test_a_training_goes_on_from_a_checkpoint(tmp_path):
    def trained(module, lengths):
        module.bind(batch(5).provide_data, batch(5).provide_label)
        module.init_params(mx.init.One())
        module.init_optimizer(optimizer="adam")
        for length in lengths:
            module.forward_backward(batch(length))
            module.update()
        return module

    whole = trained(mx.mod.BucketingModule(sum_of_steps, 5), (3, 5, 4, 3))
    prefix = str(tmp_path / "net")
    begun = trained(mx.mod.BucketingModule(sum_of_steps, 5), (3, 5))
    begun.save_checkpoint(prefix, 1, save_optimizer_states=True)
    resumed = mx.mod.BucketingModule.load(prefix, 1, sum_of_steps, 5, load_optimizer_states=True)
    trained(resumed, (4, 3))
    for name, value in values(whole).items():
        np.testing.assert_array_equal(values(resumed)[name], value)


def test_missing_or_unknown_buckets_raise():
    with pytest.raises(AssertionError, match="default_bucket_key is missing"):
        mx.mod.BucketingModule(sum_of_steps)
    with pytest.raises(AssertionError, match="sym_dict, sym_gen, arg_params and aux_params"):
        mx.mod.BucketingModule.load_dict()
    module = mx.mod.BucketingModule(sum_of_steps, default_bucket_key=5)
    with pytest.raises(AssertionError, match="shared_module for BucketingModule"):
        module.bind([], shared_module=module)
    with pytest.raises(AssertionError, match="call bind first"):
        module.switch_bucket(3, [])


def test_buckets_must_have_the_same_parameters():
    def generate(length):
        hidden = {9: 4}.get(length, 3)
        name = {8: "other"}.get(length, "fc")
        net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=hidden, name=name)
        return net, ("data",), None

    module = mx.mod.BucketingModule(generate, default_bucket_key=2)
    module.bind([("data", (1, 2))])
    module.init_params()
    with pytest.raises(ValueError, match="parameter 'other_weight' that shared_module lacks"):
        module.switch_bucket(8, [("data", (1, 2))])
    with pytest.raises(ShapeError, match=r"'fc_weight' has shape \(3, 2\) in shared_exec and"):
        module.switch_bucket(9, [("data", (1, 2))])


def test_many_buckets_keep_few_modules(monkeypatch, tmp_path):
    monkeypatch.setenv("OPFORGE_GRAPH_LIMIT_MB", "1")
    module = bound()
    module.init_optimizer()
    for length in range(1, 150):
        module.forward_backward(batch(length))
        module.update()
    assert len(module._kept) < 120
    assert module._kept.nbytes <= 1 << 20
    module.forward(batch(1), is_train=False)  # given up meanwhile
    assert module.get_outputs()[0].shape == (4, 3)
    prefix = str(tmp_path / "net")
    module.save_checkpoint(prefix, 0)
    assert len(list(tmp_path.glob("*-symbol.json"))) == 149


def test_buckets_and_their_bindings_are_accessible():
    module = bound()
    module.forward(batch(3), is_train=False)
    assert module._buckets[3] is module._curr_module
    assert module._buckets[module._default_bucket_key] is not module._curr_module
    assert module._curr_module._grad_req == "write"


def test_prepare_binds_the_coming_bucket_and_stays_where_it_is():
    def generate(key):
        data = mx.sym.var("data")
        return (
            mx.sym.FullyConnected(mx.sym.sum(data, axis=1, keepdims=True), num_hidden=2),
            ["data"],
            None,
        )

    module = mx.mod.BucketingModule(generate, default_bucket_key=4)
    module.bind([("data", (2, 4))])
    module.init_params()
    batch = mx.io.DataBatch([mx.nd.ones((2, 3))], bucket_key=3, provide_data=[("data", (2, 3))])
    module.prepare(batch)
    assert 3 in module._buckets
    assert module._curr_bucket_key == 4


def test_an_optimizer_needs_bound_and_initialized_modules():
    module = mx.mod.Module(
        mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2), label_names=None
    )
    with pytest.raises(AssertionError):
        module.init_optimizer()
    module.bind([("data", (1, 2))])
    with pytest.raises(AssertionError):
        module.init_optimizer()


def test_a_checkpoint_takes_the_arguments_of_mxnet_by_position(tmp_path):
    """The third one is remove_amp_cast, unlike in Module."""
    module = bound()
    module.init_optimizer()
    module.save_checkpoint(str(tmp_path / "net"), 1, True)
    assert not (tmp_path / "net-0001.states").exists()
    mx.callback.module_checkpoint(module, str(tmp_path / "net"), save_optimizer_states=True)(0)
    assert (tmp_path / "net-0001.states").exists()
