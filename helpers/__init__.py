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
from helpers.remedies import (
    centered_gram,
    layer_norm,
    matched_lam,
    project_items_back,
    project_users_back,
    propensity_scaled,
    shifted_ppmi,
    standardized_gram,
    whiten,
)
from helpers.similarity import (
    attainable_interval,
    cosine_moments,
    cosine_range,
    cosine_similarity,
    neighbor_transform,
    normalize_rows,
    realizing_transform,
)
from helpers.simulation import Simulation, simulate_interactions
from helpers.spectrum import truncated_svd

__all__ = [
    "Simulation",
    "attainable_interval",
    "average_precision",
    "centered_gram",
    "check",
    "check_identity",
    "check_that",
    "cluster_auc",
    "cosine_moments",
    "cosine_range",
    "cosine_similarity",
    "factor_norm_factors",
    "factor_norm_loss",
    "layer_norm",
    "matched_lam",
    "neighbor_purity",
    "neighbor_transform",
    "normalize_rows",
    "product_norm_factors",
    "product_norm_loss",
    "project_items_back",
    "project_users_back",
    "propensity_scaled",
    "realizing_transform",
    "rescale",
    "shifted_ppmi",
    "show",
    "shrinkage",
    "simulate_interactions",
    "standardized_gram",
    "transform",
    "truncated_svd",
    "weight_decay_factors",
    "weight_decay_loss",
    "whiten",
]
