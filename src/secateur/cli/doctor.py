"""secateur doctor: is everything in place?"""

from __future__ import annotations

import platform
import statistics
import time
from importlib import metadata, util

from secateur.cli.options import Json
from secateur.cli.terminal import count, print_json, print_pairs

LIBRARIES = ("numpy", "scipy", "numba", "scikit-learn", "joblib", "rich", "typer", "matplotlib")
EXTRAS = {"dask": "distributed", "nltk": "nltk", "ray": "ray"}


def doctor(*, json: Json = False) -> None:
    """Versions, cores, SIMD, the kernel cache, timer noise, and which extras are installed."""
    import secateur
    from secateur.search.workers import cores

    found: dict[str, object] = {
        "secateur": secateur.__version__,
        "python": platform.python_version(),
        "machine": f"{platform.machine()}, {count(cores(), 'core')}",
    }
    found |= {library: _version(library) for library in LIBRARIES}
    for extra, module in EXTRAS.items():
        there = util.find_spec(module) is not None
        found[f"extra {extra}"] = "installed" if there else f'absent: pip install "secateur[{extra}]"'
    found |= _kernels()
    found["timer noise"] = f"{_noise():.0%} between equal runs"
    if json:
        print_json(found)
    else:
        print_pairs(found)


def _version(library: str) -> str:
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return f"absent: pip install {library}"


def _kernels() -> dict[str, object]:
    """Parse a toy sentence: the first time compiles, later ones load from the cache."""
    started = time.perf_counter()
    from secateur.grammar.pcfg import PCFG
    from secateur.kernels import cache_dir
    from secateur.kernels.cky import viterbi as cky
    from secateur.kinds.pcfg.parser import Parser

    grammar = PCFG.from_text("S -> A A 1.0\nA -> 'a' 0.5 | A A 0.5")
    tree = Parser(grammar).parse(["a", "a"]).tree
    seconds = time.perf_counter() - started
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features()
    vectors = [name for name in ("avx512f", "avx2", "avx", "neon", "sse4.2") if features.get(name)]
    hits = sum(cky.viterbi.stats.cache_hits.values())
    return {
        "processor": llvm.get_host_cpu_name(),
        "SIMD": vectors[0] if vectors else "none found: kernels run, more slowly",
        "kernels": f"{'loaded from the cache' if hits else 'compiled'} in {seconds:.1f} s",
        "kernel cache": str(cache_dir()),
        "toy parse": str(tree),
    }


def _noise() -> float:
    """How much the times of one and the same computation differ."""
    times = []
    for _ in range(15):
        started = time.process_time()
        sum(range(200_000))
        times.append(time.process_time() - started)
    return statistics.median(times) / min(times) - 1
