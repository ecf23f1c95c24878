"""The kernels in plain numpy: the executable specification, and what runs where no native module is.

One subject a file, the same names and arguments as the native module's. `reparto.kernels` chooses.
"""
