"""Image resizing: padding, cropping, upsampling, interpolation and sampling.

A plugin of opforge; its modules are imported when one of its operators or layers is first used.
"""
