"""How kernels are started, wherever chapters are executed: by the book, by the tests, by tools/notebooks.py."""

from jupyter_client import KernelManager


def encrypt():
    """Encrypt what is said to kernels started from here on; else each of them prints a warning that it is not."""
    KernelManager.transport_encryption.default_value = "auto"
