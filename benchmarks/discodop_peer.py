"""disco-dop answers: sentences as lines of JSON in, and for each its best score, CPU seconds and items out.

Run by lcfrs.py under the interpreter of an environment that has disco-dop, and with Pythons of disco-dop's
time, 3.6 and up; so nothing of secateur is used here.
"""

import json
import os
import sys
import time

CPU = getattr(time, "process_time", time.time)


def main(rules, lexicon, start):
    from discodop.containers import Grammar
    from discodop.kbest import lazykbest
    from discodop.plcfrs import parse
    from discodop.tree import escape

    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what disco-dop prints is no answer
    with open(rules, encoding="utf-8") as lines, open(lexicon, encoding="utf-8") as entries:
        grammar = Grammar(lines.read(), entries.read(), start=start)
    for line in sys.stdin:
        words = [escape(word) for word in json.loads(line)]  # as it spells those of the lexicon: #LRB#
        started = CPU()
        chart, _ = parse(words, grammar, exhaustive=False)  # as far as the best parse: its fastest way
        seconds = CPU() - started
        found = lazykbest(chart, 1)[0] if chart else []
        score = -found[0][1] if found else None
        answers.write(
            json.dumps({"score": score, "seconds": seconds, "items": len(chart.parseforest)}) + "\n"
        )
        answers.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
