"""Did training determine the cosines of your item embeddings, or chance? What should be used instead?"""

__version__ = "1.0.0"

from cosine_audit.gauges import safe_items
from cosine_audit.report import audit

__all__ = ["audit", "safe_items"]
