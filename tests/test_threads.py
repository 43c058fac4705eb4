from threadpoolctl import threadpool_info, threadpool_limits

from helpers.threads import one_blas_thread


def counts():
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def test_the_first_to_enter_sets_the_limit_and_the_last_to_leave_restores_it():
    with threadpool_limits(2, user_api="blas"):
        first, second = one_blas_thread(), one_blas_thread()
        first.__enter__()
        second.__enter__()
        assert counts() == {1}
        first.__exit__(None, None, None)
        assert counts() == {1}
        second.__exit__(None, None, None)
        assert counts() == {2}
        for _ in range(2):
            try:
                with one_blas_thread():
                    raise ValueError
            except ValueError:
                assert counts() == {2}
