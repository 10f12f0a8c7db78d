"""Benchmarks of predictions, compared with ONNX Runtime: ``opforge bench engines``."""

__all__: list[str] = []
