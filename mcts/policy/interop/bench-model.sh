#!/usr/bin/env bash
# Measures what an accepted trajectory costs with Qwen2.5-Coder-1.5B on llama.cpp: in the named
# cells of bench/cells.tsv, or in all without figures yet. It needs TOOLEVO_BIN. Run the same command
# again to continue after a stop.
#
#   bench-model.sh [CELL...]
set -euo pipefail

name=bench-model
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
[ -n "${TOOLEVO_BIN:-}" ] || fail "TOOLEVO_BIN names no program; try: make bench-model"

runs=$cache/bench-model
results=$servers/bench/results
mkdir -p "$runs" "$results"

cells=("$@")
if [ $# = 0 ]; then
	while read -r cell; do
		[ -e "$results/$cell.json" ] || cells+=("$cell")
	done < <(grep -v '^#' "$servers/bench/cells.tsv" | cut -f1)
fi

[ -e "$runs/data/questions/train/flights-easy.jsonl" ] || {
	"$TOOLEVO_BIN" data build --dataset coffee,flights --data "$runs/data"
	"$TOOLEVO_BIN" data questions --data "$runs/data"
}
port=$(free_port)
log=$work/llama.log
if [ ${#cells[@]} -gt 0 ]; then
	bash "$servers/llama-serve.sh" qwen15 "$port" >"$log" 2>&1 &
	server=$!
	await "http://127.0.0.1:$port/health" 600 "$log"
fi
for cell in "${cells[@]}" ""; do # the last one only prints the table
	# shellcheck disable=SC2086
	python3 "$servers/bench/cells.py" "$TOOLEVO_BIN" "http://127.0.0.1:$port/v1" qwen15 "$runs" "$results" $cell
done
