"""Weights after each update, for every optimizer and setting of `updates`."""

import updates


def run(mx, request, folder):
    """Return for each optimizer what every case gives."""
    return {
        name: [updates.train(mx, name, *case) for case in updates.cases(name, count)]
        for name, count in request.items()
    }
