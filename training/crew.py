"""Workers that play games: processes of this machine, or actors of a Ray cluster. One that dies is replaced."""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any

import numpy as np

from gomoku_bot.arena.score import Score
from gomoku_bot.core.position import Point
from training.duel import Duel
from training.lanes import Lanes, Style
from training.netfiles import NetFiles


@dataclass(frozen=True)
class Play:
    """What self-play wants of a worker."""

    net: NetFiles
    sets: tuple[str, ...]
    """Rules and boards, such as ``standard15``; each gets the same number of positions."""

    style: Style
    lanes: int
    """Games at once."""


class Worker:
    """Plays games of self-play and of matches; lives in a process of its own."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self._lanes: dict[str, Lanes] = {}
        self._plies: dict[str, int] = {}
        self._play: Play | None = None
        self._task: Any = None

    def do(self, method: str, task: Any) -> Any:
        """What *method* makes of *task*; None: of the same one as before, which need not be sent again."""
        self._task = self._task if task is None else task
        return getattr(self, method)(self._task)

    def games(self, play: Play) -> list[str]:
        """Games as JSON lines, as soon as one is over; the others go on with the next call."""
        if play is not self._play:
            if self._play and (play.style, play.lanes) != (self._play.style, self._play.lanes):
                self._lanes.clear()
            for lanes in self._lanes.values():
                lanes.use(play.net.load())
            self._play = play
            self._plies = {name: self._plies.get(name, 0) for name in play.sets}
        name = min(self._plies, key=lambda name: self._plies[name])
        if name not in self._lanes:
            self._lanes[name] = Lanes(name, play.style, play.lanes, play.net.load(), self._rng)
        finished = self._lanes[name].finished()
        self._plies[name] += sum(len(game.moves) for game in finished)
        return [game.to_json() for game in finished]

    def pair(self, task: tuple[Duel, Sequence[Point]]) -> tuple[float, float]:
        """See `Duel.pair`."""
        duel, opening = task
        return duel.pair(opening)


class WorkerLostError(Exception):
    """A worker died while it worked."""


class Crew(ABC):
    """So many workers."""

    def __init__(self, count: int) -> None:
        self._seed = 0
        self._count = count
        self._workers: list[Any] = []
        self._known: dict[int, Any] = {}
        self.lost = 0
        """Workers that have died."""

    def each(self, method: str, tasks: Iterable[Any]) -> Iterator[Any]:
        """
        Yields what the `Worker`'s *method* says to each of *tasks*, in no order; they may be without end.

        The task of a worker that dies is given to another; of its games only those in progress are lost. An error that
        the method raises is raised here.
        """
        while len(self._workers) < self._count:
            self._workers.append(self._new())
        self._known.clear()
        idle, busy, again, coming = list(self._workers), {}, deque[Any](), iter(tasks)
        try:
            while True:
                while idle and (again or (task := next(coming, self)) is not self):
                    task = again.popleft() if again else task
                    worker = idle.pop()
                    known = self._known.get(id(worker)) is task
                    self._known[id(worker)] = task
                    busy[self._ask(worker, method, None if known else task)] = worker, task
                if not busy:
                    return
                handle = self._first(list(busy))
                worker, task = busy.pop(handle)
                try:
                    answer = self._answer(handle)
                except WorkerLostError:
                    self.lost += 1
                    self._workers.remove(worker)
                    self._workers.append(self._new())
                    self._known.pop(id(worker))
                    idle.append(self._workers[-1])
                    again.append(task)
                else:
                    idle.append(worker)
                    yield answer
        finally:
            for handle, (worker, _) in busy.items():
                self._settle(handle, worker)

    def _new(self) -> Any:
        self._seed += 1
        return self._start(self._seed)

    @abstractmethod
    def _start(self, seed: int) -> Any:
        """A fresh worker."""

    @abstractmethod
    def _ask(self, worker: Any, method: str, task: Any) -> Any:
        """Gives the worker a task; returns what to wait for."""

    @abstractmethod
    def _first(self, handles: list[Any]) -> Any:
        """Waits until one of them is answered, or its worker is lost."""

    @abstractmethod
    def _answer(self, handle: Any) -> Any:
        """Raises `WorkerLostError` if the worker has died."""

    @abstractmethod
    def _settle(self, handle: Any, worker: Any) -> None:
        """The answer is not wanted any more."""

    @abstractmethod
    def close(self) -> None:
        """Ends all workers."""


def play_match(crew: Crew, duel: Duel, openings: Sequence[Sequence[Point]], games: int) -> Iterator[Score]:
    """Yields the first contender's score after every pair of games."""
    score = Score()
    for pair in crew.each("pair", [(duel, openings[i % len(openings)]) for i in range(games // 2)]):
        for points in pair:
            score.add(points)
        yield score


def _serve(seed: int, pipe: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    worker = Worker(seed)
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            method, task = pipe.recv()
            try:
                pipe.send(worker.do(method, task))
            except Exception as error:
                pipe.send(error)


class LocalCrew(Crew):
    """Processes of this machine."""

    def _start(self, seed: int) -> tuple[Any, Connection]:
        ours, theirs = multiprocessing.Pipe()
        process = multiprocessing.get_context("spawn").Process(target=_serve, args=(seed, theirs), daemon=True)
        process.start()
        theirs.close()
        return process, ours

    def _ask(self, worker: tuple[Any, Connection], method: str, task: Any) -> Connection:
        with contextlib.suppress(BrokenPipeError):  # `_answer` will tell
            worker[1].send((method, task))
        return worker[1]

    def _first(self, handles: list[Connection]) -> Connection:
        ready = wait(handles)[0]
        assert isinstance(ready, Connection)
        return ready

    def _answer(self, handle: Connection) -> Any:
        try:
            answer = handle.recv()
        except (EOFError, ConnectionError) as error:
            raise WorkerLostError from error
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _settle(self, handle: Connection, worker: tuple[Any, Connection]) -> None:
        with contextlib.suppress(WorkerLostError):
            self._answer(handle)
            return
        self._workers.remove(worker)

    def close(self) -> None:
        for process, pipe in self._workers:
            pipe.close()
            process.terminate()
            process.join()
        self._workers.clear()


class RayCrew(Crew):
    """Actors of a Ray cluster, spread over its nodes."""

    def __init__(self, count: int, address: str) -> None:
        """
        address: as ``ray start`` told it.

        :raises: `ConnectionError` if no cluster is there.
        """
        super().__init__(count)
        import ray

        self._ray = ray
        ray.init(address=address, log_to_driver=False)
        self._actor = ray.remote(num_cpus=1, scheduling_strategy="SPREAD")(Worker)

    def _start(self, seed: int) -> Any:
        return self._actor.remote(seed)

    def _ask(self, worker: Any, method: str, task: Any) -> Any:
        return worker.do.remote(method, task)

    def _first(self, handles: list[Any]) -> Any:
        return self._ray.wait(handles)[0][0]

    def _answer(self, handle: Any) -> Any:
        try:
            return self._ray.get(handle)
        except self._ray.exceptions.RayActorError as error:
            raise WorkerLostError from error

    def _settle(self, handle: Any, worker: Any) -> None:
        with contextlib.suppress(WorkerLostError):
            self._answer(handle)

    def close(self) -> None:
        self._ray.shutdown()
        self._workers.clear()
