"""Sphinx extension: what the page *Check your own embeddings* knows of cosine_audit, and the films to try it on.

It puts JSON where the page says ``<!-- what cosine_audit knows -->``: of each way to train a model the verdict that
follows from items alone, and the one that follows where users and items are out of balance. The words are the
command's own. Imbalance alone decides no *yes*: a table that had one would not be built.
"""

import inspect
import json

from cosine_audit import gauges, safe_items
from cosine_audit.evidence import Balance, Evidence
from cosine_audit.objectives import LIBRARIES, OBJECTIVES, ByBalance, ByTheory, what_was_said
from cosine_audit.thresholds import SAME, TOLERATED
from cosine_audit.verdict import decide
from cosine_audit.words import percent

from helpers import product_norm_factors, rescale, truncated_svd
from helpers.films import FILMS, viewers

MARK = "<!-- what cosine_audit knows -->"
OFF = 0.5  # an imbalance beyond what is tolerated; the page says its own in place of this percentage
CONSTANTS = {
    "tolerated": TOLERATED,
    "same": SAME,
    "negligible": gauges.NEGLIGIBLE,
    "rounding": gauges.ROUNDING,
    "huge": gauges.HUGE,
    "share": inspect.signature(safe_items).parameters["share"].default,
}


def answer(objective, seen):
    """What `decide` says, as the page shows it; ValueError if that is yes."""
    verdict = decide(objective, seen)
    if verdict.answer == "yes":
        raise ValueError(f"{objective}: expected no yes from imbalance alone, got one")
    reason = verdict.reason.replace(percent(OFF), "{}")
    return {"headline": verdict.headline, "reason": reason, "restsOn": verdict.rests_on}


def implied(objective):
    """What follows from an objective: of items alone, and where users and items are out of balance, or None."""
    rule = OBJECTIVES[objective].rule
    judged = isinstance(rule, ByBalance) and not rule.weighted
    return {
        "help": OBJECTIVES[objective].help,
        "ranking": what_was_said(objective=objective).ranking,
        "theory": isinstance(rule, ByTheory),
        "alone": answer(objective, Evidence()),
        "unbalanced": answer(objective, Evidence(balance=Balance(OFF))) if judged else None,
    }


def films():
    """Chapter 1's viewers and films, at d = 2."""
    X = viewers()
    A, B = rescale(*product_norm_factors(*truncated_svd(X, k=2), lam=1.0), d=[2, 1])
    rounded = {"items": B.round(6).tolist(), "users": (X @ A).round(6).tolist()}
    return rounded | {"names": FILMS, "library": "autoencoder", "pick": "Harbor"}


def knowledge():
    """All of it, as plain values."""
    libraries = {name: {"objective": one.objective, "ranking": one.ranking} for name, one in LIBRARIES.items()}
    objectives = {name: implied(name) for name in OBJECTIVES}
    return {"libraries": libraries, "objectives": objectives, "constants": CONSTANTS, "example": films()}


def filled(page):
    """HTML with the JSON in its place."""
    held = json.dumps(knowledge(), ensure_ascii=False).replace("</", "<\\/")
    return page.replace(MARK, held)


def put(app, name, template, context, doctree):
    """Fill the page."""
    if MARK in context.get("body", ""):
        context["body"] = filled(context["body"])


def setup(app):
    """Sphinx calls this to load the extension."""
    app.connect("html-page-context", put)
    return {"parallel_read_safe": True}
