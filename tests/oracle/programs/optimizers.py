"""Twenty-five steps of each optimizer with each of its settings."""

import logging
import warnings

import optimizers


def run(mx, request, folder):
    """Return the weights of each training, or the name of the error that ended it."""
    logging.disable(logging.INFO)
    warnings.simplefilter("ignore")
    found = {}
    for kind, settings in optimizers.SETTINGS.items():
        for name, arguments in settings.items():
            for form in optimizers.FORMS:
                found[f"{kind}: {name}: {form}"] = _train(mx, kind, arguments, form)
    return found


def _train(mx, kind, arguments, form):
    try:
        return optimizers.train(mx, kind, arguments, form)
    except Exception as error:
        return f"{type(error).__name__}: {error}".split("\n", 1)[0]
