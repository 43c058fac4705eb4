"""The shared module of the book: data → spectrum → model → similarity → verdict."""

from cosine_audit.neighbors import nearest, overlap

from helpers.claims import check, check_identity, check_that, show
from helpers.debian import read_debian
from helpers.documentation import read_documentation
from helpers.encoders import read_encoder
from helpers.evaluation import Interval, chosen_elsewhere, hide, ndcg_at, recall_at, t_interval
from helpers.glosses import read_glosses
from helpers.models import (
    choices_of_d,
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
from helpers.recovery import Recovery, average_precision, cluster_auc, neighbor_purity, recovery_scores
from helpers.remedies import (
    centered_gram,
    layer_norm,
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
from helpers.simulation import Simulation, readings, simulate_interactions
from helpers.spectrum import truncated_svd
from helpers.tables import table

__all__ = [
    "Interval",
    "Recovery",
    "Simulation",
    "attainable_interval",
    "average_precision",
    "centered_gram",
    "check",
    "check_identity",
    "check_that",
    "choices_of_d",
    "chosen_elsewhere",
    "cluster_auc",
    "cosine_moments",
    "cosine_range",
    "cosine_similarity",
    "factor_norm_factors",
    "factor_norm_loss",
    "hide",
    "layer_norm",
    "ndcg_at",
    "nearest",
    "neighbor_purity",
    "neighbor_transform",
    "normalize_rows",
    "overlap",
    "product_norm_factors",
    "product_norm_loss",
    "project_items_back",
    "project_users_back",
    "propensity_scaled",
    "read_debian",
    "read_documentation",
    "read_encoder",
    "read_glosses",
    "readings",
    "realizing_transform",
    "recall_at",
    "recovery_scores",
    "rescale",
    "shifted_ppmi",
    "show",
    "shrinkage",
    "simulate_interactions",
    "standardized_gram",
    "t_interval",
    "table",
    "transform",
    "truncated_svd",
    "weight_decay_factors",
    "weight_decay_loss",
    "whiten",
]
