"""Compiles the ``*_cy.py`` modules; everything else stands in pyproject.toml."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

COMPILE = ["/O2"] if sys.platform == "win32" else ["-O3", "-fno-math-errno"]
EXTRA = os.environ.get("GOMOKU_BOT_CFLAGS", "").split()
"""More compiler and linker flags, for example ``-fsanitize=address,undefined -g``."""

setup(
    ext_modules=cythonize(
        [
            Extension(
                ".".join(path.with_suffix("").parts),
                [str(path)],
                extra_compile_args=COMPILE + EXTRA,
                extra_link_args=EXTRA,
            )
            for path in sorted(Path("gomoku_bot").glob("*/*_cy.py"))
        ],
        language_level=3,
        compiler_directives={
            "boundscheck": False,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": False,
        },
    )
)
