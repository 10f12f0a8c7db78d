"""Benchmarks of prediction beside ONNX Runtime: ``opforge bench engines``."""

__all__: list[str] = []
