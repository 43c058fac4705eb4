"""Timings of the helpers beside the obvious, or the best-known, way to the same result.

Run by ``make bench`` or ``python -m benchmarks``, on Linux or macOS. Contestants take turns (A B A B …); the tables
give medians of wall and CPU time, the accuracy beside each time, the ratio of the wall times, and the target. CPU time
adds up all threads, those included that a BLAS lets spin while they wait. Memory is the peak resident set of a fresh
process. The first table says which BLAS and OpenMP libraries ran, with how many threads, and what the environment tells
them; nothing is set here, but for the peer that asks for it.
"""
