"""Mixed precision with MXNet's API.

After ``init("bfloat16")`` hybridized blocks compute convolutions, dense and recurrent layers in
bfloat16, with parameters and gradients in float32: faster on processors that multiply it
(`opforge doctor` names AVX512-BF16). Losses need no scale.

No processor gains from float16, so ``init("float16")`` keeps the dtypes of the program. MXNet's own
mode fails there, because its float16 kernels require a GPU. The protection of float16 gradients
against underflow, for networks that the program itself casts, is complete: losses are scaled, steps
whose gradients overflow are skipped, and the scale adapts.

Trained models can be converted nevertheless, for other devices and to halve the memory of
parameters: `convert_symbol`, `convert_model`, `convert_hybrid_block` and `convert_bucketing_module`
insert the casts of MXNet's lists into the graph, which also runs here.

Examples
--------
>>> from opforge import autograd, gluon, nd
>>> from opforge.contrib import amp
>>> amp.init()
>>> w = gluon.Parameter("w", shape=(1,), init="ones")
>>> w.initialize()
>>> trainer = gluon.Trainer([w], "sgd", {"learning_rate": 0.5})
>>> amp.init_trainer(trainer)
>>> with autograd.record():
...     loss = w.data() * 2
...     with amp.scale_loss(loss, trainer) as scaled:
...         autograd.backward(scaled)
>>> trainer.step(batch_size=1)
>>> w.data().asscalar().item()
0.0
"""

from . import amp as amp
from . import listing
from . import lists as lists
from .amp import init as init
from .amp import init_trainer as init_trainer
from .amp import scale_loss as scale_loss
from .amp import unscale as unscale
from .buckets import convert_bucketing_module as convert_bucketing_module
from .converting import convert_symbol as convert_symbol
from .listing import *  # noqa: F403
from .loss_scaler import LossScaler as LossScaler
from .models import convert_hybrid_block as convert_hybrid_block
from .models import convert_model as convert_model

__all__ = [
    "LossScaler",
    "amp",
    "convert_bucketing_module",
    "convert_hybrid_block",
    "convert_model",
    "convert_symbol",
    "init",
    "init_trainer",
    "lists",
    "scale_loss",
    "unscale",
]
__all__ += listing.__all__
