"""Did training determine the cosines of your item embeddings, or chance? What should be used instead?"""

from importlib import import_module

__version__ = "1.0.0"
__all__ = ["audit", "safe_items", "text_audit"]


def __getattr__(name):
    """What __all__ lists, imported when it is asked for: the command answers Ctrl-C while NumPy and SciPy load."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    homes = {"audit": "cosine_audit.report", "safe_items": "cosine_audit.gauges", "text_audit": "cosine_audit.text"}
    return getattr(import_module(homes[name]), name)
