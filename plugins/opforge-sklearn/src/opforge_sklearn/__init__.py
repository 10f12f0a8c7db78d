"""`opforge.sklearn`: scikit-learn estimators that train Gluon networks.

A plugin of opforge; the module, which imports scikit-learn, is imported on first use.
"""
