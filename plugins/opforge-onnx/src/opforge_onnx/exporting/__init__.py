"""Translation of graphs to ONNX."""
