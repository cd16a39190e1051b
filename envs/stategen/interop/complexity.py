"""Prints the calls, path depth and binding count of programs, by the analysis of a checkout of StateGen's repository.

    complexity.py CHECKOUT rows DIR...          DOMAIN.jsonl of `toolevo tasks export --out DIR`
    complexity.py CHECKOUT generated DIR...     evaluator_N.json of its own generator, a folder named as each domain

The checkout's module needs networkx and stdlib-list. A domain's line is the mean over its programs, the last line the
mean over domains.
"""

import ast
import json
import pathlib
import sys

DOCUMENTS = {"session": "session-service", "tensor": "tensor_manipulation", "voice": "speechlab"}


def programs(kind, folder):
    """The domain and the text of each program in a folder."""
    if kind == "generated":
        for file in sorted(folder.glob("evaluator_*.json")):
            yield folder.name, json.loads(file.read_text())["test_cases"][0]["program"]
        return
    for file in sorted(folder.glob("*.jsonl")):
        with file.open() as rows:
            for row in rows:
                yield file.stem, json.loads(json.loads(row)["evaluator_json"])["test_cases"][0]["program"]


def main(checkout, kind, *folders):
    sys.path.insert(0, checkout)
    sys.dont_write_bytecode = True
    from Sgenerator import utils

    measured = {}
    for folder in folders:
        for domain, text in programs(kind, pathlib.Path(folder)):
            document = pathlib.Path(checkout, "api_doc", DOCUMENTS[domain] + "-simplified.txt").read_text()
            analysis = utils.APICallAnalyzer(api_allowlist=utils._extract_api_names_from_doc(document))
            analysis.visit(ast.parse(text))
            found = analysis.compute_metrics()
            measured.setdefault(domain, []).append((
                found["total_api_calls_invoked"], utils.compute_path_depth(found["binding_edges"]),
                found["binding_count"]))

    lines = {domain: mean(all) for domain, all in sorted(measured.items())}
    lines["domains"] = mean(lines.values())
    print("%-8s %6s %6s %6s %6s" % ("", "n", "calls", "depth", "binding"))
    for name, figures in lines.items():
        print("%-8s %6s %6.2f %6.2f %6.2f" % (name, len(measured.get(name, "")) or "", *figures))


def mean(all):
    return [sum(column) / len(column) for column in zip(*all)]


if __name__ == "__main__":
    if len(sys.argv) < 4 or sys.argv[2] not in ("rows", "generated"):
        sys.exit(__doc__)
    main(*sys.argv[1:])
