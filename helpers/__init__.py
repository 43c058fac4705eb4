"""The shared module of the book: data → spectrum → model → similarity → verdict."""

from helpers.claims import check, check_identity, check_that, show
from helpers.models import (
    factor_norm_factors,
    factor_norm_loss,
    product_norm_factors,
    product_norm_loss,
    rescale,
    shrinkage,
    transform,
    weight_decay_factors,
    weight_decay_loss,
)
from helpers.recovery import average_precision, cluster_auc, neighbor_purity
from helpers.similarity import attainable_interval, cosine_moments, cosine_range, cosine_similarity, normalize_rows
from helpers.simulation import Simulation, simulate_interactions
from helpers.spectrum import truncated_svd

__all__ = [
    "Simulation",
    "attainable_interval",
    "average_precision",
    "check",
    "check_identity",
    "check_that",
    "cluster_auc",
    "cosine_moments",
    "cosine_range",
    "cosine_similarity",
    "factor_norm_factors",
    "factor_norm_loss",
    "neighbor_purity",
    "normalize_rows",
    "product_norm_factors",
    "product_norm_loss",
    "rescale",
    "show",
    "shrinkage",
    "simulate_interactions",
    "transform",
    "truncated_svd",
    "weight_decay_factors",
    "weight_decay_loss",
]
