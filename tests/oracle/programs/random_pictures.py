"""Random augmentations of the images in a record file: pixels and labels of many draws."""

import os

import numpy as np


def run(mx, request, folder):
    path = os.path.join(folder, "pictures.rec")
    for number, (name, settings) in enumerate(request["settings"]):
        found = draws(mx, path, name, settings, request["epochs"])
        np.save(os.path.join(folder, f"{number}.npy"), found)


def draws(mx, path, name, settings, epochs):
    """Return a row for each image of some epochs: pixels at five positions, and the labels."""
    batches = getattr(mx.io, name)(
        path_imgrec=path,
        batch_size=40,
        preprocess_threads=1,
        verbose=False,
        seed=3,
        **settings,
    )
    found = []
    for _ in range(epochs):
        for batch in batches:
            data, label = batch.data[0].asnumpy(), batch.label[0].asnumpy()
            last = data.shape[2] - 1
            places = [(0, 0), (0, last), (last, 0), (last, last), (last // 2, last // 3)]
            pixels = [data[:, :, row, column] for row, column in places]
            found.append(np.concatenate([*pixels, label.reshape(len(label), -1)], axis=1))
        batches.reset()
    return np.concatenate(found)
