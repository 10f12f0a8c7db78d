"""Layers of MXNet's ``gluon.contrib``."""
