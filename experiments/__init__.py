"""Long runs: a short script each, its table (CSV) beside it. Chapters read the tables and recompute parts of them live.

A script has JOBS, dicts of the columns that tell one job from another; ``measure``, which takes a job's entries as
keyword arguments and returns a list of dicts, one for each row, with all other columns; if it is not .001, TOLERANCE,
how far a number may be from the table's, relative to it where it is above 1; and, if they are not two, PROCESSES.

``make experiments ONLY=curves`` repeats one, ``make experiments`` all of them. What was interrupted goes on where it
stopped. A table that lacks jobs is filled; a complete one is repeated into a new file beside it, such as
curves.new.csv, which replaces the table if all its numbers agree within the tolerance that the script states, or with
ACCEPT=1.
"""

import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib.resources import files
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits


def read(name):
    """The table of that name as a DataFrame."""
    return opened(files(__name__) / f"{name}.csv")


def run(name, jobs, measure, processes=2, tolerance=1e-3):
    """Fill the table of that name, or repeat it and compare: a call of measure for each job, its rows saved at once."""
    import pandas as pd

    table = Path(str(files(__name__) / f"{name}.csv"))
    repeated = not missing(table, jobs)
    path = table.with_suffix(".new.csv") if repeated else table
    todo, start = missing(path, jobs), time.perf_counter()
    print(f"{name}: {len(jobs) - len(todo)} of {len(jobs)} jobs are in {path.name}")
    with ProcessPoolExecutor(processes) as pool:
        running = {pool.submit(one_thread, measure, job): job for job in todo}
        for count, future in enumerate(as_completed(running), start=1):
            job = running.pop(future)
            rows = pd.DataFrame([job | row for row in future.result()])
            rows.to_csv(path, mode="a", header=not path.exists(), index=False, float_format="%.4g")
            seconds = time.perf_counter() - start
            left = seconds / count * (len(todo) - count)
            print(f"{count}/{len(todo)}  {job}  {seconds:.0f} s, about {left:.0f} s to go", flush=True)
    in_order(path, jobs)
    if repeated:
        accept(table, path, tolerance)


def missing(path, jobs):
    """The jobs that have no row in the table at that path."""
    if not path.exists():
        return jobs
    done = set(opened(path)[list(jobs[0])].itertuples(index=False, name=None))
    return [job for job in jobs if tuple(job.values()) not in done]


def in_order(path, jobs):
    """Put a table's rows into the order of the jobs, and leave out those of no job."""
    order = {tuple(job.values()): i for i, job in enumerate(jobs)}
    places = [order.get(row, -1) for row in opened(path)[list(jobs[0])].itertuples(index=False, name=None)]
    table = opened(path, dtype=str).assign(place=places).query("place >= 0")
    table.sort_values("place", kind="stable").drop(columns="place").to_csv(path, index=False)


def opened(path, dtype=None):
    """A table; of a file of arrays, a column for each."""
    import pandas as pd  # here, as Dask's workers, which open no table, would import it, too

    if path.suffix == ".csv":
        return pd.read_csv(path, dtype=dtype)
    with np.load(path) as arrays:
        return pd.DataFrame({name: pd.Series(arrays[name].ravel()) for name in arrays.files})


def accept(table, new, tolerance):
    """Replace a table by its repetition if they agree, or if ACCEPT=1; else end with what differs."""
    differ = differences(opened(table), opened(new), tolerance)
    if differ and os.environ.get("ACCEPT") != "1":
        sys.exit(f"{new.name} differs from {table.name} ({differ}); ACCEPT=1 replaces the table")
    new.replace(table)
    print(f"{table.name}: repeated{', and replaced' if differ else ' within ' + format(tolerance, 'g')}")


def differences(old, new, tolerance):
    """In words, where two tables differ by more than the tolerance; empty if nowhere."""
    if list(old.columns) != list(new.columns) or len(old) != len(new):
        return f"{old.shape} rows and columns, now {new.shape}"
    numbers = set(old.select_dtypes("number")) & set(new.select_dtypes("number"))
    sizes = {name: np.maximum(np.minimum(old[name].abs(), new[name].abs()), 1) for name in numbers}  # less than ∞
    gaps = {name: (old[name] - new[name]).abs() / sizes[name] for name in numbers}
    wide = [f"{name} by {gap.max():.2g}" for name, gap in sorted(gaps.items()) if gap.max() > tolerance]
    wide += [f"{name} is missing elsewhere" for name in sorted(numbers) if (old[name].isna() != new[name].isna()).any()]
    return ", ".join(wide + [name for name in old if name not in numbers and not old[name].equals(new[name])])


def one_thread(measure, job):
    """measure(**job), with one BLAS thread, as there are two processes."""
    with threadpool_limits(1):
        return measure(**job)


def finished(name, jobs):
    """Whether the table of that name holds all jobs and no others, in their order; for tests."""
    rows = read(name)[list(jobs[0])]
    firsts = rows[(rows != rows.shift()).any(axis=1)]  # of each run of rows with the same entries
    return list(firsts.itertuples(index=False, name=None)) == [tuple(job.values()) for job in jobs]
