"""Long runs: a short script each, its table (CSV) beside it. Chapters read the tables and recompute parts of them live.

``python -m experiments.curves`` repeats one, ``make experiments`` all of them. A run that was interrupted goes on
where it stopped; one that is complete takes a second.
"""

import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib.resources import files
from pathlib import Path

import pandas as pd
from threadpoolctl import threadpool_limits


def read(name):
    """The table of that name as a DataFrame."""
    return pd.read_csv(files(__name__) / f"{name}.csv")


def run(name, jobs, compute, processes=2, digits=4):
    """Fill the table of that name: a call of compute for each job that is not in it yet, and its rows appended at once.

    Parameters: jobs, dicts of the columns that tell one job from another; compute, which takes a job's entries as
    keyword arguments and returns a list of dicts, one for each row, with all other columns. It must be importable.
    """
    path, jobs = Path(str(files(__name__) / f"{name}.csv")), [dict(job) for job in jobs]
    keys = list(jobs[0])
    done = pd.read_csv(path)[keys].drop_duplicates() if path.exists() else pd.DataFrame(columns=keys)
    done = set(done.itertuples(index=False, name=None))
    todo = [job for job in jobs if tuple(job.values()) not in done]
    print(f"{name}: {len(jobs) - len(todo)} of {len(jobs)} jobs are in {path.name}")
    start = time.perf_counter()
    with ProcessPoolExecutor(processes) as pool:
        running = {pool.submit(one_thread, compute, job): job for job in todo}
        for count, future in enumerate(as_completed(running), start=1):
            job = running.pop(future)
            rows = pd.DataFrame([job | row for row in future.result()])
            rows.to_csv(path, mode="a", header=not path.exists(), index=False, float_format=f"%.{digits}g")
            seconds = time.perf_counter() - start
            left = seconds / count * (len(todo) - count)
            print(f"{count}/{len(todo)}  {job}  {seconds:.0f} s, about {left:.0f} s to go", flush=True)
    order = {tuple(job.values()): i for i, job in enumerate(jobs)}
    table = pd.read_csv(path, dtype=str)
    places = pd.read_csv(path)[keys].apply(lambda row: order[tuple(row)], axis=1)
    table.iloc[places.argsort(kind="stable")].to_csv(path, index=False)


def one_thread(compute, job):
    """compute(**job), with one BLAS thread, as there are two processes."""
    with threadpool_limits(1):
        return compute(**job)


def finished(name, jobs):
    """Whether the table of that name holds all jobs; for tests."""
    table = read(name)
    keys = list(jobs[0])
    found = set(table[keys].drop_duplicates().itertuples(index=False, name=None))
    return found == {tuple(job.values()) for job in jobs}


if __name__ == "__main__":
    sys.exit("Name an experiment: python -m experiments.curves, for instance.")
