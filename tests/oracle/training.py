"""One training with Module, the same program for opforge and MXNet."""


def fit(mx, symbol, request, data, start):
    """Train from the parameters in the file `start`; return each epoch's metrics and the module."""
    saved = mx.nd.load(start)
    parameters = {key.split(":", 1)[1]: value for key, value in saved.items()}
    iterator = mx.io.NDArrayIter(data["x"], data["y"], request["batch_size"])
    module = mx.mod.Module(symbol, context=mx.cpu())
    metric = mx.metric.create(["ce", "acc"])
    curve = []
    module.fit(
        iterator,
        eval_metric=metric,
        arg_params=parameters,
        aux_params={},
        optimizer=request["optimizer"],
        optimizer_params=tuple(sorted(request["optimizer_params"].items())),
        num_epoch=request["epochs"],
        epoch_end_callback=lambda *_: curve.append([float(v) for _, v in metric.get_name_value()]),
    )
    return curve, module
