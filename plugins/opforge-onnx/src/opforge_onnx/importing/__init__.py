"""Translation of ONNX graphs to symbols."""
