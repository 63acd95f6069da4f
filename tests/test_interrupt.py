"""An interrupt while kernels run is an exception, never the end of the process.

Where it comes while numba hands over a result, numba makes a SystemError of it, whose cause it is.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

STOPPED = 7  # as the program says it
TRIES = 2

PROGRAM = """
import signal
import sys
import secateur as sec
from secateur.kinds.pcfg.split import SplitSettings, SplitTraining

trees = sec.garden.treebank(60)
way = sys.argv[1]
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job's parent may have it ignored
if way == "unsplit":
    grammar = sec.induce(trees)
else:
    grammar = SplitTraining(trees, settings=SplitSettings(levels=1)).fit().grammar()
parser = sec.Parser(grammar, decode="viterbi") if way == "viterbi" else sec.Parser(grammar)
words = [tree.words() for tree in trees]
run = parser.marginals if way == "marginals" else parser.parse
run(words[0])
try:
    print("ready", flush=True)
    while True:
        for sentence in words:
            run(sentence)
except (KeyboardInterrupt, SystemError) as problem:
    assert isinstance(problem, KeyboardInterrupt) or isinstance(problem.__cause__, KeyboardInterrupt)
    sys.exit(7)
"""


@pytest.mark.parametrize("way", ["unsplit", "max-rule", "viterbi", "marginals"])
def test_interrupted_while_parsing(way: str) -> None:
    for attempt in range(TRIES):
        with subprocess.Popen(
            [sys.executable, "-c", PROGRAM, way], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as program:
            assert program.stdout is not None
            assert program.stdout.readline() == "ready\n"
            time.sleep(0.1 + 0.05 * attempt)  # into the loop
            program.send_signal(signal.SIGINT)
            try:
                _, errors = program.communicate(timeout=60)
            except subprocess.TimeoutExpired:
                program.kill()
                raise
        assert program.returncode == STOPPED, errors
