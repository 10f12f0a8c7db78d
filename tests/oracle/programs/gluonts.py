"""A forecasting network of GluonTS: its loss, its gradients, and its loss after a step.

The batch is that of its own data loader, drawn by NumPy. Networks without random draws predict too.
"""

import os

import numpy as np

from .packages import make_importable
from .ways import each_way, flat, gradients, keep_all, named

HORIZON, LENGTH = 6, 80


def run(mx, request, folder):
    """Write the results of each requested mode to MODE.npz; return parameters' names."""
    make_importable("gluonts", request["root"], folder)
    if request["model"] == "wavenet":  # MXNet cannot read its gradients in the layout of oneDNN,
        os.environ["MXNET_MKLDNN_ENABLED"] = "0"  # without which its recurrent layers fail
    estimator, series = ESTIMATORS[request["model"]]()
    transformation = estimator.create_transformation()

    def build():
        np.random.seed(1)
        mx.random.seed(1)
        net = estimator.create_training_network()
        data = transformation.apply(series, is_train=True)
        batch = next(iter(estimator.create_training_data_loader(data)))
        return net, batch

    def draw(net, batch):
        net.initialize(mx.init.Uniform(0.2))
        net(*inputs(net, batch))

    def look(net, batch):
        keep_all(mx, net)
        found = trained(mx, net, inputs(net, batch))
        if request["predicts"]:
            predictor = estimator.create_predictor(transformation, net)
            forecasts = [forecast_values(one) for one in predictor.predict(series)]
            found.update(named("forecast", [mx.nd.array(one) for one in forecasts]))
        return found

    return each_way(mx, request, folder, build, draw, look)


def inputs(net, batch):
    """Return the arrays of a batch that the network takes."""
    from gluonts.mx.util import get_hybrid_forward_input_names

    return [batch[name] for name in get_hybrid_forward_input_names(type(net))]


def trained(mx, net, arrays):
    """Return loss and gradients of a step, and the loss after it."""
    trainer = mx.gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 2**-8})
    with mx.autograd.record():
        loss = flat(net(*arrays))[0]
        total = loss.mean()
    total.backward()
    result = {"loss": loss, **gradients(net._collect_params_with_prefix())}
    result = {name: array.copy() for name, array in result.items()}
    trainer.step(1, ignore_stale_grad=True)
    with mx.autograd.train_mode():
        return {**result, "after": flat(net(*arrays))[0]}


def forecast_values(forecast):
    """Return the numbers of a forecast that draws none: its quantiles, or its only samples."""
    return forecast.samples if hasattr(forecast, "samples") else forecast.forecast_array


def univariate():
    from gluonts.dataset.common import ListDataset

    return ListDataset(list(rows(5)), freq="D")


def multivariate():
    from gluonts.dataset.common import ListDataset

    target = np.stack([row["target"] for row in rows(3)])
    return ListDataset([{"start": "2020-01-01", "target": target}], "D", one_dim_target=False)


def rows(count):
    rng = np.random.RandomState(0)
    for index in range(count):
        wave = 10 + 3 * np.sin(np.arange(LENGTH) * np.pi / 6 + index)
        noise = rng.normal(0, 0.3, LENGTH)
        yield {
            "start": "2020-01-01",
            "target": (wave + noise).astype("float32"),
            "feat_static_cat": [index % 2],
        }


def trainer():
    from gluonts.mx import Trainer

    return Trainer(ctx="cpu", epochs=1, num_batches_per_epoch=2)


def estimator(module, name, series=univariate, **settings):
    def build():
        from importlib import import_module

        kind = getattr(import_module("gluonts.model." + module), name)
        return kind(prediction_length=HORIZON, trainer=trainer(), **settings), series()

    return build


ESTIMATORS = {
    "feedforward": estimator("simple_feedforward", "SimpleFeedForwardEstimator"),
    "deepar": estimator("deepar", "DeepAREstimator", freq="D", dropout_rate=0.0),
    "transformer": estimator("transformer", "TransformerEstimator", freq="D", dropout_rate=0.0),
    "wavenet": estimator("wavenet", "WaveNetEstimator", freq="D", n_residue=6, n_skip=8),
    "mqcnn": estimator("seq2seq", "MQCNNEstimator", freq="D"),
    "mqrnn": estimator("seq2seq", "MQRNNEstimator", freq="D"),
    "tft": estimator("tft", "TemporalFusionTransformerEstimator", freq="D", dropout_rate=0.0),
    "deepstate": estimator(
        "deepstate",
        "DeepStateEstimator",
        freq="D",
        cardinality=[2],
        use_feat_static_cat=True,
        past_length=20,
        dropout_rate=0.0,
    ),
    "gpvar": estimator(
        "gpvar", "GPVAREstimator", multivariate, freq="D", target_dim=3, dropout_rate=0.0
    ),
    "deepvar": estimator(
        "deepvar", "DeepVAREstimator", multivariate, freq="D", target_dim=3, dropout_rate=0.0
    ),
    "nbeats": estimator("n_beats", "NBEATSEstimator", freq="D", num_stacks=3, widths=[16]),
    "canonical": estimator(
        "canonical",
        "CanonicalRNNEstimator",
        freq="D",
        context_length=12,
        cardinality=[2],
        num_layers=1,
        num_cells=8,
        cell_type="lstm",
    ),
    "gaussian process": estimator(
        "gp_forecaster", "GaussianProcessEstimator", freq="D", cardinality=5
    ),
    "lstnet": estimator(
        "lstnet",
        "LSTNetEstimator",
        multivariate,
        context_length=24,
        num_series=3,
        ar_window=8,
        channels=6,
        skip_size=3,
        dropout_rate=0.0,
    ),
    "deep factor": estimator("deep_factor", "DeepFactorEstimator", freq="D", cardinality=[5]),
}
