"""Asserts the effect: a model trained on static trajectories fails where the APIs have moved on, one trained on
trajectories of moved APIs does not.

    check.py ROUNDS.csv ROUND:API=LEAST-MOST…

LEAST and MOST are percent of official accuracy.
"""

import csv
import re
import sys


def main(path, *wanted):
    with open(path, newline="") as file:
        official = {(row["round"], row["api"]): 100 * float(row["official"]) for row in csv.DictReader(file)}
    bad = 0
    for word in wanted:
        round, api, least, most = re.fullmatch(r"(\d+):(\w+)=(\d+)-(\d+)", word).groups()
        accuracy = official[round, api]
        held = int(least) <= accuracy <= int(most)
        bad += not held
        print(f"proof: round {round} under {api}: {accuracy:.1f} %, wanted {least} to {most}{'' if held else ': NOT SO'}")
    return bad > 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
