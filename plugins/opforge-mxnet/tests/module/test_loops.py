import logging
import re

import numpy as np
import pytest

import opforge as mx


def batches(samples, batch_size=8, **kwargs):
    return mx.io.NDArrayIter(*samples, batch_size, **kwargs)


def train(net, samples):
    module = mx.mod.Module(net())
    module.fit(batches(samples, shuffle=True), num_epoch=4, optimizer_params={"learning_rate": 0.5})
    return module


def test_fit_learns(net, samples):
    trained = train(net, samples)
    assert trained.score(batches(samples), "acc") == [("accuracy", 1.0)]


def test_fit_logs_as_mxnet_does(net, samples, caplog):
    caplog.set_level(logging.INFO)
    mx.mod.Module(net()).fit(
        batches(samples), eval_data=batches(samples), eval_metric=["acc", "ce"], num_epoch=2
    )
    lines = [re.sub(r"\d\.\d+", "V", line) for line in caplog.messages]
    assert lines == [
        line
        for epoch in range(2)
        for line in (
            f"Epoch[{epoch}] Train-accuracy=V",
            f"Epoch[{epoch}] Train-cross-entropy=V",
            f"Epoch[{epoch}] Time cost=V",
            f"Epoch[{epoch}] Validation-accuracy=V",
            f"Epoch[{epoch}] Validation-cross-entropy=V",
        )
    ]


def test_fit_calls_back(net, samples):
    calls = []
    mx.mod.Module(net()).fit(
        batches(samples, 20),
        eval_data=batches(samples, 20),
        num_epoch=3,
        begin_epoch=2,
        batch_end_callback=[lambda p: calls.append(("batch", p.epoch, p.nbatch))],
        epoch_end_callback=lambda e, s, arg, aux: calls.append((e, s.name, sorted(arg), aux)),
        eval_batch_end_callback=lambda p: calls.append(("eval", p.nbatch)),
        eval_end_callback=lambda p: calls.append(("eval end", p.nbatch)),
    )
    assert calls == [
        ("batch", 2, 0),
        ("batch", 2, 1),
        (2, "softmax", ["fc_bias", "fc_weight"], {}),
        ("eval", 0),
        ("eval", 1),
        ("eval end", 2),
    ]


def test_callbacks_see_the_loop(net, samples):
    seen = []
    mx.mod.Module(net()).fit(
        batches(samples, 20), num_epoch=1, batch_end_callback=lambda p: seen.append(p.locals)
    )
    assert {"self", "data_batch", "eval_metric", "epoch", "nbatch"} <= set(seen[0])


def test_a_metric_that_a_callback_resets_is_logged_whole(net, samples, caplog):
    caplog.set_level(logging.INFO)
    mx.mod.Module(net()).fit(
        batches(samples), num_epoch=1, batch_end_callback=mx.callback.Speedometer(8, 2)
    )
    assert re.match(r"Epoch\[0\] Batch \[0-2\]\tSpeed: ", caplog.messages[0])
    assert not any("nan" in line for line in caplog.messages)


def test_fit_monitors(net, samples, caplog):
    caplog.set_level(logging.INFO)
    watch = mx.mon.Monitor(2, pattern="softmax_output|fc_weight", sort=True)
    mx.mod.Module(net()).fit(batches(samples, 20), num_epoch=1, monitor=watch)
    watched = [line.split()[2] for line in caplog.messages if line.startswith("Batch: ")]
    assert watched == ["fc_weight", "softmax_output"]


def test_fit_goes_on_with_given_values(net, samples):
    arrays = {"fc_weight": mx.nd.ones((3, 2)), "fc_bias": mx.nd.zeros((3,))}
    module = mx.mod.Module(net())
    module.fit(
        batches(samples),
        num_epoch=1,
        arg_params=arrays,
        optimizer_params=(("learning_rate", 0.0),),
    )
    assert module.get_params()[0]["fc_weight"].asnumpy().tolist() == [[1, 1]] * 3


def test_fit_rejects_invalid_arguments(net, samples):
    with pytest.raises(AssertionError, match="please specify number of epochs"):
        mx.mod.Module(net()).fit(batches(samples))
    empty = batches(samples, 41, last_batch_handle="discard")
    with pytest.raises(ValueError, match="NDArrayIter has no batch in epoch 0"):
        mx.mod.Module(net()).fit(empty, num_epoch=1)


def test_score(net, samples):
    trained = train(net, samples)
    ended = []
    values = trained.score(
        batches(samples), ["acc", "mse"], num_batch=2, score_end_callback=ended.append, epoch=5
    )
    assert [name for name, _ in values] == ["accuracy", "mse"]
    assert (ended[0].nbatch, ended[0].epoch) == (2, 5)


def test_predict_leaves_padding_out(net, samples):
    trained = train(net, samples)
    every = trained.predict(batches(samples, 16))
    assert every.shape == (40, 3)
    np.testing.assert_array_equal(every.asnumpy().argmax(1), samples[1])
    assert trained.predict(batches(samples, 16), num_batch=2).shape == (32, 3)
    listed = trained.predict(batches(samples, 16), always_output_list=True)
    assert [out.shape for out in listed] == [(40, 3)]
    apart = trained.predict(batches(samples, 16), merge_batches=False)
    assert [[out.shape for out in outputs] for outputs in apart] == [
        [(16, 3)],
        [(16, 3)],
        [(8, 3)],
    ]
    assert trained.predict(batches(samples), num_batch=0) == []


def test_predict_an_array(net, samples):
    trained = train(net, samples)
    expected = trained.predict(batches(samples)).asnumpy()
    np.testing.assert_allclose(trained.predict(samples[0]).asnumpy(), expected, rtol=1e-6)
    found = trained.predict(mx.nd.array(samples[0][:7]))
    np.testing.assert_allclose(found.asnumpy(), expected[:7], rtol=1e-6)
    with pytest.raises(ValueError, match=r"must be of type NDArray.*got list"):
        trained.predict([1])


def test_iter_predict(net, samples):
    trained = train(net, samples)
    found = list(trained.iter_predict(batches(samples, 16)))
    assert [(out[0].shape, n, batch.pad) for out, n, batch in found] == [
        ((16, 3), 0, 0),
        ((16, 3), 1, 0),
        ((8, 3), 2, 8),
    ]


def test_reset_may_be_left_out(net, samples):
    trained = train(net, samples)
    source = batches(samples)
    source.next()
    assert trained.predict(source, reset=False).shape == (32, 3)
    with pytest.raises(AssertionError, match="call bind first"):
        mx.mod.Module(trained.symbol).score(source, "acc")


def test_fit_needs_of_a_module_only_the_methods_that_it_defines():
    class Batches:
        provide_data = provide_label = None
        taken = -1

        def reset(self):
            pass

        def __iter__(self):
            for Batches.taken in range(3):
                yield type("Batch", (), {"label": Batches.taken})

    class Recorded(mx.mod.BaseModule):
        calls = []

        def bind(self, *args, **kwargs):
            pass

        init_params = init_optimizer = forward = backward = update = bind

        def update_metric(self, eval_metric, labels, pre_sliced=False):
            assert labels == Batches.taken, "one batch is referenced at a time"
            self.calls.append(labels)

        def get_params(self):
            return None, None

    Recorded().fit(Batches(), num_epoch=1)
    assert Recorded.calls == [0, 1, 2]
