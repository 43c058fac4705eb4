"""Did training determine the cosines of your item embeddings, or chance? What should be used instead?"""

from importlib import import_module

__version__ = "2.0.0"
HOMES = {
    "SafeItems": "safe",
    "audit": "report",
    "choose_share": "safe",
    "compare": "trainings",
    "safe_items": "gauges",
    "text_audit": "text",
}
__all__ = list(HOMES)


def __getattr__(name):
    """What __all__ lists, imported when it is asked for: the command answers Ctrl-C while NumPy and SciPy load."""
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"cosine_audit.{HOMES[name]}"), name)
