"""Operators on batches of sequences of different lengths: masking, last steps, reversal, CTC.

A plugin of opforge; nothing is imported before one of its operators or losses is used.
"""
