"""One training of one weight with Trainer, the same program for opforge and MXNet."""

RATE = {"learning_rate": 0.1}
MOMENTUM = dict(RATE, momentum=0.9)
HALF = {"multi_precision": True}

#: Name -> optimizer, its settings, and the scheduler with its arguments, or None.
TRAININGS = {
    "sgd": ("sgd", MOMENTUM, None),
    "sgd_half": ("sgd", dict(MOMENTUM, **HALF), None),
    "sgd_half_without_momentum": ("sgd", dict(RATE, **HALF), None),
    "nag_half": ("nag", dict(MOMENTUM, **HALF), None),
    "adam": ("adam", RATE, None),
    "adam_half": ("adam", dict(RATE, **HALF), None),
    "rmsprop": ("rmsprop", RATE, None),
    "rmsprop_centered": ("rmsprop", dict(RATE, centered=True), None),
    "adagrad": ("adagrad", dict(RATE, clip_gradient=1.0, wd=0.1), None),
    "factor": ("sgd", {}, ("FactorScheduler", {"step": 2, "factor": 0.5})),
    "several": ("sgd", {}, ("MultiFactorScheduler", {"step": [2, 4], "warmup_steps": 2})),
    "poly": ("sgd", {}, ("PolyScheduler", {"max_update": 20})),
    "cosine": ("sgd", {}, ("CosineScheduler", {"max_update": 20})),
}


def made(mx, name):
    """Return the trainer and its parameter."""
    optimizer, settings, scheduler = TRAININGS[name]
    settings = dict(settings)
    if scheduler is not None:
        kind, arguments = scheduler
        settings["lr_scheduler"] = getattr(mx.lr_scheduler, kind)(base_lr=0.2, **arguments)
    params = mx.gluon.ParameterDict()
    dtype = "float16" if "half" in name else "float32"
    weight = params.get("w", shape=(3,), dtype=dtype, init="ones")
    params.initialize()
    return mx.gluon.Trainer(params, optimizer, settings), weight


def train(mx, trainer, weight, n):
    """Take steps towards the minimum of least squares."""
    for _ in range(n):
        with mx.autograd.record():
            loss = (weight.data() * weight.data()).sum()
        loss.backward()
        trainer.step(1)
