"""Data-parallel training: trainer, optimizer, key-value stores, samplers, metrics, checkpoints.

Imports `collectives` and `transport`; no other package but `benchmarks` imports it.
"""
