"""Translations of ONNX's nodes to operators of opforge."""
