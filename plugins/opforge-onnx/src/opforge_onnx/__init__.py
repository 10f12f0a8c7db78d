"""`opforge.onnx`: networks written in ONNX, each operator by its own rule.

A plugin of opforge; the onnx package is imported on first use.
"""
