"""Image reading, processing and augmentation with OpenCV.

A plugin of opforge; OpenCV is imported on first use.
"""
