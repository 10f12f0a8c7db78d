"""A training that continues with states which the other library saved."""

import os

import states


def run(mx, request, folder):
    """Load states and weight, and continue; return the weight at the end of each training."""
    found = {}
    for name in request:
        trainer, weight = states.made(mx, name)
        weight.set_data(mx.nd.load(os.path.join(folder, name + ".params"))[0])
        trainer.load_states(os.path.join(folder, name + ".states"))
        states.train(mx, trainer, weight, 4)
        found[name] = weight.data().asnumpy().tolist()
    return found
