"""Twenty-five updates of one weight by every optimizer under random settings, for both sides."""

import numpy as np

STEPS = 25
#: Optimizer -> settings of its own to choose from; None leaves a setting out.
OWN = {
    "sgd": {"momentum": (None, 0.5, 0.9), "lazy_update": (None, True, False)},
    "nag": {"momentum": (None, 0.5, 0.9)},
    "adam": {
        "beta1": (None, 0.5),
        "beta2": (None, 0.9),
        "epsilon": (None, 1e-3),
        "lazy_update": (None, True, False),
    },
    "rmsprop": {
        "gamma1": (None, 0.5),
        "gamma2": (None, 0.5),
        "centered": (None, True),
        "clip_weights": (None, 1.0),
    },
    "adagrad": {"eps": (None, 1e-3)},
    "adadelta": {"rho": (None, 0.5), "epsilon": (None, 1e-3)},
    "lbsgd": {
        "momentum": (None, 0.9),
        "warmup_strategy": (None, "linear", "power2", "sqrt", "lars"),
        "batch_scale": (None, 2),
        "warmup_epochs": (None, 1),
        "updates_per_epoch": (None, 4),
    },
}
#: Settings of every optimizer.
COMMON = {
    "learning_rate": (0.01, 0.1),
    "wd": (None, 0.01, 0.1),
    "clip_gradient": (None, 0.5, 5.0),
    "rescale_grad": (None, 0.25),
}


def cases(name, count):
    """Return the settings, storage and type of `count` trainings of an optimizer."""
    rng = np.random.RandomState(sum(map(ord, name)))
    found = []
    for number in range(count):
        settings = {}
        for key, choices in sorted({**COMMON, **OWN[name]}.items()):
            value = choices[rng.randint(len(choices))]
            if value is not None:
                settings[key] = value
        # MXNet's LBSGD fails on float16 with momentum. Three have no sparse rule of their own.
        is_half = number % 5 == 4 and name != "lbsgd"
        if is_half:
            settings["multi_precision"] = True
        is_sparse = number % 3 == 2 and name not in ("lbsgd", "adadelta", "adagrad") and not is_half
        found.append((settings, "row_sparse" if is_sparse else "default", is_half))
    return found


def train(mx, name, settings, stype, is_half):
    """Return the weight after every step."""
    rng = np.random.RandomState(1)
    dtype = "float16" if is_half else "float32"
    update = mx.optimizer.get_updater(mx.optimizer.create(name, **settings))
    weight, seen = mx.nd.array(rng.normal(size=(4, 3)), dtype=dtype), []
    for _ in range(STEPS):
        values = rng.normal(scale=3.0, size=(4, 3))
        if stype == "row_sparse":
            values[rng.randint(4)] = 0
        gradient = mx.nd.array(values, dtype=dtype).tostype(stype)
        update(0, gradient, weight)
        seen.append(weight.asnumpy().astype("float32").tolist())
    return seen
