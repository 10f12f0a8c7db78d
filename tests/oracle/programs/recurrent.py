"""Results of recurrent layers and cells in MXNet: an array file for each program."""

import os

import numpy as np
import recurrent


def run(mx, request, folder):
    """Write ``N.npz`` for program N of the request."""
    for at, name in enumerate(request):
        np.savez(os.path.join(folder, f"{at}.npz"), **recurrent.run(mx, name))
