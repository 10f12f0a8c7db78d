"""Recurrent networks: the operator RNN, layers and cells of RNN, LSTM and GRU.

A plugin of opforge; its modules are imported when one of its operators or layers is first used.
"""
