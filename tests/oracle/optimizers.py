"""Twenty settings of each optimizer and the trainings they run, the same for opforge and MXNet."""

import numpy as np

STEPS = 25
SHAPE = (6, 3)
#: Steps after which weights are compared.
SEEN = (1, 2, 3, 8, STEPS)

CLIP = {"clip_gradient": 0.7}
RESCALED = {"rescale_grad": 0.25}
DECAY = {"wd": 0.1}

#: Settings that every optimizer has.
COMMON = {
    "default": {},
    "rate": {"learning_rate": 0.3},
    "decay": DECAY,
    "clip": CLIP,
    "clip zero": {"clip_gradient": 0.0},
    "clip below zero": {"clip_gradient": -1.0, "wd": 0.01},
    "rescaled": RESCALED,
    "all": {"learning_rate": 0.05, **DECAY, **CLIP, **RESCALED},
    "begun": {"learning_rate": 0.2, "begin_num_update": 7, **DECAY},
    "scheduler": {"lr_scheduler": ("FactorScheduler", {"step": 4, "factor": 0.6, "base_lr": 0.3})},
    "cosine": {"lr_scheduler": ("CosineScheduler", {"max_update": 20, "base_lr": 0.2}), **DECAY},
}

ALL = COMMON["all"]
_MOMENTUM = {
    "momentum": {"momentum": 0.9},
    "momentum, decay": {"learning_rate": 0.1, "momentum": 0.5, **DECAY},
    "momentum, clip": {"learning_rate": 0.1, "momentum": 0.9, **CLIP},
    "momentum, all": {"learning_rate": 0.1, "momentum": 0.5, **DECAY, **CLIP, **RESCALED},
    "momentum, cosine": {"momentum": 0.9, **COMMON["cosine"]},
    "momentum, rescaled": {"learning_rate": 0.1, "momentum": 0.7, **RESCALED},
    "momentum of one": {"learning_rate": 0.01, "momentum": 1.0},
    "momentum below zero": {"learning_rate": 0.1, "momentum": -0.5, **DECAY},
}
_LAZY = {
    "eager rows": {"momentum": 0.9, "lazy_update": False},
    "eager rows, decay": {"learning_rate": 0.1, "lazy_update": False, **DECAY},
}

#: Optimizer -> name of a setting -> its arguments, twenty or more of each.
SETTINGS = {
    "sgd": {
        **COMMON,
        **_MOMENTUM,
        **_LAZY,
        "eager rows, all": {**_MOMENTUM["momentum, all"], "lazy_update": False},
    },
    "nag": {
        **COMMON,
        **_MOMENTUM,
        "the figures": {"learning_rate": 0.1, "momentum": 0.5, "wd": 0.1, "clip_gradient": 5.0},
    },
    "adam": {
        **COMMON,
        "beta1": {"beta1": 0.5, "learning_rate": 0.05},
        "beta2": {"beta2": 0.9, "learning_rate": 0.05},
        "betas of zero": {"beta1": 0.0, "beta2": 0.0, "learning_rate": 0.05},
        "epsilon": {"epsilon": 0.1, "learning_rate": 0.05},
        "epsilon of zero": {"epsilon": 0.0, "learning_rate": 0.05, **DECAY},
        "eager rows": {"lazy_update": False, "learning_rate": 0.05},
        "eager rows, decay": {"lazy_update": False, "learning_rate": 0.05, **DECAY},
        "eager rows, all": {"lazy_update": False, **COMMON["all"]},
        "large rate, clip": {"learning_rate": 1.0, **CLIP},
    },
    "rmsprop": {
        **COMMON,
        "gamma1": {"gamma1": 0.5, "learning_rate": 0.01},
        "epsilon": {"epsilon": 0.1, "learning_rate": 0.05},
        "bounded": {"clip_weights": 0.5, "learning_rate": 0.05},
        "bounded, all": {"clip_weights": 1.0, **COMMON["all"]},
        "centered": {"centered": True},
        "centered, decay": {"centered": True, "learning_rate": 0.01, **DECAY},
        "centered, gammas": {"centered": True, "gamma1": 0.95, "gamma2": 0.5},
        "centered, bounded": {"centered": True, "clip_weights": 0.8, "learning_rate": 0.05},
        "centered, all": {"centered": True, "epsilon": 1e-3, **COMMON["all"]},
    },
    "adagrad": {
        **COMMON,
        **{f"eps {eps}": {"eps": eps, "learning_rate": 0.1} for eps in (1e-3, 0.1, 1.0)},
        **{f"eps {eps}, all": {"eps": eps, **COMMON["all"]} for eps in (1e-5, 0.01)},
        "large rate": {"learning_rate": 2.0},
        "large rate, decay": {"learning_rate": 1.0, **DECAY},
        "clip, decay": {"learning_rate": 0.1, **CLIP, **DECAY},
        "rescaled, decay": {"learning_rate": 0.1, **RESCALED, **DECAY},
    },
    "adadelta": {
        **COMMON,
        **{f"rho {rho}": {"rho": rho} for rho in (0.0, 0.5, 0.99)},
        **{f"rho {rho}, decay": {"rho": rho, "wd": 0.01} for rho in (0.5, 0.95)},
        **{f"epsilon {eps}": {"epsilon": eps} for eps in (1e-8, 1e-2)},
        "epsilon, all": {"epsilon": 1e-3, **COMMON["all"]},
        "clip, decay": {**CLIP, **DECAY},
    },
    "lbsgd": {
        **COMMON,
        **_MOMENTUM,
        "large batch": {"batch_scale": 4, "warmup_epochs": 1, "updates_per_epoch": 8},
        **{
            f"large batch, {name}": {
                "batch_scale": 2,
                "warmup_strategy": name,
                "updates_per_epoch": 4,
                "momentum": 0.9,
                **DECAY,
            }
            for name in ("linear", "power2", "sqrt", "lars")
        },
        "resumed": {"batch_scale": 3, "begin_epoch": 2, "updates_per_epoch": 5},
    },
    "adamax": {
        **COMMON,
        **{f"beta1 {beta}": {"beta1": beta, "learning_rate": 0.05} for beta in (0.0, 0.5, 0.99)},
        **{f"beta2 {beta}": {"beta2": beta, "learning_rate": 0.05} for beta in (0.5, 0.9)},
        **{f"betas {beta}, all": {"beta1": beta, "beta2": beta, **ALL} for beta in (0.5, 0.8)},
        "large rate, clip": {"learning_rate": 1.0, **CLIP},
        "large rate, decay": {"learning_rate": 0.5, **DECAY},
    },
    "nadam": {
        **COMMON,
        **{f"beta1 {beta}": {"beta1": beta, "learning_rate": 0.05} for beta in (0.1, 0.5, 0.99)},
        "beta2": {"beta2": 0.9, "learning_rate": 0.05},
        **{f"epsilon {eps}": {"epsilon": eps, "learning_rate": 0.05} for eps in (0.0, 0.1)},
        **{f"schedule {s}, all": {"schedule_decay": s, **ALL} for s in (0.0, 0.1, 1.0)},
        "large rate, clip": {"learning_rate": 1.0, **CLIP},
    },
    "ftml": {
        **COMMON,
        **{f"beta1 {beta}": {"beta1": beta, "learning_rate": 0.05} for beta in (0.1, 0.9)},
        **{f"beta2 {beta}": {"beta2": beta, "learning_rate": 0.05} for beta in (0.5, 0.9)},
        **{f"epsilon {eps}": {"epsilon": eps, "learning_rate": 0.05} for eps in (1e-4, 0.1)},
        **{f"betas {beta}, all": {"beta1": beta, "beta2": beta, **ALL} for beta in (0.5, 0.8)},
        "large rate, clip": {"learning_rate": 1.0, **CLIP},
    },
    "ftrl": {
        **COMMON,
        **{f"lamda1 {value}": {"lamda1": value} for value in (0.0, 0.5, 2.0, 20.0)},
        **{f"beta {value}": {"beta": value} for value in (0.1, 5.0)},
        **{f"lamda1 {value}, all": {"lamda1": value, **ALL} for value in (0.1, 1.0)},
        "large rate, decay": {"learning_rate": 1.0, **DECAY},
    },
    "lamb": {
        **COMMON,
        **{f"beta1 {beta}": {"beta1": beta, "learning_rate": 0.05} for beta in (0.0, 0.5)},
        "beta2": {"beta2": 0.9, "learning_rate": 0.05},
        "epsilon": {"epsilon": 0.1, "learning_rate": 0.05},
        "biased": {"bias_correction": False, "learning_rate": 0.05},
        "biased, all": {"bias_correction": False, **ALL},
        "lower bound": {"lower_bound": 10.0, "learning_rate": 0.05},
        "upper bound": {"upper_bound": 1.0, "learning_rate": 0.05},
        "bounds, all": {"lower_bound": 1.0, "upper_bound": 2.0, **ALL},
        "bounds of zero": {"lower_bound": 0.0, "upper_bound": 0.0, "learning_rate": 0.05},
    },
    "lars": {
        **COMMON,
        **_MOMENTUM,
        **{f"eta {eta}": {"eta": eta, "learning_rate": 0.1} for eta in (0.1, 1.0)},
        "eps": {"eps": 0.1, "eta": 0.5, "learning_rate": 0.1},
        "eta, momentum, all": {"eta": 0.5, "momentum": 0.9, **ALL},
        "eta, momentum, scheduler": {"eta": 0.5, "momentum": 0.9, **COMMON["scheduler"]},
        "kept momentum": {
            "eta": 0.5,
            "momentum": 0.9,
            "momentum_correction": False,
            **COMMON["scheduler"],
        },
    },
    "signum": {
        **COMMON,
        **_MOMENTUM,
        "no momentum": {"momentum": 0.0},
        "no momentum, all": {"momentum": 0.0, **ALL},
        "decoupled decay": {"wd_lh": 0.1, "learning_rate": 0.05},
        "decoupled decay, all": {"wd_lh": 0.1, **ALL},
    },
    "dcasgd": {
        **COMMON,
        **{f"lamda {value}": {"lamda": value} for value in (0.0, 0.2, 0.5)},
        **{f"lamda {value}, all": {"lamda": value, **ALL} for value in (0.1, 0.3, 0.5)},
        "rate, decay": {"learning_rate": 0.1, **DECAY},
        "rate, clip": {"learning_rate": 0.1, **CLIP},
        "rate, rescaled": {"learning_rate": 0.1, **RESCALED},
    },
    "ccsgd": {**COMMON, **_MOMENTUM, **_LAZY},
    "groupadagrad": {
        **{name: made for name, made in COMMON.items() if not made.get("wd")},
        **{f"eps {eps}": {"eps": eps, "learning_rate": 0.1} for eps in (1e-8, 1e-3, 0.1, 1.0)},
        **{f"rate {rate}": {"learning_rate": rate} for rate in (0.1, 0.5, 2.0)},
        **{f"eps {eps}, clip": {"eps": eps, **CLIP} for eps in (1e-5, 0.01)},
        **{f"eps {eps}, rescaled": {"eps": eps, **RESCALED} for eps in (1e-5, 0.01)},
        **{
            f"rate {rate}, clip, rescaled": {"learning_rate": rate, **CLIP, **RESCALED}
            for rate in (0.1, 1.0)
        },
        "scheduler, clip": {**COMMON["scheduler"], **CLIP},
    },
}

#: Storage types of weight and gradient, and the element type.
FORMS = {
    "dense": ("default", "default", "float32"),
    "float64": ("default", "default", "float64"),
    "float16 copies": ("default", "default", "float16"),
    "rows": ("default", "row_sparse", "float32"),
    "rows of rows": ("row_sparse", "row_sparse", "float32"),
}


def train(mx, kind, settings, form):
    """Return the weights after the steps `SEEN`, as one list of numbers for each."""
    weight_storage, gradient_storage, dtype = FORMS[form]
    settings = dict(settings)
    if dtype == "float16":
        settings["multi_precision"] = True
    if "lr_scheduler" in settings:
        name, arguments = settings["lr_scheduler"]
        settings["lr_scheduler"] = getattr(mx.lr_scheduler, name)(**arguments)
    updater = mx.optimizer.get_updater(mx.optimizer.create(kind, **settings))
    rng = np.random.RandomState(5)
    weight = mx.nd.array(rng.normal(size=SHAPE), dtype=dtype).tostype(weight_storage)
    seen = []
    for step in range(1, STEPS + 1):
        gradient = rng.normal(size=SHAPE) * 2
        if gradient_storage == "row_sparse":
            gradient[rng.uniform(size=SHAPE[0]) < 0.5] = 0
        gradient = mx.nd.array(gradient, dtype=dtype).tostype(gradient_storage)
        updater(0, gradient, weight)
        if step in SEEN:
            seen.append(weight.asnumpy().astype("float64").ravel().tolist())
    return seen
