"""`opforge.gluon.contrib.estimator`: a training loop that event handlers extend; more metrics.

A plugin of opforge; nothing is imported before one of its names is used.
"""
