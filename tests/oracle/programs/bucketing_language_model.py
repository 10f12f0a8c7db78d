"""examples/bucketing_language_model.py: the perplexity of each batch, including validation.

The first run in a folder draws the parameters, the second reads them.
"""

import os

from .examples import load, start


def run(mx, arguments, folder):
    example = load(mx, "bucketing_language_model")
    path = os.path.join(folder, "start.params")
    perplexities = []

    class BucketingModule(mx.mod.BucketingModule):
        def init_params(self, *args, **kwargs):
            if os.path.exists(path):
                saved = {name.split(":")[1]: value for name, value in mx.nd.load(path).items()}
                super().init_params(arg_params=saved, aux_params={})
            else:
                super().init_params(*args, **kwargs)
                self.save_params(path)

        def update_metric(self, eval_metric, labels, *args):
            super().update_metric(eval_metric, labels, *args)
            of_batch = mx.metric.Perplexity(example.PADDING)
            super().update_metric(of_batch, labels)
            perplexities.append(of_batch.get()[1])

    example.mod.BucketingModule = BucketingModule
    start(example, folder, arguments)
    return perplexities
