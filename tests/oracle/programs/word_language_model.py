"""examples/word_language_model.py: the perplexity of each batch, including validation.

The first run in a folder draws the parameters, the second reads them.
"""

import math
import os

from .examples import load, start


def run(mx, arguments, folder):
    example = load(mx, "word_language_model")
    path = os.path.join(folder, "start.params")
    perplexities = []

    def beginning_alike(model):
        class Model(model):
            def initialize(self, *args):
                if os.path.exists(path):
                    self.load_parameters(path)
                else:
                    super().initialize(*args)
                    self.save_parameters(path)

        return Model

    class Reader(example.Reader):
        def evaluate_batch(self, *args):
            found = super().evaluate_batch(*args)
            perplexities.append(math.exp(found[-1][0].mean().asscalar()))
            return found

    example.Reader = Reader
    example.LSTMModel = beginning_alike(example.LSTMModel)
    example.TransformerModel = beginning_alike(example.TransformerModel)
    start(example, folder, arguments)
    return perplexities
