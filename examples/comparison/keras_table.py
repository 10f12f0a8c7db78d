"""Classify the rows of a table with Keras."""

import data
import keras
from keras import layers

keras.utils.set_random_seed(0)
x_train, x_test, y_train, y_test = data.table()
scale = layers.Normalization()
scale.adapt(x_train)
model = keras.Sequential(
    [
        scale,
        layers.Dense(128, activation="relu"),
        layers.Dense(64, activation="relu"),
        layers.Dense(7),
    ]
)
model.compile(
    optimizer=keras.optimizers.Adam(0.001),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
with data.timed():
    model.fit(x_train, y_train, batch_size=128, epochs=10, validation_split=0.1)
_, accuracy = model.evaluate(x_test, y_test, verbose=0)
print(f"test accuracy: {accuracy:.4f}")
