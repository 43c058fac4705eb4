"""What chapters share with the audit: how far factors are from balance, and the balanced ones."""

from cosine_audit.gauges import imbalance, moments, rebalanced

__all__ = ["imbalance", "moments", "rebalanced"]
