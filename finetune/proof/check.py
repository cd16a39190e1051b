"""Asserts the effect: a model trained on static trajectories fails where the APIs have moved on, the one trained on
trajectories of moved APIs does not.

    check.py ROUNDS.csv N

N is how many rounds there are to be.
"""

import csv
import sys

# Official accuracy by round and API version: at least, at most.
WANTED = {("1", "p_c"): (0.8, 1), ("1", "p_s_in"): (0, 0.1), ("2", "p_s_in"): (0.8, 1)}


def main(path, rounds):
    with open(path, newline="") as file:
        official = {(row["round"], row["api"]): float(row["official"]) for row in csv.DictReader(file)}
    bad = 0
    for (round, api), (least, most) in WANTED.items():
        if int(round) > int(rounds):
            continue
        accuracy = official[round, api]
        held = least <= accuracy <= most
        bad += not held
        print(f"proof: round {round} under {api}: {100 * accuracy:.1f} %, wanted {100 * least:.0f} to {100 * most:.0f}"
              f"{'' if held else ': NOT SO'}")
    return bad > 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
