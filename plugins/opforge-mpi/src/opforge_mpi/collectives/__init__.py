"""Collectives on arrays and objects, and the communicator of the ranks that run them.

Imports `process` and `transport`; is imported by `training`.
"""
