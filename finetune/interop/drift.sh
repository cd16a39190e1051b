#!/usr/bin/env bash
# DynamicToolBench's experiment on the published queries, whole and offline: every group, setting, feedback and scripted
# policy. It is killed once and interrupted once, and resumes each time; the policies must come out in order.
#
#   drift.sh TOOLEVO QUERIES [FOLDER]
#
# QUERIES has GROUP.json files of StableToolBench. FOLDER keeps the data and the evaluations; without it they are made in
# a temporary folder and removed.
set -euo pipefail

toolevo=$(realpath "$1")
queries=$2
folder=${3:-}
if [ ! -e "$queries/G1_instruction.json" ]; then
  echo "the published queries are not in $queries: set TOOLEVO_SHARED_DATA to the folder above it" >&2
  exit 1
fi
if [ -z "$folder" ]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
fi

rm -rf "$folder/data" "$folder/drift"
"$toolevo" toolbench import "$queries" --data "$folder/data" 2>/dev/null

drift=("$toolevo" eval drift --data "$folder/data" --out "$folder/drift" --progress none)

# stop SIGNAL WORDS: runs the experiment until it prints these words, then sends the signal.
stop() {
  "${drift[@]}" >/dev/null 2>"$folder/stopped.log" &
  pid=$!
  until grep -qs "$2" "$folder/stopped.log"; do
    kill -0 "$pid" 2>/dev/null || { cat "$folder/stopped.log"; echo "FAILED: it ended before it was stopped"; exit 1; }
    sleep 0.2
  done
  sleep 1 # into the evaluation
  kill -s "$1" "$pid"
  code=0
  wait "$pid" || code=$?
  echo "stopped by $1 at \"$2\": exit $code"
}

stop KILL "Evaluation 3 of 20"
[ "$code" = 137 ] || { echo "FAILED: want 137"; exit 1; }
stop TERM "Evaluation 8 of 20"
[ "$code" = 130 ] || { echo "FAILED: want 130"; exit 1; }

"${drift[@]}" --json >"$folder/drift.json" 2>"$folder/ended.log"

python3 - "$folder/drift.json" <<'PYTHON'
import collections, json, sys

rates = collections.defaultdict(dict)
for row in json.load(open(sys.argv[1]))["rows"]:
    if row["lost"]:
        sys.exit(f"FAILED: lost questions in {row}")
    at = row["feedback"], row["kind"], row["setting"], row["dataset"], row["difficulty"]
    rates[at][row["policy"]] = row["pass_rate"], row["n"]

for at, of in rates.items():
    (oracle, n), (reader, _), (stale, _) = (of["scripted:" + name] for name in ("oracle", "reader", "stale"))
    feedback, kind = at[:2]
    if kind != "versioning" or at[4] == "unexposed":
        right = oracle == reader == stale == 1
    elif feedback == "deprecation":
        right = oracle == 1 and oracle >= reader > stale
    else:
        right = oracle == 1 and reader == stale
    if not right:
        sys.exit(f"FAILED: {at}: oracle {oracle}, reader {reader}, stale {stale}")
    if at[3:] == ("all", "all"):
        print(f"{feedback:12} {at[2]:18} n {n}: oracle {oracle:.3f}, reader {reader:.3f}, stale {stale:.3f}")

print(f"in order in all {len(rates)} cells")
PYTHON

"$toolevo" check "$folder/drift/none/paraphrase" 2>/dev/null | tail -1
