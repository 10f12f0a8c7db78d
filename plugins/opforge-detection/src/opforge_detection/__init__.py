"""Object detection operators: overlaps, suppression, anchors, proposals and ROI pooling.

A plugin of opforge; nothing is imported before one of its operators is used.
"""
