"""Optimizers of MXNet that other libraries do not have."""
