"""Tag the words of sentences with Keras."""

import data
import keras
from keras import layers

keras.utils.set_random_seed(0)
x_train, x_test, y_train, y_test = data.sentences()
model = keras.Sequential(
    [
        layers.Embedding(data.WORDS, 32, mask_zero=True),
        layers.Bidirectional(layers.LSTM(64, return_sequences=True)),
        layers.Dense(3),
    ]
)
model.compile(
    optimizer=keras.optimizers.Adam(0.005),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=data.PADDING),
    weighted_metrics=["accuracy"],  # the mask of the embedding is the weight
)
with data.timed():
    model.fit(x_train, y_train, batch_size=64, epochs=5, validation_data=(x_test, y_test))
_, accuracy = model.evaluate(x_test, y_test, verbose=0)
print(f"test accuracy: {accuracy:.4f}")
