#!/usr/bin/env bash
# The full grid of an evaluation: three scripted profiles under four API versions, on generated test sets of seven
# datasets and two difficulties. It is killed once and resumed, checked, and compared in every format.
#
#   grid.sh TOOLEVO [FOLDER]
#
# FOLDER keeps the data and the evaluation; without it they are made in a temporary folder and removed.
set -euo pipefail

toolevo=$(realpath "$1")
folder=${2:-}
if [ -z "$folder" ]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
fi
data=$folder/data
run=$folder/eval

if [ ! -d "$data" ]; then
  "$toolevo" data build --data "$data" --scale demo --progress none >/dev/null
  "$toolevo" data questions --data "$data" --progress none >/dev/null
fi

rm -rf "$run"
began=$SECONDS

"$toolevo" eval --data "$data" --out "$run" --policy scripted:reader,scripted:noisy,scripted:stale \
  --api p_c,p_s_in,p_s_ood,p_s_ood_proprietary --progress plain >/dev/null 2>"$folder/killed.log" &
pid=$!

# It is killed in the middle, judged by the size of what it has stored: it prints its progress too rarely.
until [ "$(du -sk "$run" 2>/dev/null | cut -f1)" -gt 30000 ] 2>/dev/null; do
  kill -0 "$pid" 2>/dev/null || { cat "$folder/killed.log"; echo "FAILED: it ended before it was killed"; exit 1; }
  sleep 0.2
done
kill -9 "$pid"
wait "$pid" 2>/dev/null || true
[ ! -e "$run/report.csv" ] || { echo "FAILED: it was killed after its end"; exit 1; }
echo "killed after $((SECONDS - began)) s:"
"$toolevo" runs "$run"

"$toolevo" eval --resume --out "$run" --progress none --json >"$folder/eval.json" 2>"$folder/resumed.log"
echo "ended after $((SECONDS - began)) s"

# Every format exists, and is the same when it is made again from the stored episodes.
for format in md:markdown csv:csv tex:latex; do
  "$toolevo" eval compare "$run" --format "${format#*:}" 2>/dev/null | cmp - "$run/report.${format%:*}"
done
cmp "$folder/eval.json" "$run/report.json"

rows=$(($(wc -l <"$run/report.csv") - 1))
[ "$rows" -eq $((3 * 4 * (7 * 2 + 3))) ] || { echo "FAILED: $rows rows in CSV"; exit 1; }

took=$((SECONDS - began))
[ "$took" -lt 600 ] || { echo "FAILED: it took $took s, want less than 600"; exit 1; }
echo "PASSED: $rows rows in $took s, formats included"
