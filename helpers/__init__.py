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
