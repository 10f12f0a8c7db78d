"""A training whose states are saved halfway, to be continued by the other library."""

import os

import states


def run(mx, request, folder):
    """Train, save states and weight, continue; return the weight at the end of each training."""
    found = {}
    for name in request:
        trainer, weight = states.made(mx, name)
        states.train(mx, trainer, weight, 3)
        trainer.save_states(os.path.join(folder, name + ".states"))
        mx.nd.save(os.path.join(folder, name + ".params"), [weight.data()])
        states.train(mx, trainer, weight, 4)
        found[name] = weight.data().asnumpy().tolist()
    return found
