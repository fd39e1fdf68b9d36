"""``pbrain-gomoku-bot``: the brain, for managers."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gomoku_bot.evaluator.base import Evaluator


def main() -> None:
    """Serves the protocol on stdin and stdout until END; stderr stays silent, since it shares Piskvork's pipe."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy's own threads would be idle, and catch signals
    from gomoku_bot.engine import DEFAULT_SEARCH, SEARCHES, Engine
    from gomoku_bot.evaluator import catalog
    from gomoku_bot.protocol.loop import Loop

    search, provider = DEFAULT_SEARCH, "cpu"
    load_evaluator: Callable[[], Evaluator] = catalog.load
    if len(sys.argv) > 1:
        import argparse
        import functools

        from gomoku_bot.version import __version__

        parser = argparse.ArgumentParser(prog="pbrain-gomoku-bot", description=__doc__)
        parser.add_argument("--version", action="version", version=__version__)
        parser.add_argument("--search", choices=SEARCHES, default=search)
        parser.add_argument("--net", default=catalog.DEFAULT_NET, help="the name of a network (%(default)s)")
        parser.add_argument("--level", type=int, default=10, help="1 (a beginner) to 10 (full strength)")
        parser.add_argument(
            "--provider", choices=catalog.PROVIDERS, default=provider,
            help="what computes the networks, if this ONNX Runtime can (%(default)s)",
        )  # fmt: skip
        parser.add_argument("--selfcheck", action="store_true", help="is this installation whole, and how fast?")
        arguments = parser.parse_args()
        if arguments.selfcheck:
            from gomoku_bot import selfcheck

            sys.exit(selfcheck.main())
        search, provider = arguments.search, arguments.provider
        load_evaluator = functools.partial(catalog.load, net=arguments.net, provider=provider)
    batch = catalog.saved_batches().get(provider)
    make_search = SEARCHES[search]
    if batch and search == DEFAULT_SEARCH:
        from gomoku_bot.search.puct import Constants, PuctSearch

        constants = Constants(batch=batch)
        make_search = lambda evaluator: PuctSearch(evaluator, constants=constants)  # noqa: E731
    engine = Engine(search, load_evaluator=load_evaluator, make_search=make_search)
    if provider != "cpu":
        from gomoku_bot.evaluator.session import missing

        engine.load_error = missing(provider)
    if len(sys.argv) > 1:
        try:
            engine.set_level(arguments.level)
        except ValueError as error:
            parser.error(str(error))
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 2)
    Loop(engine).run()
    os._exit(0)


if __name__ == "__main__":
    main()
