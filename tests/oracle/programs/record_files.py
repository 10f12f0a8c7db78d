"""Record files: read one batch with each setting, and write a file of given records."""

import os

import numpy as np


def run(mx, request, folder):
    path = os.path.join(folder, "given.rec")
    for number, settings in enumerate(request["settings"]):
        np.save(os.path.join(folder, f"{number}.npy"), read(mx, path, settings))
    for number, settings in enumerate(request["detection"]):
        data, label = read_objects(mx, os.path.join(folder, "objects.rec"), settings)
        np.savez(os.path.join(folder, f"objects{number}.npz"), data=data, label=label)
    writer = mx.recordio.MXIndexedRecordIO(
        os.path.join(folder, "written.idx"), os.path.join(folder, "written.rec"), "w"
    )
    for number, record in enumerate(request["records"]):
        writer.write_idx(number, bytes.fromhex(record))
    writer.close()


def read(mx, path, settings):
    """Return the data of a file's first batch."""
    batches = mx.io.ImageRecordIter(
        path_imgrec=path, batch_size=4, preprocess_threads=1, verbose=False, **settings
    )
    return batches.next().data[0].asnumpy()


def read_objects(mx, path, settings):
    """Return data and label of the first batch of a file with objects."""
    batches = mx.io.ImageDetRecordIter(
        path_imgrec=path, batch_size=4, preprocess_threads=1, verbose=False, **settings
    )
    batch = batches.next()
    return batch.data[0].asnumpy(), batch.label[0].asnumpy()
