"""Metrics that only MXNet programs use."""
