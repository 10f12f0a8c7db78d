"""First lines of programs that users of other frameworks write.

Each works, or its error contains what to write instead; what the error contains is executed too,
and must not raise. Names in remedies that stand for the reader's own objects are defined in
`READER`.
"""

import contextlib
import gc
import io

import pytest

pytestmark = pytest.mark.plugins

SETUP = """
import numpy as np
import numpy
import opforge
import opforge as mx
from opforge import autograd, gluon, init, metric, nd
from opforge.gluon import nn
from opforge.gluon.contrib.estimator import Estimator

X = np.arange(12, dtype="float32").reshape(4, 3) / 12
labels = np.array([0, 1, 0, 1])
x, t, s = nd.array(X), nd.array(labels), nd.array([3.5])
w = nd.ones((3, 2))
w.attach_grad()
net = nn.HybridSequential(nn.Dense(4, activation="relu"), nn.Dense(2))
net.initialize()
net(x)
loss_fn = gluon.loss.SoftmaxCELoss()
trainer = opt = optimizer = gluon.Trainer(net, "adam")
ds = gluon.data.ArrayDataset(x, t)
loader = gluon.data.DataLoader(ds, batch_size=2)
with autograd.record():
    loss = loss_fn(net(x), t).mean()
data = mx.sym.var("data")
"""
READER = """
y = x.reshape((3, 4)) if uses_product else x.copy()
axis, axes, shape, dtype, ctx, n, step = 0, (1, 0), (2, 6), "float32", mx.cpu(), 2, 2
units, lr, gamma, low, high, value, seed, batch_size = 3, 0.1, 0.9, 0, 1, 0, 0, 2
file, values, arrays, block, param = "model.params", X, [x], nn.Dense(3), net[0].weight
index, mask, condition, dataset = nd.array([0, 1]), x > 0.5, x > 0.5, ds
preds, metric = [net(x)], metric.Accuracy()
labels = [t]
function = print
net.save_parameters(file)
"""
WORKS = [
    'net = nn.Sequential(nn.Dense(4, activation="relu"), nn.Dense(3))',
    "net = nn.Sequential([nn.Dense(4), nn.Dense(3)])",
    "layer = nn.Dense(3, use_bias=False)",
    "layer = nn.Conv2D(16, 3)",
    "layer = nn.MaxPool2D(2)",
    "layer = nn.Dropout(0.5)",
    "layer = nn.BatchNorm(16)",
    "layer = nn.LSTM(3, 4)",
    "layer = nn.Embedding(10, 4)",
    "layer = nn.Flatten()",
    "layer = nn.LeakyReLU(0.1)",
    "layer = nn.GELU()",
    "layer = nn.LayerNorm(3)",
    "layer = nn.Identity()",
    'layer = nn.Activation("relu")',
    'trainer = gluon.Trainer(net, "Adam")',
    "trainer = gluon.Trainer(net, mx.optimizer.Adam())",
    'trainer = gluon.Trainer(net, optimizer="adam")',
    "loss.backward()",
    "loss.item()",
    "float(loss)",
    "x.detach()",
    "x.reshape(2, -1)",
    "x.reshape((2, -1))",
    "x.ndim",
    "len(x)",
    "x.sum(axis=-1, keepdims=True)",
    "x.max()",
    "x.argmax(1)",
    "x.argmax(axis=1)",
    "x.std()",
    "x.var()",
    "x.T",
    "x.transpose(0, 1)",
    "x.transpose(1, 0)",
    "x.squeeze()",
    "x.astype(np.float64)",
    'x.astype("float16")',
    "x.dtype",
    "x.copy()",
    "x.flatten()",
    "x.clip(0, 1)",
    "x.exp()",
    "x @ w",
    "x + 1",
    "1 - x",
    "x ** 2",
    "x += 1",
    "x > 0.5",
    "x[0]",
    "x[0, 1]",
    "x[:, 1]",
    "x[-1]",
    "x[..., 0]",
    "x[None]",
    "x[:, None]",
    "x[[0, 2]]",
    "x[0, 0] = 5",
    "x[:2] = 0",
    "if (x > 0).all(): pass",
    "(x > 0).any()",
    "x.all()",
    "x.sort()",
    "x.repeat(2, 1)",
    "x.norm()",
    "x.round()",
    "np.array(x)",
    "np.asarray(x)",
    "np.mean(x)",
    "nd.zeros((2, 3))",
    "nd.array([1, 2, 3])",
    "nd.arange(10)",
    "nd.random.randn(2, 3)",
    "nd.random.normal(0, 1, (2, 3))",
    "nd.concatenate([x, x], axis=0)",
    "nd.stack(x, x, axis=0)",
    "nd.softmax(x, axis=1)",
    "nd.mean(x, axis=0)",
    "nd.max(x, axis=1)",
    "nd.argmax(x, axis=1)",
    "nd.where(x > 0.5, x, 0)",
    "nd.matmul(x, w)",
    "nd.sqrt(x)",
    "nd.maximum(x, 0)",
    "nd.relu(x)",
    "nd.one_hot(t, 2)",
    "net.zero_grad()",
    "net.add(nn.Dense(3))",
    "net[0].weight",
    "net[0].weight.data",
    "net[0].weight.shape",
    "net.hybridize()",
    "len(net)",
    "net[0]",
    "gluon.data.DataLoader(ds, batch_size=4, shuffle=True, num_workers=2)",
    "gluon.data.DataLoader(ds, batch_size=4, shuffle=True)",
    "gluon.data.DataLoader(ds, 4, True)",
    "gluon.data.DataLoader((x, t), batch_size=2)",
    "next(iter(loader))",
    "for i, (a, b) in enumerate(loader): pass",
    "for batch in loader: a, b = batch",
    "len(loader)",
    "ds[0]",
    "len(ds)",
    "gluon.data.random_split(ds, [2, 2])",
    "trainer.set_learning_rate(0.1)",
    "trainer.learning_rate",
    "scheduler = mx.lr_scheduler.FactorScheduler(30, 0.1)",
    "class Net(nn.Block): pass",
    "class Net(gluon.Block): pass",
    "metric.Accuracy()",
    "acc = metric.Accuracy(); acc.update(t, net(x))",
    'metric.create("accuracy")',
    "autograd.backward(loss)",
    "with autograd.record(): l = loss_fn(net(x), t)",
    "mx.gpu(0)",
    "x.asnumpy()",
    "s.item()",
    "bool(s)",
    "int(s)",
    'f"{s:.2f}"',
    'f"{loss:.3f}"',
    '"%.3f" % loss',
    "net[0].weight.grad()",
    "mx.mod.Module(mx.sym.FullyConnected(data, num_hidden=3), label_names=None)",
    "mx.io.NDArrayIter(X, labels, batch_size=2)",
    "mx.random.seed(0)",
    "mx.random.normal(shape=(2, 3))",
    "x + X",
    "x * X",
    "x.shape == (4, 3)",
    "x == X",
    "x.mean().item()",
    "nd.isnan(x)",
    "x.softmax(axis=1)",
    "x.mean(axis=(0, 1))",
    "x.mean(-1)",
    "x.sum(0)",
    "x.T @ x",
    "x.reshape(-1)",
    "x.reshape(-1, 6)",
    "x.argsort()",
    "print(net)",
    "print(x)",
    'net.save_parameters("model.params")',
    "x.tolist()",
    "opforge.summary(net, (4, 3))",
]
#: Line, and the code that its error contains.
REMEDIES = [
    ("net = nn.Sequential(nn.Linear(4, 3), nn.ReLU())", "nn.Dense(units)"),
    ("layer = nn.Linear(3, 4)", "nn.Dense(units)"),
    ("layer = nn.Conv2d(3, 16, 3)", "nn.Conv2D"),
    ("layer = nn.MaxPool2d(2)", "nn.MaxPool2D"),
    ("layer = nn.BatchNorm2d(16)", "nn.BatchNorm"),
    ("layer = nn.ReLU()", "nn.Activation('relu')"),
    ("layer = nn.Softmax(dim=1)", "nd.softmax(x)"),
    ("criterion = nn.CrossEntropyLoss()", "gluon.loss.SoftmaxCELoss()"),
    ("criterion = nn.MSELoss()", "gluon.loss.L2Loss()"),
    ("criterion = gluon.loss.CrossEntropyLoss()", "gluon.loss.SoftmaxCELoss()"),
    ("criterion = gluon.loss.MSELoss()", "gluon.loss.L2Loss()"),
    ("optimizer = mx.optim.Adam(net.parameters(), lr=1e-3)", "mx.optimizer"),
    ("optimizer = mx.optimizer.Adam(net.parameters(), lr=1e-3)", "net.collect_params()"),
    ('trainer = gluon.Trainer(net.parameters(), "adam")', "net.collect_params()"),
    ("loss.data", "x.detach()"),
    ("loss.numpy()", "x.asnumpy()"),
    ("x.numpy()", "x.asnumpy()"),
    ("x.cpu().numpy()", "x.as_in_context(mx.cpu())"),
    ('x.to("cuda")', "x.astype(dtype)"),
    ('x.to("cpu")', "x.astype(dtype)"),
    ("x.cuda()", "x.as_in_context(mx.cpu())"),
    ("x.cpu()", "x.as_in_context(mx.cpu())"),
    ("x.view(2, -1)", "x.reshape(shape)"),
    ("x.dim()", "x.ndim"),
    ("x.t()", "x.T"),
    ("x.permute(1, 0)", "x.transpose(axes)"),
    ("x.unsqueeze(0)", "x.expand_dims(axis)"),
    ("x.float()", "x.astype('float32')"),
    ("x.long()", "x.astype('int64')"),
    ("x.device", "x.context"),
    ("x.type(mx.float32)", "x.astype(dtype)"),
    ("w.requires_grad_()", "x.attach_grad()"),
    ("w.requires_grad = True", "x.attach_grad()"),
    ("x.clone()", "x.copy()"),
    ("x.clamp(0, 1)", "x.clip(low, high)"),
    ("x.matmul(w)", "x @ y"),
    ("x.dot(w)", "nd.dot(x, y)"),
    ("x.cumsum(axis=0)", "mx.np.cumsum(x.as_np_ndarray(), axis)"),
    ("x.fill_(0)", "x[:] = value"),
    ("x.numel()", "x.size"),
    ("opforge.tensor([1.0, 2.0])", "nd.array(values)"),
    ("opforge.array([1.0, 2.0])", "nd.array(values)"),
    ("opforge.zeros(2, 3)", "nd.zeros(shape)"),
    ("opforge.ones((2, 3))", "nd.ones(shape)"),
    ("opforge.randn(2, 3)", "nd.random.randn"),
    ("opforge.rand(2, 3)", "nd.random.uniform"),
    ("opforge.arange(10)", "nd.arange(n)"),
    ("opforge.from_numpy(X)", "nd.array(values)"),
    ("opforge.cat([x, x], dim=0)", "nd.concat(x, y, dim=axis)"),
    ("opforge.stack([x, x])", "nd.stack(x, y, axis=axis)"),
    ("opforge.concatenate([x, x])", "nd.concat(x, y, dim=axis)"),
    ("opforge.manual_seed(0)", "mx.random.seed(seed)"),
    ("opforge.no_grad()", "autograd.pause()"),
    ("with opforge.no_grad(): net(x)", "autograd.pause()"),
    ("with autograd.no_grad(): net(x)", "autograd.pause()"),
    ('opforge.save(net.state_dict(), "model.pt")', "nd.save(file, arrays)"),
    ("opforge.cuda.is_available()", "mx.gpu()"),
    ('opforge.device("cuda")', "mx.cpu()"),
    ("opforge.nn.Linear(3, 4)", "gluon.nn"),
    ("opforge.matmul(x, w)", "nd.dot(x, y)"),
    ("opforge.float32", "numpy.float32"),
    ("opforge.Tensor", "nd.array(values)"),
    ("opforge.nn.functional.relu(x)", "gluon.nn"),
    ("opforge.relu(x)", "nd.relu(x)"),
    ("opforge.softmax(x, dim=1)", "nd.softmax(x, axis=axis)"),
    ('opforge.einsum("ij,jk->ik", x, w)', "mx.np.einsum"),
    ("opforge.where(x > 0.5, x, 0)", "nd.where(condition, x, y)"),
    ("opforge.max(x)", "nd.max(x)"),
    ("opforge.allclose(x, x)", "numpy.allclose(x.asnumpy(), y.asnumpy())"),
    ("opforge.Sequential", "nn.Sequential"),
    ("opforge.keras.Sequential", "gluon"),
    ("opforge.Model", "gluon.HybridBlock"),
    ("opforge.layers.Dense(3)", "gluon.nn"),
    ("nd.random.rand(2, 3)", "nd.random.uniform"),
    ('net.to("cuda")', "net.cast(dtype) or net.collect_params().reset_ctx(ctx)"),
    ("net.cuda()", "net.collect_params().reset_ctx(mx.cpu())"),
    ('net.to("cuda").train()', "net.cast(dtype) or net.collect_params().reset_ctx(ctx)"),
    ("net.parameters()", "net.collect_params()"),
    ("net.named_parameters()", "net.collect_params().items()"),
    ("net.state_dict()", "net.save_parameters(file)"),
    ('net.load_state_dict(nd.load("model.params"))', "net.load_parameters(file)"),
    ('net.save_weights("model.h5")', "net.save_parameters(file)"),
    (
        'net.compile(optimizer="adam", loss="mse", metrics=["accuracy"])',
        "net.hybridize()",
    ),
    ("net.predict(X)", "net(x)"),
    ("net.append(nn.Dense(3))", "net.add(block)"),
    ("net[0].weight.requires_grad = False", "param.grad_req = 'null'"),
    ("net[0].get_weights()", "[p.data().asnumpy() for p in net.collect_params().values()]"),
    ("net.get_weights()", "[p.data().asnumpy() for p in net.collect_params().values()]"),
    ("net.weights", "net.collect_params().values()"),
    ("net.children()", "net._children.values()"),
    ("net.modules()", "net.apply(function)"),
    ("net.init_weights()", "net.initialize(mx.init.Xavier(), force_reinit=True)"),
    ("net.reset_parameters()", "net.initialize(force_reinit=True)"),
    ("net.training", "autograd.is_training()"),
    ("for name, p in net.named_parameters(): pass", "net.collect_params().items()"),
    ('optimizer.param_groups[0]["lr"] = 0.1', "trainer.set_learning_rate(lr)"),
    ("optimizer.state_dict()", "trainer.save_states(file)"),
    (
        "scheduler = mx.lr_scheduler.StepLR(optimizer, step_size=30)",
        "mx.lr_scheduler.FactorScheduler(step=n, factor=gamma)",
    ),
    ("nn.utils.clip_grad_norm_(net.parameters(), 1.0)", "gluon.utils"),
    ("nn.init.xavier_uniform_(net[0].weight)", "mx.init"),
    ("nn.functional.relu(x)", "nd.relu(x)"),
    ("nn.Module", "gluon.HybridBlock or gluon.Block"),
    ("class Net(nn.Module): pass", "gluon.HybridBlock or gluon.Block"),
    ("acc = metric.Accuracy(); acc.update_state(t, net(x))", "metric.update(labels, preds)"),
    ("acc = metric.Accuracy(); acc.update([t], [net(x)]); acc.result()", "metric.get()"),
    ("acc = metric.Accuracy(); acc.update([t], [net(x)]); acc.compute()", "metric.get()"),
    ("metric.accuracy_score(y, y)", "mx.metric.Accuracy()"),
    ("metric.F1Score()", "mx.metric.F1()"),
    ("metric.MeanSquaredError()", "gluon.loss.L2Loss()"),
    ("autograd.GradientTape()", "autograd.record()"),
    ("autograd.Variable(x)", "x.attach_grad()"),
    ("import opforge.nn as nn", "gluon.nn"),
    ("import opforge.nn.functional as F", "gluon.nn"),
    ("from opforge.utils.data import DataLoader", "gluon.utils"),
    ("from opforge.data import DataLoader", "gluon.data"),
    ("from opforge.keras import layers", "gluon"),
    ("from opforge import nn", "gluon.nn"),
    ("from opforge import tensor", "nd.array(values)"),
    ("from opforge.nn import Linear", "gluon.nn"),
    ("from opforge.models import Sequential", "gluon.model_zoo.vision"),
    ("nd.array(X, dtype=mx.float32)", "numpy.float32"),
    ("mx.seed(0)", "mx.random.seed(seed)"),
    ("mx.cuda.is_available()", "mx.gpu()"),
    ("x.ravel()", "x.reshape(-1)"),
    ("x.isnan()", "nd.contrib.isnan(x)"),
    ("x.nonzero()", "numpy.nonzero(x.asnumpy())"),
    ("x.mul(2)", "x * y"),
    ("x.add(1)", "x + y"),
    ("x.sub(1)", "x - y"),
    ("x.div(2)", "x / y"),
    ("x.pow(2)", "x ** y"),
    ("x.bool()", "x.astype('bool')"),
    ("x.int()", "x.astype('int32')"),
    ("x.eq(x)", "x == y"),
    ("x.index_select(0, t)", "nd.take(x, index, axis)"),
    ("x.masked_fill(x > 0, 0)", "nd.where(mask, value, x)"),
    ("x.minimum(0)", "nd.minimum(x, y)"),
    ("x.zero_()", "x[:] = 0"),
    ("x.detach_()", "x.detach()"),
    ('x.type("float32")', "x.astype(dtype)"),
    ("x.data", "x.detach()"),
]
#: Line, words of its error, and the line that they lead to.
CORRECTIONS = [
    ("nn.Dense(3, 4)", "in_units=3", "nn.Dense(4, in_units=3)"),
    ("nn.Dense(3, input_shape=(4,))", "called in_units here", "nn.Dense(3, in_units=4)"),
    ("nn.Dense(3, input_dim=4)", "called in_units here", "nn.Dense(3, in_units=4)"),
    ("nn.Dense(in_features=4, units=3)", "called in_units here", "nn.Dense(in_units=4, units=3)"),
    ("nn.Dense(3, bias=False)", "called use_bias here", "nn.Dense(3, use_bias=False)"),
    (
        'nn.Dense(3, kernel_initializer="zeros")',
        "called weight_initializer here",
        'nn.Dense(3, weight_initializer="zeros")',
    ),
    ("nn.Dropout(p=0.5)", "'rate'", "nn.Dropout(rate=0.5)"),
    (
        "nn.Conv2D(16, 3, input_shape=(28, 28, 1))",
        "called in_channels here",
        "nn.Conv2D(16, 3, in_channels=1)",
    ),
    (
        "nn.Conv2D(16, kernel_size=3, stride=2)",
        "called strides here",
        "nn.Conv2D(16, kernel_size=3, strides=2)",
    ),
    ('nn.Conv2D(16, 3, padding="same")', "expected an integer", "nn.Conv2D(16, 3, padding=1)"),
    ("nn.BatchNorm(num_features=16)", "called in_channels here", "nn.BatchNorm(in_channels=16)"),
    ("nn.BatchNorm(eps=1e-3)", "called epsilon here", "nn.BatchNorm(epsilon=1e-3)"),
    (
        "gluon.rnn.LSTM(4, batch_first=True)",
        "write layout='NTC'",
        "gluon.rnn.LSTM(4, layout='NTC')",
    ),
    (
        "nn.Embedding(num_embeddings=10, embedding_dim=4)",
        "'input_dim' and 'output_dim'",
        "nn.Embedding(input_dim=10, output_dim=4)",
    ),
    (
        "mx.optimizer.Adam(lr=1e-3)",
        "called learning_rate here",
        "mx.optimizer.Adam(learning_rate=1e-3)",
    ),
    (
        "mx.optimizer.SGD(net.collect_params(), lr=0.1)",
        "called learning_rate here",
        "mx.optimizer.SGD(learning_rate=0.1)",
    ),
    (
        'gluon.Trainer(net, "adam", lr=0.01)',
        "write optimizer_params={'learning_rate': lr}",
        "gluon.Trainer(net, 'adam', optimizer_params={'learning_rate': 0.01})",
    ),
    (
        'gluon.Trainer(net, "adam", weight_decay=0.01)',
        "write optimizer_params={'wd': wd}",
        "gluon.Trainer(net, 'adam', optimizer_params={'wd': 0.01})",
    ),
    (
        "gluon.data.DataLoader(ds, batch_size=4, drop_last=True)",
        "write last_batch='discard'",
        "gluon.data.DataLoader(ds, batch_size=4, last_batch='discard')",
    ),
    (
        "gluon.data.DataLoader(ds, batch_size=4, collate_fn=None)",
        "called batchify_fn here",
        "gluon.data.DataLoader(ds, batch_size=4, batchify_fn=None)",
    ),
    (
        "gluon.data.DataLoader(ds)",
        "batch_size must be specified",
        "gluon.data.DataLoader(ds, batch_size=4)",
    ),
    ("x.mean(dim=0)", "dim (it is called axis here)", "x.mean(axis=0)"),
    (
        "x.sum(axis=-1, keepdim=True)",
        "keepdim (it is called keepdims here)",
        "x.sum(axis=-1, keepdims=True)",
    ),
    ("x.argmax(dim=1)", "dim (it is called axis here)", "x.argmax(axis=1)"),
    ("nd.softmax(x, dim=1)", "dim (it is called axis here)", "nd.softmax(x, axis=1)"),
    ("nd.concat(x, x, axis=0)", "axis (it is called dim here)", "nd.concat(x, x, dim=0)"),
    (
        "nd.one_hot(t, num_classes=2)",
        "num_classes (it is called depth here)",
        "nd.one_hot(t, depth=2)",
    ),
    ("nd.random.uniform(size=(2, 3))", "called shape here", "nd.random.uniform(shape=(2, 3))"),
    ('nd.zeros((2, 3), device="cpu")', "called ctx here", "nd.zeros((2, 3), ctx=mx.cpu())"),
    ("nd.zeros((2, 3), requires_grad=True)", "write x.attach_grad()", "x.attach_grad()"),
    (
        "loss_fn(net(x), t).backward()",
        "use autograd.record()",
        "with autograd.record(): l = loss_fn(net(x), t)",
    ),
    ("opt.zero_grad()", "not needed: gradients are overwritten", ""),
    ("opt.step()", "'batch_size'", "loss.backward(); opt.step(batch_size=4)"),
    ("net(X)", "pass nd.array(x)", "net(nd.array(X))"),
    ("net.eval()", "not needed: a block predicts", ""),
    ("net.train()", "not needed: a block trains", ""),
    ("net.summary()", "net.summary(x), or mx.summary(net, shape)", "net.summary(x)"),
    (
        "net.fit(X, labels, epochs=2)",
        ".Estimator(net, loss).fit(x, y, epochs=n)",
        "Estimator(net, loss_fn, trainer=trainer).fit(X, labels, epochs=2)",
    ),
    (
        "net.evaluate(X, labels)",
        ".evaluate((x, y))",
        "Estimator(net, loss_fn, trainer=trainer).evaluate((X, labels))",
    ),
    (
        "Estimator(net, loss_fn, trainer=trainer).fit(X, labels)",
        "epochs or of batches",
        "Estimator(net, loss_fn, trainer=trainer).fit(X, labels, epochs=1)",
    ),
    ("net.layers", "list(net)", "list(net)"),
    ("x.contiguous()", "not needed: arrays are contiguous", ""),
    ("x.expand(4, 3)", "x.broadcast_to(shape)", "x.broadcast_to((4, 3))"),
    ("x.as_in_context(mx.gpu())", "use cpu()", "x.as_in_context(mx.cpu())"),
    (
        "nn.Parameter(x)",
        "self.params.get(name, shape=shape)",
        'net.params.get("name", shape=(4, 3))',
    ),
    (
        'net.register_buffer("a", x)',
        "self.params.get_constant(name, value)",
        'net.params.get_constant("a", x)',
    ),
]


@pytest.fixture
def space(tmp_path, monkeypatch):
    """Return the names of a reader's program, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(SETUP, names)
    yield names
    names.clear()
    gc.collect()  # blocks and their parameters refer to each other


def run(line, space):
    with contextlib.redirect_stdout(io.StringIO()):
        exec(line, space)


def error_of(line, space):
    with pytest.raises(Exception) as caught:
        run(line, space)
    return str(caught.value)


def test_there_are_150_lines():
    lines = [*WORKS, *(row[0] for row in (*REMEDIES, *CORRECTIONS))]
    assert len(lines) == len(set(lines)) >= 150


@pytest.mark.parametrize("line", WORKS)
def test_lines_that_work(line, space):
    run(line, space)


@pytest.mark.parametrize(("line", "remedy"), REMEDIES)
def test_remedies_work_when_pasted(line, remedy, space):
    assert remedy in error_of(line, space)
    space["uses_product"] = " @ " in remedy or "dot" in remedy
    run(READER, space)
    run(remedy, space)


@pytest.mark.parametrize(("line", "words", "corrected"), CORRECTIONS)
def test_lines_corrected_as_the_error_suggests(line, words, corrected, space):
    assert words in error_of(line, space)
    run(corrected, space)
