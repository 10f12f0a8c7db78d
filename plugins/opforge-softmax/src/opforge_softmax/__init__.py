"""Softmax operators: softmax, log_softmax, softmin, cross-entropy and SoftmaxOutput.

A plugin of opforge; nothing is imported before one of its operators is used.
"""
