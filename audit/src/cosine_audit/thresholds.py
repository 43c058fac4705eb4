"""Every number by which a model is judged, and what it is a share of; what is rounding stands in gauges.py.

With logits of 20, a direction of a thousandth of the largest singular value moves them by 0.02.
"""

# Balance: see `verdict.is_stable`
TOLERATED = 0.05  # imbalance; what balancing may change where a model may be kept; how far a cosine may be open
MOVED = TOLERATED / 2  # share of neighbors that balancing may exchange, and of a cosine
TORN = 0.01  # of the items, half of whose neighbors balancing may exchange
HALF = 0.5 - 1e-9  # of an item's neighbors, beyond which it is torn
STRETCH = 1.025  # condition of the M that balances
THIN = 1e-3  # of the largest singular value, below which a direction's stretch does not count

# Cosines inside the loss: see `pair.Pair`
FIRM = 0.1  # of `hold`: scores that change by 1 % then change a cosine by 0.02 √(2/π) / √FIRM = 0.05 on average
STIFF = 0.0016  # (2 · 2 %)²: rows then notice at 2 % of their squared lengths if one direction is halved
FAINT = 0.02  # of the largest singular value, or of the items' mean square, below which a direction is noise
FLAT = 0.02  # spread over mean of a direction, below which a softmax leaves the cosines open

# Classes and decompositions
HARDLY = 0.05  # see `pair.Pair.outside`
SHIFTED = 0.02  # length of the mean class over that of nearly the shortest: its share in a cosine
CROSSED = 0.05  # largest cosine of two directions of a decomposition
TIED = 1e-3  # singular values this near are tied: their directions are rounding, or a randomized decomposition's choice

# Signs of a training that was none, or of another one
NEARLY_CONSTANT, EXACTLY_CONSTANT = 0.05, 1e-4  # spread over mean of a column, or of a direction
COLLAPSED = 0.999  # of the squared lengths along one direction: then all cosines are within 0.002 of 1 or −1
ALIKE = 1e-5  # 1 − |cosine| of a row and its copy with two decimals, or in float16
SAME = 0.5  # of the users parallel to an item, beyond which one table was given twice
