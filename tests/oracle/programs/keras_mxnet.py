"""A network of keras-mxnet: losses of four steps of training, and predictions after them."""

import collections
import collections.abc
import os

import numpy as np

from .packages import make_importable

BATCH = 16


def run(mx, request, folder):
    """Return the losses, and write the predictions to a file."""
    make_importable("keras", request["root"], folder)
    os.environ["KERAS_BACKEND"] = "mxnet"
    for name in collections.abc.__all__:  # keras-mxnet is older than Python 3.10
        if not hasattr(collections, name):
            setattr(collections, name, getattr(collections.abc, name))
    rng = np.random.RandomState(1)
    model, data, labels, loss = MODELS[request["model"]](rng)
    model.compile(request["optimizer"], loss)
    shapes = [one.shape for one in model.get_weights()]
    pairs = zip([v for layer in model.layers for v in layer.weights], shapes, strict=True)
    model.set_weights([initial(variable.name, shape, rng) for variable, shape in pairs])
    losses = [float(model.train_on_batch(data, labels)) for _ in range(4)]
    np.save(os.path.join(folder, request["name"]), model.predict(data))
    return losses


def initial(name, shape, rng):
    """Return the first value of a weight, or of a moving average."""
    return np.ones(shape) if "variance" in name else rng.uniform(-0.3, 0.3, shape)


def convolutional(rng):
    from keras import layers
    from keras.models import Sequential

    model = Sequential(
        [
            layers.Conv2D(4, 3, activation="relu", input_shape=(8, 8, 3)),
            layers.BatchNormalization(),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(3, activation="softmax"),
        ]
    )
    return model, images(rng), np.eye(3)[rng.randint(0, 3, BATCH)], "categorical_crossentropy"


def separable(rng):
    from keras import layers
    from keras.models import Sequential

    model = Sequential(
        [
            layers.SeparableConv2D(6, 3, padding="same", input_shape=(8, 8, 3)),
            layers.PReLU(),
            layers.Conv2DTranspose(4, 3, strides=2),
            layers.LeakyReLU(),
            layers.GlobalAveragePooling2D(),
            layers.Dense(3, activation="sigmoid"),
        ]
    )
    return model, images(rng), np.eye(3)[rng.randint(0, 3, BATCH)], "binary_crossentropy"


def images(rng):
    return rng.rand(BATCH, 8, 8, 3).astype("float32")


def recurrent(cell):
    def build(rng):
        from keras import layers
        from keras.models import Sequential

        kind = getattr(layers, cell)
        model = Sequential(
            [
                layers.Embedding(10, 4, input_length=5),
                layers.Bidirectional(kind(6, return_sequences=True)),
                kind(5),
                layers.Dense(1),
            ]
        )
        return model, rng.randint(0, 10, (BATCH, 5)), rng.rand(BATCH, 1), "mse"

    return build


MODELS = {
    "convolutional": convolutional,
    "separable": separable,
    "LSTM": recurrent("LSTM"),
    "GRU": recurrent("GRU"),
    "SimpleRNN": recurrent("SimpleRNN"),
}
