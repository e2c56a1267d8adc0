"""Who does a long run's tasks: this process, several on this machine, or a Dask cluster; results come in order."""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections import deque
from contextlib import chdir, contextmanager, nullcontext
from hashlib import sha256
from itertools import islice
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct

from flopsheet.errors import FlopsheetError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

AHEAD = 3
"""Tasks that wait for each process."""
WAIT = 60
"""Seconds until a cluster has to have a worker."""
T = TypeVar("T")


class Workers(Struct, frozen=True):
    """So many processes of this machine, or all workers of the Dask scheduler at an address."""

    jobs: int = 1
    scheduler: str = ""

    @property
    def here(self) -> bool:
        """Whether this process does everything."""
        return self.jobs <= 1 and not self.scheduler


HERE = Workers()


class Run(Struct, frozen=True):
    """A run: its request, what opens it where it is worked on, and what does one task of it. All can be pickled."""

    request: Any
    opener: Callable[[Any], Any]
    work: Callable[[Any, Any], Any]


def cores() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def workers_for(jobs: int | None, scheduler: str, tasks: int, pays: int) -> Workers:
    """Return who does so many tasks: as asked, else a process per `pays` tasks, at most one per processor.

    UsageError where both processes and a scheduler are asked for.
    """
    if jobs and scheduler:
        raise UsageError("--jobs is for this machine, --scheduler for others: give one of them")
    return Workers(jobs or min(cores(), tasks // pays) or 1, scheduler)


def in_order(run: Run, state: Any, tasks: Iterable[Any], workers: Workers) -> Iterator[Any]:
    """Give the result of each task in order, whoever does them; `state` is the run as it is open here.

    FlopsheetError where a process dies, UsageError where a scheduler cannot be reached or has no workers.
    """
    if workers.scheduler:
        yield from _on_cluster(run, tasks, workers.scheduler)
    elif workers.here:
        yield from (run.work(state, task) for task in tasks)
    else:
        yield from _on_cores(run, tasks, workers.jobs)


def _on_cores(run: Run, tasks: Iterable[Any], jobs: int) -> Iterator[Any]:
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - small batches need none
    from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415 - same reason
    from multiprocessing import get_context  # noqa: PLC0415 - same reason

    with ProcessPoolExecutor(jobs, get_context("spawn"), _open_here, (run,)) as pool:

        def submit(task: Any) -> Any:
            with _uninterrupted(), _without_script():  # which may start a process
                return pool.submit(_do, task)

        try:
            yield from _kept_busy(submit, tasks, lambda: AHEAD * jobs)
        except BrokenProcessPool:
            raise FlopsheetError("a process of --jobs died, perhaps out of memory; try fewer") from None


def _on_cluster(run: Run, tasks: Iterable[Any], address: str) -> Iterator[Any]:
    try:
        from distributed import Client  # noqa: PLC0415 - only clusters need it
    except ImportError as error:
        raise UsageError(f"--scheduler needs Dask: pip install 'flopsheet[cluster]' ({error})") from None
    try:
        client: Any = Client(address, set_as_default=False, timeout=WAIT)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise UsageError(f"--scheduler {address}: no Dask scheduler answers there: {error}") from None
    with client:
        try:
            client.wait_for_workers(1, timeout=WAIT)
        except TimeoutError:
            raise UsageError(f"--scheduler {address}: it has no workers; start some with 'dask worker'") from None
        data, here = pickle.dumps(run), str(Path.cwd())
        token = sha256(data).hexdigest()
        submit = lambda task: client.submit(_do_far, token, data, here, task, pure=False)  # noqa: E731 - used on the next line alone
        yield from _kept_busy(submit, tasks, lambda: AHEAD * max(1, sum(client.nthreads().values())))


def _kept_busy(submit: Callable[[T], Any], tasks: Iterable[T], ahead: Callable[[], int]) -> Iterator[Any]:
    """Give the results in order, with some tasks more under way than are asked for."""
    following = iter(tasks)
    waiting = deque(submit(task) for task in islice(following, ahead()))
    while waiting:
        yield waiting.popleft().result()
        waiting.extend(submit(task) for task in islice(following, max(0, ahead() - len(waiting))))


_OPENED: dict[str, tuple[Run, Any]] = {}
"""The run of a worker process: one, by the hash of its request."""
_ALONE = Lock()
"""Threads of a worker take turns: plugins and ledgers are built when they are first needed."""


def _open(run: Run, token: str = "") -> None:
    _OPENED.clear()
    _OPENED[token] = run, run.opener(run.request)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Hold Ctrl-C back, from a process too that is started meanwhile, whose imports would end with a traceback."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _without_script() -> Iterator[None]:
    """Start processes that do not run the script again that asked for them, and would ask for more."""
    script = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = script


def _open_here(run: Run) -> None:
    """Open a run in a process of this machine, which Ctrl-C ends without a word: the first process says it."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    _open(run)


def _do(task: Any, token: str = "") -> Any:
    run, state = _OPENED[token]
    return run.work(state, task)


def _do_far(token: str, data: bytes, here: str, task: Any) -> Any:
    """Do a task in the folder in which the run was started, where there is one: paths mean the same then."""
    with _ALONE, chdir(here) if Path(here).is_dir() else nullcontext():
        if token not in _OPENED:
            _open(pickle.loads(data), token)  # noqa: S301 - a worker runs what its scheduler's clients send
        return _do(task, token)
