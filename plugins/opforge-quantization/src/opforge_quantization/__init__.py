"""Networks of 8-bit integers: operators, calibration and conversion, with MXNet's interface.

A plugin of opforge; its modules are imported when one of its operators or functions is first used.
"""
