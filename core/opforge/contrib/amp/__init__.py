"""Mixed precision, as programs for MXNet switch it on: here it scales losses and casts nothing.

On the devices that opforge has, no operator gains from float16: `init` leaves all of them in the
types that the program gives them. MXNet's own mode fails there, since its float16 kernels are a
GPU's. What protects gradients of float16 from vanishing, in networks that the program itself casts,
is whole: losses are scaled, steps whose gradients overflow are skipped, and the scale follows.

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
from .amp import init as init
from .amp import init_trainer as init_trainer
from .amp import scale_loss as scale_loss
from .amp import unscale as unscale
from .loss_scaler import LossScaler as LossScaler

__all__ = ["LossScaler", "amp", "init", "init_trainer", "scale_loss", "unscale"]
