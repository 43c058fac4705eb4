"""What training implies: the objectives that the audit knows, and which libraries minimize which of them.

The one table of what libraries do. The book's page "The answer on one page" is checked against it. E5 and BGE are two
towers here, and no sentence encoders, because a prefix or an instruction tells them which side a text is on.
"""

import re
from difflib import get_close_matches
from typing import NamedTuple


class ByTheory(NamedTuple):
    """The answer follows from the objective alone."""

    answer: str


class ByConvention(NamedTuple):
    """Both factors have to be the same decomposition's."""


class ByBalance(NamedTuple):
    """Users and items have to be balanced, weighted by their counts or not; after steps that can say no, never yes.

    biases: kept apart, so that the mean user and the mean item have to be 0, too.
    """

    weighted: bool = False
    steps: bool = False
    biases: bool = False


class ByLengths(NamedTuple):
    """Rows of length one have to hold every scale; both: a softmax runs over the users, too."""

    both: bool = False


class ByFeatures(NamedTuple):
    """Classes have to lie in the span of the features, and to sum to zero."""


class Objective(NamedTuple):
    """help, a line that says what it means; rule, how a verdict follows; reason, what follows."""

    help: str
    rule: ByTheory | ByConvention | ByBalance | ByLengths | ByFeatures
    reason: str


class Said(NamedTuple):
    """trained_by, a library or None; objective, a key of OBJECTIVES; ranking, whether users' constants are free."""

    trained_by: str | None
    objective: str
    ranking: bool


class Library(NamedTuple):
    """objective, a key of OBJECTIVES; ranking, whether a constant for each user is free; aliases, other names."""

    objective: str
    ranking: bool = False
    aliases: tuple = ()


FREE = "the scores stay the same when users are multiplied by any invertible M and items by its inverse transposed"

OBJECTIVES = {
    "product": Objective(
        "a penalty on the product of the factors, or dropout or noise at the input; no other penalty",
        ByTheory("no"),
        f"a penalty on the product, and dropout or noise at the input, see only the scores, and {FREE}",
    ),
    "factors": Objective(
        "squared error and the same penalty on every row of both factors, no biases outside the files (implicit's ALS)",
        ByBalance(),
        "a penalty on both factors leaves the scores only rotations, once users and items are balanced",
    ),
    "biased-factors": Objective(
        "the same, with biases of users and items that are kept outside the files, and without a penalty",
        ByBalance(biases=True),
        "a penalty on both factors leaves the scores only rotations, once users and items are balanced and, as biases "
        "make up for one vector added to all rows, both have a mean of 0",
    ),
    "weighted-factors": Objective(
        "a penalty on both factors that is multiplied by each row's number of ratings (Spark's ALS)",
        ByBalance(weighted=True),
        "a penalty weighted by counts leaves only rotations, once users and items, so weighted, are balanced",
    ),
    "weighted-steps": Objective(
        "squared error by stochastic steps that shrink the two rows of each rating (Surprise)",
        ByBalance(weighted=True, steps=True),
        "a penalty weighted by counts would determine the cosines at the exact minimum, but steps from a small start "
        "stay nearly balanced wherever they end",
    ),
    "penalized-ranking": Objective(
        "BPR, a softmax or a logistic loss, by stochastic steps, with a penalty on both factors (weight decay)",
        ByBalance(steps=True),
        "a penalty on both factors would determine the cosines at the exact minimum, which stochastic steps with a "
        "small penalty rarely reach",
    ),
    "ranking": Objective(
        "BPR, WARP, softmax or contrastive loss on dot products, without a penalty",
        ByTheory("no"),
        f"a ranking loss without a penalty sees only differences of scores, and {FREE}; nor does it see one vector "
        "added to all items",
    ),
    "none": Objective(
        "no penalty at all, or early stopping alone: skip-gram, squared error",
        ByTheory("no"),
        f"without a penalty the loss sees only the scores, and {FREE}; so the start and the optimizer chose these "
        "cosines",
    ),
    "normalized": Objective(
        "a softmax over the items, or a contrastive loss, on cosines: rows of length one inside the loss",
        ByLengths(),
        "with cosines inside the loss, equal predictions imply equal cosines",
    ),
    "symmetric-contrastive": Objective(
        "the same, and a softmax over the users, too; the temperature may be learned (CLIP)",
        ByLengths(both=True),
        "with cosines inside a softmax over the items and one over the users, equal predictions, which are scores up "
        "to one constant, imply equal cosines",
    ),
    "convention": Objective(
        "PCA or truncated SVD: a decomposition that is unique, written in one of several ways",
        ByConvention(),
        "the decomposition is unique, and V, V√Σ and VΣ are three ways to write it with three sets of cosines; the "
        "library's author chose one",
    ),
    "nonnegative": Objective(
        "nonnegative factors without a penalty",
        ByTheory("no"),
        "the scores stay the same when each column of the items is multiplied by a positive scale and the users' "
        "column divided by it; permutations of the columns move no cosine, scales do",
    ),
    "nonnegative-penalized": Objective(
        "nonnegative factors with a penalty on both (Surprise)",
        ByTheory("unknown"),
        "at the exact minimum a penalty on both factors sets the scale of each column, but whether other nonnegative "
        "factors have the same scores, and whether training came to rest, the numbers do not show",
    ),
    "propagated": Objective(
        "a penalty on embeddings that are added or averaged before they are compared (LightGCN, SVD++)",
        ByTheory("unknown"),
        "the penalty is on the embeddings before they are added or averaged, so that balance after it shows nothing, "
        "and stochastic steps with a small penalty rarely reach the exact minimum",
    ),
    "summed": Objective(
        "no penalty, and the file holds the sum of both factors, W + W̃ (GloVe)",
        ByTheory("no"),
        f"without a penalty the loss sees only the scores and the biases, and {FREE}; the file holds the sum of both "
        "factors, from which neither can be recovered",
    ),
    "one-encoder": Objective(
        "one encoder on both sides, trained by comparing its outputs or by a head that reads two of them (SBERT)",
        ByTheory("unknown"),
        "one encoder makes both sides, but a head that reads its outputs undoes a rescaling, distances do not see a "
        "translation, and where queries only ever meet passages an M may act on each kind of text; unless cosines were "
        "inside the loss and every kind of text stood on both sides, nothing shows that these are determined",
    ),
    "fixed-features": Objective(
        "weights of a classifier with an L2 penalty on features that were not trained",
        ByFeatures(),
        "the features are fixed, so no M can turn them, and a penalty on the weights has one minimum, in the features' "
        "span and, under a softmax, with the sum zero",
    ),
    "undisclosed": Objective(
        "not public: a service that does not say how its model was trained",
        ByTheory("unknown"),
        "nothing public says how this model was trained, so no theory applies",
    ),
    "unknown": Objective(
        "not known: only what the numbers show",
        ByTheory("unknown"),
        "whether training determined these cosines depends on how the model was trained, which was not said",
    ),
}

LIBRARIES = {
    "implicit ALS": Library("factors", aliases=("alternating least squares", "ALS", "iALS")),
    "implicit BPR": Library("penalized-ranking", True, ("BPR", "Bayesian personalized ranking")),
    "implicit LMF": Library("penalized-ranking", True, ("LMF", "logistic matrix factorization")),
    "Spark ALS": Library("weighted-factors", aliases=("pyspark ALS", "Spark ML ALS", "ALS-WR", "weighted ALS")),
    "LightFM": Library("ranking", True, ("LightFM WARP", "LightFM BPR", "LightFM logistic", "WARP")),
    "Surprise SVD": Library("weighted-steps", True, ("Surprise", "FunkSVD", "Surprise SVD biased")),
    "Surprise NMF": Library("nonnegative-penalized"),
    "Surprise SVDpp": Library("propagated", True, ("SVD++",)),
    "LightGCN": Library("propagated", True),
    "gensim skip-gram": Library("none", aliases=("word2vec", "skip-gram", "SGNS", "gensim", "gensim word2vec")),
    "gensim CBOW": Library("none", aliases=("CBOW",)),
    "fastText": Library("none", aliases=("gensim fastText",)),
    "doc2vec": Library("none", aliases=("gensim doc2vec", "paragraph vectors")),
    "node2vec": Library("none", aliases=("DeepWalk",)),
    "GloVe": Library("summed"),
    "gensim hs": Library("none", aliases=("hierarchical softmax", "gensim skip-gram hs", "gensim CBOW hs", "hs")),
    "two towers normalized": Library("normalized", aliases=("two towers cosine", "contrastive normalized")),
    "CLIP": Library("symmetric-contrastive", aliases=("OpenCLIP", "two towers symmetric", "contrastive symmetric")),
    "two towers dot": Library("ranking", True, ("two towers", "two towers dot product", "softmax dot product")),
    "TensorFlow Recommenders": Library("ranking", True, ("TFRS",)),
    "softmax output layer": Library("ranking", True, ("classifier", "output layer", "language model head")),
    "autoencoder": Library("product", aliases=("denoising autoencoder", "EDLAE", "linear autoencoder")),
    "TruncatedSVD": Library("convention", aliases=("PureSVD", "LSA")),
    "PCA": Library("convention"),
    "NMF": Library("nonnegative", aliases=("nonnegative matrix factorization",)),
    "LogisticRegression on fixed features": Library("fixed-features", aliases=("LogisticRegression",)),
    "sentence encoder": Library("one-encoder", aliases=("sentence-transformers", "SBERT", "one encoder")),
    "E5": Library("normalized", aliases=("multilingual E5",)),
    "BGE": Library("normalized", aliases=("FlagEmbedding",)),
    "OpenAI": Library("undisclosed", aliases=("OpenAI embeddings", "text-embedding-3", "text-embedding-ada-002")),
    "Cohere": Library("undisclosed", aliases=("Cohere Embed",)),
}


SVD = "; do you mean TruncatedSVD, or Surprise SVD, which is another model (regularized, with biases)?"


def key(name):
    """A name without case, spaces and punctuation but +, which tells SVD++ from SVD."""
    return re.sub(r"[^\w+]|_", "", str(name).casefold())


NAMES = {key(alias): name for name, library in LIBRARIES.items() for alias in (name, *library.aliases)}


def what_was_said(trained_by=None, objective=None) -> Said:
    """What is known of the training.

    Raises ValueError for a name that is not in the tables, or if both are given.
    """
    if trained_by is not None and objective is not None:
        raise ValueError(f"give trained_by or objective, not both; got {trained_by!r} and {objective!r}")
    if trained_by is not None:
        if key(trained_by) not in NAMES:
            near = dict.fromkeys(NAMES[one] for one in get_close_matches(key(trained_by), NAMES, 5))
            meant = f"; do you mean {' or '.join(near)}?" if near else ""
            meant = SVD if key(trained_by) == "svd" else meant
            raise ValueError(f"trained_by must be one of {', '.join(LIBRARIES)}; got {trained_by!r}{meant}")
        name = NAMES[key(trained_by)]
        return Said(name, LIBRARIES[name].objective, LIBRARIES[name].ranking)
    objective = "unknown" if objective is None else objective
    if objective not in list(OBJECTIVES):  # a list has no hash
        raise ValueError(f"objective must be one of {', '.join(OBJECTIVES)}; got {objective!r}")
    return Said(None, objective, objective in ("ranking", "penalized-ranking"))
