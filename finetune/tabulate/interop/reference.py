"""Holds the figures that the Go tests expect against statsmodels and SciPy.

    reference.py FILE           exit 1 if a figure of FILE is not theirs
    reference.py --write FILE   writes FILE anew

FILE is ../testdata/reference.json: TestReference compares every figure in it with the package's own.
"""

import json
import sys
from math import comb, sqrt

from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests


def paired(b, c):
    table = [[7, b], [c, 5]]
    exact, corrected = mcnemar(table, exact=True), mcnemar(table, exact=False, correction=True)
    return {"b": b, "c": c, "exact": float(exact.pvalue), "chi2": float(corrected.statistic),
            "corrected": float(corrected.pvalue)}


def holm(p):
    return {"p": p, "adjusted": [float(a) for a in multipletests(p, method="holm")[1]]}


def passes(k, n, c):
    """Attempts drawn without replacement are hypergeometric."""
    drawn = stats.hypergeom(n, c, k)
    assert abs(drawn.pmf(k) - comb(c, k) / comb(n, k)) < 1e-12
    return {"k": k, "n": n, "c": c, "at": float(1 - drawn.pmf(0)), "all": float(drawn.pmf(k))}


def difference(first, second, n):
    """Two intervals of Clopper and Pearson, put together by the correlation at their ends."""
    def ends(x):
        return (float(stats.beta.ppf(0.025, x, n - x + 1)) if x else 0.0,
                float(stats.beta.ppf(0.975, x + 1, n - x)) if x < n else 1.0)

    def distance(x, y):
        low, high = ends(x)[0], ends(y)[1]
        less, more = x / n - low, high - y / n
        correlation = sqrt(low * high / ((1 - low) * (1 - high))) if high < 1 else 0.0
        return sqrt(less**2 + more**2 + 2 * correlation * less * more)

    share = (first - second) / n
    return {"first": first, "second": second, "n": n, "low": share - distance(first, second),
            "high": share + distance(second, first)}


def figures():
    return {
        "mcnemar": [paired(b, c) for b, c in [(1, 0), (5, 1), (0, 12), (10, 3), (59, 6), (121, 59), (150, 86), (70, 31)]],
        "holm": [holm([0.01, 0.04, 0.03, 0.005]), holm([0.2, 0.2, 0.2]), holm([0.9]), holm([1e-9, 0.5, 0.02, 0.02, 1])],
        "passes": [passes(*p) for p in [(1, 5, 2), (2, 5, 2), (3, 5, 2), (5, 5, 5), (4, 20, 11), (3, 8, 0), (10, 100, 3)]],
        "differences": [difference(*d) for d in [(0, 0, 5), (0, 0, 200), (6, 0, 40), (5, 5, 10), (3, 12, 25), (30, 4, 90), (7, 0, 8)]],
    }


def same(ours, theirs):
    if isinstance(ours, dict):
        return ours.keys() == theirs.keys() and all(same(ours[k], theirs[k]) for k in ours)
    if isinstance(ours, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return abs(ours - theirs) <= 1e-9


def main():
    if sys.argv[1] == "--write":
        with open(sys.argv[2], "w", encoding="utf-8") as f:
            json.dump(figures(), f, indent=1)
            f.write("\n")
        return 0

    with open(sys.argv[1], encoding="utf-8") as f:
        ours = json.load(f)
    theirs = figures()
    wrong = [name for name in theirs if not same(ours.get(name, []), theirs[name])]
    for name in wrong:
        print(f"{name}: {ours.get(name)} is not {theirs[name]}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
