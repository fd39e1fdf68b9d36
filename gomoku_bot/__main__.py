"""``pbrain-gomoku-bot``: the brain, for managers."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Serves the protocol on stdin and stdout until END; stderr stays silent, since it shares Piskvork's pipe."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy's own threads would be idle, and catch signals
    from gomoku_bot.engine import DEFAULT_SEARCH, SEARCHES, Engine
    from gomoku_bot.protocol.loop import Loop

    search = DEFAULT_SEARCH
    if len(sys.argv) > 1:
        import argparse

        from gomoku_bot.version import __version__

        parser = argparse.ArgumentParser(prog="pbrain-gomoku-bot", description=__doc__)
        parser.add_argument("--version", action="version", version=__version__)
        parser.add_argument("--search", choices=SEARCHES, default=search)
        search = parser.parse_args().search
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 2)
    Loop(Engine(search)).run()
    os._exit(0)


if __name__ == "__main__":
    main()
